"""`outlive run`: prepare, start, watch, conclude. Nothing here is imported before it is needed."""
