"""The exit codes of every command over an artifact; scripts may rely on them."""

OK = 0
BROKEN = 1  # `install`, `doctor`: the server does not work in a client
USAGE = 2  # click's own code for a wrong option or argument
ARTIFACT = 4  # not an artifact, damaged, or of another format version
OUTPUT = 5  # a folder or a client's configuration cannot be written
NOT_FOUND = 7  # `get`: no record of that name; `install`: no client on this machine
EXTRA = 8  # a command without the dependencies that it needs
INTERNAL = 70  # a defect of kbc (EX_SOFTWARE)
INTERRUPTED = 130
