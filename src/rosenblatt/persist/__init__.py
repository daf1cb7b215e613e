"""Files that survive: written as a whole or not at all, and checked before they are believed."""
