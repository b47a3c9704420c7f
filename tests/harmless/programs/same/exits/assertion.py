# status: 1
"""A failed assertion."""

assert [] == [1], "not the same"
