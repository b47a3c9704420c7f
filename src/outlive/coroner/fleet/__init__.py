"""What the verdicts of many runs have in common."""
