"""The text of a program, followed line by line with shapes and types instead of numbers; TensorFlow is asked what it would refuse."""
