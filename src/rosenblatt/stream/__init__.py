"""Learning from a stream: examples one at a time or in blocks, for ever, with the same result."""
