"""Places in the standard library's classes at which something is noted. Only private ones: what the program calls, replaces or looks at
stays the function that it was."""

from __future__ import annotations

from .calls import programs_own

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Optional


class Before:
    """A method before which something is noted; not itself on the stack, so that no traceback shows it."""

    def __init__(self, real: Callable[..., Any], note: Callable[[Any], None]) -> None:
        self._real: Any = real
        self._note = note

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        if owner is None:
            return self._real
        try:  # not by ``quietly``: a call takes as long as all the rest
            self._note(owner)
        except Exception as error:
            if programs_own(error) is not None:
                raise
        return self._real.__get__(owner, kind)


class Noticed:
    """An attribute of which is noted who sets it and who gets it; it lies where it always lay."""

    def __init__(
        self,
        name: str,
        set_to: Optional[Callable[[Any, Any], None]] = None,
        got: Optional[Callable[[Any, Any], None]] = None,
    ) -> None:
        self._name = name
        self._set_to = set_to
        self._got = got
        self._slot: Any = None

    def put_on(self, kind: type) -> None:
        """Stand in for the attribute on a class, over its slot or over what lies in its objects' dictionaries; where it is neither, not at all."""
        there = vars(kind).get(self._name)
        if there is None and "__dict__" not in dir(kind):
            return
        if there is None or (hasattr(there, "__set__") and hasattr(there, "__get__")):
            self._slot = there
            setattr(kind, self._name, self)

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        if owner is None:
            raise AttributeError(self._name)
        value = self._value_in(owner)
        if self._got is not None and value is not None:
            quietly(self._got, owner, value)
        return value

    def _value_in(self, owner: Any) -> Any:
        if self._slot is not None:
            return self._slot.__get__(owner, type(owner))
        try:
            return owner.__dict__[self._name]
        except KeyError:
            raise AttributeError(self._name) from None

    def __set__(self, owner: Any, value: Any) -> None:
        before = None
        if self._slot is not None:
            self._slot.__set__(owner, value)
        else:
            before = owner.__dict__.get(self._name)
            owner.__dict__[self._name] = value
        if value is not None and value is not before and self._set_to is not None:
            quietly(self._set_to, owner, value)

    def __delete__(self, owner: Any) -> None:
        if self._slot is not None:
            self._slot.__delete__(owner)
            return
        try:
            del owner.__dict__[self._name]
        except KeyError:
            raise AttributeError(self._name) from None


def quietly(note: Callable[..., None], *args: Any) -> None:
    """Call a function of ours, whose failures are its own; what a signal's handler raises meanwhile is the program's."""
    try:
        note(*args)
    except Exception as error:
        if programs_own(error) is not None:
            raise


def like(real: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a wrapper the name and text of what it wraps (``functools.wraps``, without loading it at start-up)."""

    def dress(wrapper: Callable[..., Any]) -> Callable[..., Any]:
        for name in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
            try:
                setattr(wrapper, name, getattr(real, name))
            except (AttributeError, TypeError):
                pass
        wrapper.__wrapped__ = real  # type: ignore[attr-defined]  # what inspect.unwrap looks for
        return wrapper

    return dress


def in_place_of(real: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Do the same for what stands in a public place: file, line and name in its code too are those of what it wraps."""

    def dress(wrapper: Any) -> Any:
        code = getattr(real, "__code__", None)
        names = ("co_filename", "co_firstlineno", "co_name", "co_qualname")
        given = {name: getattr(code, name) for name in names if hasattr(code, name)}
        wrapper.__code__ = wrapper.__code__.replace(**given)
        return like(real)(wrapper)

    return dress
