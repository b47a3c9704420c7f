"""Bad elements, skipped and written down."""
