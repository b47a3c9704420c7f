"""The user's code, parsed once: names, values, lines, edits."""
