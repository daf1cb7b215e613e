"""Truth tables: which are threshold functions, how they are drawn, and what is said of them."""
