"""The command line: one module a command. Empty, because the start of a run may not wait for the others."""
