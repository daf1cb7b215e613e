"""The Mark I: its retina, its pictures, its lessons."""
