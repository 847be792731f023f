"""How long searches take inside the process, and how near a split knowledge base comes to a whole one."""
