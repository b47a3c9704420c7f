"""A job of many ranks: who is a member of it, and what a message says of a peer that was lost."""
