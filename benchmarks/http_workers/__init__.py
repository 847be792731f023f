"""What several HTTP workers cost in memory, and what they bring."""
