"""Truth tables: which are threshold functions, and how that is drawn and told."""
