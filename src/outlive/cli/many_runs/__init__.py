"""Options that look at many runs at once: `why --job`, `runs --group`."""
