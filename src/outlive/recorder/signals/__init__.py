"""Signals that end programs, and who sent them."""
