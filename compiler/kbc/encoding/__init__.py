"""Embeds chunks: the model, its ONNX graph, the encoder, the cache of vectors.

Imports `cache` and nothing of the front half.
"""
