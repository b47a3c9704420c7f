# ci
"""What a second interpreter sees: its threads, its hooks, its path."""

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
number = interpreters.create()
interpreters.run_string(
    number,
    "import sys, os; os.write(1, repr((sys.path, sys.excepthook is sys.__excepthook__, sorted(n for n in sys.modules if 'outlive' in n))).encode() + b'\\n')",
)
interpreters.destroy(number)
print("after")
