"""The line to blame: statements, handlers, locks, operations."""
