"""What is written, and in which words: the record's format, masking, the journal. Both sides of the record import it."""
