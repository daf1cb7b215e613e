"""Model files: saving, loading, and exporting to ONNX."""

from rosenblatt.models.onnx import to_onnx
from rosenblatt.models.saving import load, load_with_extra, save
from rosenblatt.persist.container import read_header
from rosenblatt.persist.errors import ModelFileError

__all__ = ["ModelFileError", "load", "load_with_extra", "read_header", "save", "to_onnx"]
