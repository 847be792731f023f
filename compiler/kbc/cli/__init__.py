"""One module a command of `kbc`, without logic.

Imports everything below; nothing but `__main__` imports it.
"""
