"""A second interpreter that is alive at the end."""

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
number = interpreters.create()
interpreters.run_string(number, "import os; os.write(1, b'alive\\n')")
interpreters.destroy(number)
other = interpreters.create()
interpreters.destroy(other)
print(len(interpreters.list_all()))
