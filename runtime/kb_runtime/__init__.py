"""The read-only runtime: opens a compiled artifact and serves it."""
