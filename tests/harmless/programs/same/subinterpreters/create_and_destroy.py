# ci
"""A second interpreter in the process, made and destroyed three times."""

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import sys

for _ in range(3):
    number = interpreters.create()
    run = interpreters.run_string
    sys.stdout.flush()
    run(number, "import os; os.write(1, b'in the second\\n')")
    interpreters.destroy(number)
print("after")
