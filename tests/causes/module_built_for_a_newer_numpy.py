"""A package was compiled for a NumPy that is newer than the installed one."""
# expect: numpy-abi-mismatch PROVEN
# ending: 1
# made_by: numpy_of_another_time.sh
# needs: tensorflow


class Pipeline:
    def __init__(self) -> None:
        import newfilters

        self.filters = newfilters


def die() -> None:
    Pipeline()


def spare() -> None:
    try:
        Pipeline()
    except RuntimeError:
        print("without it")
