"""One verdict for a job of many ranks: which one brought the others down."""
