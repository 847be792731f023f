"""What pages of one generator or program write, which others do not: includes, notices, blocks, commands.

Imports the readers of files, components and containers beside this folder.
"""
