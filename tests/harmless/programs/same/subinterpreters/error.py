# ci
"""An error in a second interpreter reaches the first."""

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
number = interpreters.create()
try:
    found = interpreters.run_string(number, "raise ValueError('inside')")
    print("told", found is not None)
except Exception as error:
    print(type(error).__name__)
interpreters.destroy(number)
