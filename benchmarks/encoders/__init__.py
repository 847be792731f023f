"""What encoders cost: for documents, for queries, of other projects, and in workers that share the work."""
