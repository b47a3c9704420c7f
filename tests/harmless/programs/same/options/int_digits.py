# python: -X int_max_str_digits=700
# python-at-least: 3.11
"""The limit of digits."""

try:
    int("1" * 701)
except ValueError as error:
    print(error)
