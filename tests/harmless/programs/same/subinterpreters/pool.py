# python-at-least: 3.14
"""A pool of interpreters."""

from concurrent.futures import InterpreterPoolExecutor

with InterpreterPoolExecutor(2) as pool:
    print(list(pool.map(abs, [-1, -2, -3])))
