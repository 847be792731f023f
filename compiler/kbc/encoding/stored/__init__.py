"""The tensors of a model as it is published: safetensors, or the constants of an ONNX export.

Imports `errors` and `quantize` of the room around it.
"""
