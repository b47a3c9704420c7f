"""Memory comes to its end: save, adapt, stop in time."""
