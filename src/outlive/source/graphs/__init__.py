"""What a program builds before it runs: what made a tensor, in which order lines run, which layers a network has."""
