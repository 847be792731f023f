"""What encoders cost: the one of documents, those of queries, those of others, and workers that share them."""
