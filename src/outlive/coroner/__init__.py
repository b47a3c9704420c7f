"""From a record to a verdict: readings, evidence, causes."""
