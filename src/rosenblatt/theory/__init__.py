"""Separability, certificates, bounds, and the ledger of every update."""
