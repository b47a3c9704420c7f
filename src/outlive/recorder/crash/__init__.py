"""What can be read from a dead process's last words: its mappings, its native frames, their names, the instruction it died at."""
