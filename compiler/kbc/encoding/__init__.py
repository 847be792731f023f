"""Texts become vectors: the model, its ONNX graph, and the cache that remembers what was embedded."""
