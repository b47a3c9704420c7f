# python: -X frozen_modules=off
# python-at-least: 3.11
"""Without frozen modules."""

import os

print(os.__file__.endswith("os.py"))
