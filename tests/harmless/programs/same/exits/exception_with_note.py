# python-at-least: 3.11
# status: 1
"""Notes are printed below the message."""

error = ValueError("with notes")
error.add_note("first note\nof two lines")
error.add_note("second note")
raise error
