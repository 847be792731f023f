"""What becomes of documents that are read: text, code blocks, chunks, and answers without configuration."""
