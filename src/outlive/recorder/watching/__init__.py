"""While the program runs: what the watches are asked about, and what they have said. Loaded when the program has been running for a while."""
