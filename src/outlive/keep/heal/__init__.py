"""After a death of a known kind: the next attempt, with what cures it."""
