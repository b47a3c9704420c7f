"""Evidence from the readings: one module a subject."""
