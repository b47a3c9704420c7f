"""What in this code will kill it: one file, one rule, asked of the source."""
