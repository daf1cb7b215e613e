"""What a model is and which features it looks at, for people and as JSON."""
