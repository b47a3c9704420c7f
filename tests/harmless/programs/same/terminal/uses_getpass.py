# terminal: leader
# types: secret\n
"""A password is not echoed."""

import getpass

print("got", len(getpass.getpass("<ready>")))
