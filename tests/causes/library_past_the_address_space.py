"""TensorFlow's library is larger than the address space that a batch system leaves: the loader cannot map it, and does not say why."""
# expect: address-space-limit LIKELY
# ending: 1
# address_space: 600
# needs: tensorflow


def die() -> None:
    import tensorflow as tf  # <- here

    print(tf.__version__)


def spare() -> None:
    import sqlite3

    print(sqlite3.sqlite_version)
