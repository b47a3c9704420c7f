"""The verdicts of many runs, of many hosts: read from folders and buckets, kept as a table, and grouped by what they have in common."""
