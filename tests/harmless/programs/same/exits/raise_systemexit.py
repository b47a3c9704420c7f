# status: 4
"""SystemExit that is raised rather than called."""

raise SystemExit(4)
