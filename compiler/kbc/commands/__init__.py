"""One module for each command, or family of commands, that `kbc.cli` offers."""
