# status: 1
"""Code that has no file."""

exec(compile("def f():\n    raise ValueError('in exec')\nf()", "<made up>", "exec"))
