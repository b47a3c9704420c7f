"""Why it died: one file, one cause, asked of the evidence."""
