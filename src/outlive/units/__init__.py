"""What is asked: causes, checks, rules and complaints, one file each, and what they share."""
