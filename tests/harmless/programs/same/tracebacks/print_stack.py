"""The stack of the running function."""

import traceback


def work():
    traceback.print_stack()


work()
