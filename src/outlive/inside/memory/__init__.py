"""What takes the program's memory, and the brake."""
