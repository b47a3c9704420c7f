"""The files that an error is about, looked at after the death."""
