"""Input and both outputs through pipes."""

import subprocess
import sys

code = "import sys; text = sys.stdin.read(); print(text.upper()); print(len(text), file=sys.stderr)"
done = subprocess.run(
    [sys.executable, "-c", code], input="some text", capture_output=True, text=True
)
print(done)
