"""What a record says: entries of one run, with the lines of source that they name."""
