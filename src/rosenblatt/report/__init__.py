"""The report on a trained model: one HTML page, made from a plain description."""
