"""Read a data set before a model does: name every file and record that would stop a run, or silently spoil it."""
