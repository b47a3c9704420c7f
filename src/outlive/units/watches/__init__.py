"""What a running program is warned of: one file, one watch, asked of a window of samples. A watch says something, and does nothing."""
