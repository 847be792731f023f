"""Where the time of a hybrid tool call goes."""
