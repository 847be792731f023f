"""The commands of `kbc`, one module each, without logic.

Imports everything below; nothing but `__main__` imports it.
"""
