"""The exit codes of every command, documented in docs/cli.md; scripts may rely on them."""

OK = 0
BROKEN = 1  # `install`, `doctor`: the server does not work in a client
USAGE = 2  # click's own code for a wrong option or argument
INPUT = 3  # the knowledge base has errors; nothing was published
ARTIFACT = 4  # not an artifact, damaged, or of another format version
OUTPUT = 5  # a file, a folder or a client's configuration cannot be written, as on a full disk
MODEL = 6  # the encoder's model is missing or not the pinned one
NOT_FOUND = 7  # `get`: no record of that name; `install`: no client on this machine
EXTRA = 8  # a command without the dependencies that it needs
BELOW = 9  # `eval`: a measure is below its --fail-under
CLUSTER = 10  # `build --executor`: workers are missing, refused or lost
INTERNAL = 70  # a defect of kbc (EX_SOFTWARE)
SHORTAGE = 71  # no memory, thread or file descriptor is left (EX_OSERR)
INTERRUPTED = 130
