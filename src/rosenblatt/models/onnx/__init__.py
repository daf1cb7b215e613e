"""Exporting models to ONNX, for runtimes in other languages."""

from rosenblatt.models.onnx.export import to_onnx

__all__ = ["to_onnx"]
