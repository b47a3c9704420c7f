"""What the samples of a run say of its next minutes."""
