"""The nouns: findings, events, memory, and the evidence that they make up. Pure and frozen."""
