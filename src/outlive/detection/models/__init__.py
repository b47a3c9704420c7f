"""Models that detect, whatever runs them, and smaller ones made from them."""
