# status: 1
"""A frame that says to be in a file that is no text."""

exec(compile("1/0", "/bin/sh", "exec"))
