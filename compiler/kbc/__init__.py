"""kbc, the knowledge-base compiler."""
