"""A pipeline of a shell."""

import subprocess

print(subprocess.check_output("printf 'b\\na\\n' | sort | tr a-z A-Z; exit 0", shell=True))
