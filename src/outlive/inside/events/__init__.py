"""What happens in the program: exceptions, ends, stacks, waits, cells."""
