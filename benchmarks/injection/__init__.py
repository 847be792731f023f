"""Systematic faults: every file operation of every command that writes fails once, or is the last one."""
