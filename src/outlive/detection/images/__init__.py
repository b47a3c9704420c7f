"""Pictures of any size, and what is drawn on them."""
