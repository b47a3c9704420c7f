"""Runs on the disk: where they lie, how they are read, sealed, packed and removed."""
