"""Names in builtins."""

import builtins

print(sorted(vars(builtins)))
