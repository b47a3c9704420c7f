"""What is wrong here before anything runs: one file per check, found by looking in this folder."""
