"""A package's extension module asks for a symbol that no library has."""
# expect: shared-library-missing PROVEN
# ending: 1
# made_by: undefined_symbol.sh


def overlap() -> int:
    from fastboxes import overlap as native

    return int(native())


def die() -> None:
    print(overlap())


def spare() -> None:
    try:
        print(overlap())
    except ImportError:
        print("slowly, then")
