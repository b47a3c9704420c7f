# needs: module greenlet
"""Greenlets switch, and one of them fails."""

import greenlet


def work(n):
    m = greenlet.getcurrent().parent.switch(n + 1)
    raise ValueError(m)


one = greenlet.greenlet(work)
print(one.switch(1))
try:
    one.switch("second")
except ValueError as error:
    print(error, one.dead)
