"""Files of examples, read in blocks: bounded memory, whatever their size."""
