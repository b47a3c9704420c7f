"""Follows the statements of a program with what is known of their values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from outlive.source.dry_run.call import Call
from outlive.source.dry_run.frames import Frame, bound_in, changed_in
from outlive.source.dry_run.library import called_of
from outlive.source.dry_run.own_functions import LEFT, ON, PERHAPS, OwnFunctions
from outlive.source.dry_run.run import Run
from outlive.source.dry_run.things import (
    NONE,
    UNKNOWN,
    Api,
    Class,
    Const,
    Dataset,
    Function,
    Group,
    Instance,
    Made,
    Many,
    Table,
    Tensor,
    joined,
    lose,
)
from outlive.source.names import canonical, key_of
from outlive.source.syntax import last_name

#: Loops that turn at most so often are followed turn by turn.
MOST_TURNS = 12
#: Decorators that leave a function what it is.
HARMLESS = frozenset({"tf.function", "builtins.staticmethod", "builtins.classmethod", "tf.autograph.experimental.do_not_convert",
                      "keras.saving.register_keras_serializable", "keras.utils.register_keras_serializable"})  # fmt: skip


class Interpreter(OwnFunctions):
    """One walk through a module."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run

    # -- blocks ---------------------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt], frame: Frame) -> str:
        """Follow statements one after the other."""
        end = ON
        for statement in statements:
            self.run.step()
            follow = self.STATEMENTS.get(type(statement), Interpreter._other)
            how = follow(self, statement, frame)
            if how == LEFT:
                return LEFT
            if how == PERHAPS:
                end = PERHAPS
        return end

    def _other(self, statement: ast.stmt, frame: Frame) -> str:
        """A statement of which nothing is followed: what it binds is not known."""
        for name in bound_in([statement]):
            frame.bind(name, UNKNOWN)
        return ON

    def _do_expr(self, statement: ast.Expr, frame: Frame) -> str:
        call = statement.value
        if (
            isinstance(call, ast.Call)
            and last_name(call.func) == "set_shape"
            and len(call.args) == 1
        ):
            self._set_shape(call, frame)
            return ON
        self.of(statement.value, frame)
        ends = isinstance(statement.value, ast.Call) and self.of(statement.value.func, frame) in (
            Api("sys.exit"), Api("builtins.exit"), Api("builtins.quit"), Api("os._exit"))  # fmt: skip
        return LEFT if ends else ON

    def _set_shape(self, call: ast.Call, frame: Frame) -> None:
        """`x.set_shape(…)`: from here on the same tensor is known better."""
        target = call.func.value if isinstance(call.func, ast.Attribute) else None
        told = self.of(call.args[0], frame)
        tensor = self.of(target, frame)
        if (
            isinstance(tensor, Tensor)
            and isinstance(target, ast.Name)
            and tensor.kind in ("tensor", "placeholder")
        ):
            known = self.run.call(call, "tensorflow.ensure_shape", [tensor, told])
            fed = isinstance(known, Tensor) and tensor.kind == "placeholder"
            self.bind(target, replace(known, kind="placeholder") if fed else known, frame)

    def _do_assign(self, statement: ast.Assign, frame: Frame) -> str:
        thing = self.of(statement.value, frame)
        for target in statement.targets:
            self.bind(target, thing, frame)
        return ON

    def _do_annotated(self, statement: ast.AnnAssign, frame: Frame) -> str:
        if statement.value is not None:
            self.bind(statement.target, self.of(statement.value, frame), frame)
        return ON

    def _do_augmented(self, statement: ast.AugAssign, frame: Frame) -> str:
        old = self.of(_read(statement.target), frame)
        if isinstance(old, Group) and old.kind == "list":
            self.change(old)
            added = self.of(statement.value, frame)
            if isinstance(statement.op, ast.Add) and isinstance(added, Group) and not added.lost:
                old.items += added.items
            else:
                old.lost = True
            return ON
        self.bind(
            statement.target,
            self.combined(statement, statement.op, old, self.of(statement.value, frame)),
            frame,
        )
        return ON

    def _do_delete(self, statement: ast.Delete, frame: Frame) -> str:
        for target in statement.targets:
            self.bind(target, UNKNOWN, frame)
        return ON

    def _do_import(self, statement: ast.Import, frame: Frame) -> str:
        for item in statement.names:
            first = item.name.partition(".")[0]
            frame.bind(item.asname or first, Api(item.name if item.asname else first))
        return ON

    def _do_import_from(self, statement: ast.ImportFrom, frame: Frame) -> str:
        for item in statement.names:
            known = statement.module and not statement.level and item.name != "*"
            if item.name != "*":
                frame.bind(
                    item.asname or item.name,
                    Api(f"{statement.module}.{item.name}") if known else UNKNOWN,
                )
        return ON

    def _do_return(self, statement: ast.Return, frame: Frame) -> str:
        frame.returned.append(
            self.of(statement.value, frame) if statement.value is not None else NONE
        )
        return LEFT

    def _do_raise(self, statement: ast.Raise, frame: Frame) -> str:
        return LEFT

    def _do_break(self, statement: ast.Break, frame: Frame) -> str:
        return LEFT

    def _do_continue(self, statement: ast.Continue, frame: Frame) -> str:
        return LEFT

    def _do_function(self, statement: ast.FunctionDef, frame: Frame) -> str:
        frame.bind(statement.name, self.function(statement, frame))
        return ON

    def _do_class(self, statement: ast.ClassDef, frame: Frame) -> str:
        inner = Frame(frame)
        bases = tuple(self.of(base, frame) for base in statement.bases)
        self.block(statement.body, inner)
        plain = not statement.keywords and not statement.decorator_list
        frame.bind(
            statement.name,
            Class(statement, frame, bases, inner.names) if plain or bases else UNKNOWN,
        )
        return ON

    def function(self, node: ast.FunctionDef, frame: Frame) -> Function:
        """What a definition gives, seen through its decorators."""
        decorators = [
            self.of(it.func if isinstance(it, ast.Call) else it, frame)
            for it in node.decorator_list
        ]
        names = [canonical_of(it) for it in decorators]
        plain = all(name in HARMLESS for name in names)
        traced = "tf.function" in names
        return Function(node, frame, plain=plain, traced=traced)

    # -- ways that part -------------------------------------------------------------------------------------------------

    def _do_if(self, statement: ast.If, frame: Frame) -> str:
        truth = self.truth(self.of(statement.test, frame))
        if truth is not None:
            return self.block(statement.body if truth else statement.orelse, frame)
        return self._either(statement.body, statement.orelse, frame)

    def _either(self, one: Sequence[ast.stmt], other: Sequence[ast.stmt], frame: Frame) -> str:
        before = dict(frame.names)
        with self.run.maybe():
            first = self.block(one, frame)
            after = frame.names
            frame.names = dict(before)
            second = self.block(other, frame)
        if first == LEFT and second == LEFT:
            return LEFT
        if first == LEFT:
            return PERHAPS
        if second == LEFT:
            frame.names = after
            return PERHAPS
        frame.join(after)
        return PERHAPS if PERHAPS in (first, second) else ON

    def _do_try(self, statement: ast.Try, frame: Frame) -> str:
        before = dict(frame.names)
        caught = any(_catches(handler) for handler in statement.handlers)
        self.run.doubt += caught
        end = self.block(statement.body, frame)
        self.run.doubt -= caught
        if end == ON:
            end = self.block(statement.orelse, frame)
        for handler in statement.handlers:
            after = frame.names
            frame.names = dict(before)
            for name in bound_in(statement.body):
                frame.bind(name, UNKNOWN)
            if handler.name:
                frame.bind(handler.name, UNKNOWN)
            with self.run.maybe():
                how = self.block(handler.body, frame)
            if how != LEFT:
                frame.join(after)
                end = PERHAPS if end != ON else ON
            else:
                frame.names = after
        if self.block(statement.finalbody, frame) == LEFT:
            return LEFT
        return end

    def _do_with(self, statement: ast.With, frame: Frame) -> str:
        for item in statement.items:
            opened = self.of(item.context_expr, frame)
            if item.optional_vars is not None:
                self.bind(
                    item.optional_vars, opened if isinstance(opened, Made) else UNKNOWN, frame
                )
        if any(_expects_errors(item.context_expr) for item in statement.items):
            with self.run.maybe():
                return ON if self.block(statement.body, frame) == ON else PERHAPS
        return self.block(statement.body, frame)

    # -- loops ----------------------------------------------------------------------------------------------------------

    def _do_for(self, statement: ast.For, frame: Frame) -> str:
        walked = self.of(statement.iter, frame)
        items = self.items(walked)
        if items is not None and len(items) <= MOST_TURNS and not statement.orelse:
            return self._turn_by_turn(statement, items, frame)
        return self._many_turns(statement, statement.body, frame, element=self.element(walked))

    def _do_while(self, statement: ast.While, frame: Frame) -> str:
        self.of(statement.test, frame)
        return self._many_turns(statement, statement.body, frame)

    def _turn_by_turn(self, statement: ast.For, items: Sequence[Any], frame: Frame) -> str:
        for item in items:
            self.bind(statement.target, item, frame)
            if self.block(statement.body, frame) != ON:
                self._forget(statement.body, frame)  # a turn may have ended early
                return PERHAPS if _returns(statement) else ON
        return ON

    def _many_turns(
        self,
        statement: ast.For | ast.While,
        body: list[ast.stmt],
        frame: Frame,
        element: Any = UNKNOWN,
    ) -> str:
        before = dict(frame.names)
        self._forget(body, frame)
        if isinstance(statement, ast.For):
            self.bind(statement.target, element, frame)
        with self.run.maybe(doubt=False):
            self.block(body, frame)
            self._lose_changed(body, frame)
        frame.join(before)
        return PERHAPS if _returns(statement) else ON

    def _forget(self, body: list[ast.stmt], frame: Frame) -> None:
        """What the body of a loop binds or changes may come from another turn."""
        for name in bound_in(body):
            frame.bind(name, UNKNOWN)
        self._lose_changed(body, frame)

    def _lose_changed(self, body: list[ast.stmt], frame: Frame) -> None:
        for name in changed_in(body):
            thing = frame.look_up(name)
            if isinstance(thing, Group | Table):
                lose(thing)
            if isinstance(thing, Instance):
                self._forget_attributes(thing, name, body)

    def _forget_attributes(self, thing: Instance, name: str, body: list[ast.stmt]) -> None:
        for node in (inner for statement in body for inner in ast.walk(statement)):
            bound = isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
            if bound and isinstance(node, ast.Attribute) and key_of(node) == f"{name}.{node.attr}":
                thing.attributes[node.attr] = UNKNOWN

    STATEMENTS: ClassVar[dict[type, Callable[..., str]]] = {
        ast.Expr: _do_expr,
        ast.Assign: _do_assign,
        ast.AnnAssign: _do_annotated,
        ast.AugAssign: _do_augmented,
        ast.Delete: _do_delete,
        ast.Import: _do_import,
        ast.ImportFrom: _do_import_from,
        ast.Return: _do_return,
        ast.Raise: _do_raise,
        ast.Break: _do_break,
        ast.Continue: _do_continue,
        ast.FunctionDef: _do_function,
        ast.ClassDef: _do_class,
        ast.If: _do_if,
        ast.Try: _do_try,
        ast.With: _do_with,
        ast.For: _do_for,
        ast.While: _do_while,
    }

    # -- binding --------------------------------------------------------------------------------------------------------

    def bind(self, target: ast.expr, thing: Any, frame: Frame) -> None:
        """Let a target of an assignment stand for something."""
        if isinstance(target, ast.Name):
            frame.bind(target.id, thing)
        elif isinstance(target, ast.Tuple | ast.List):
            items = self.items(thing)
            starred = any(isinstance(it, ast.Starred) for it in target.elts)
            known = items is not None and len(items) == len(target.elts) and not starred
            for at, part in enumerate(target.elts):
                self.bind(part, items[at] if known and items is not None else UNKNOWN, frame)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, UNKNOWN, frame)
        elif isinstance(target, ast.Attribute):
            owner = self.of(target.value, frame)
            if isinstance(owner, Instance | Made):
                shallower = owner.branch < self.run.branch
                owner.attributes[target.attr] = (
                    UNKNOWN if shallower and target.attr in owner.attributes else thing
                )
        elif isinstance(target, ast.Subscript):
            self._bind_part(target, thing, frame)

    def _bind_part(self, target: ast.Subscript, thing: Any, frame: Frame) -> None:
        owner, at = self.of(target.value, frame), self.of(target.slice, frame)
        if not isinstance(owner, Group | Table):
            return
        self.change(owner)
        if (isinstance(owner, Table) and isinstance(at, Const) and _hashable(at.value)) or (
            isinstance(owner, Group)
            and isinstance(at, Const)
            and isinstance(at.value, int)
            and -len(owner.items) <= at.value < len(owner.items)
        ):
            owner.items[at.value] = thing
        else:
            owner.lost = True

    def items(self, thing: Any) -> Sequence[Any] | None:
        """The elements of something that is walked over or taken apart, when all of them are known."""
        if isinstance(thing, Group) and not thing.lost and thing.kind != "set":
            return thing.items
        if (
            isinstance(thing, Table)
            and not thing.lost
            and all(_hashable(key) and not isinstance(key, Tensor) for key in thing.items)
        ):
            return [Const(key) for key in thing.items]
        return None

    def element(self, thing: Any) -> Any:
        """One of the elements of something that is walked over."""
        if isinstance(thing, Dataset):
            return eager(thing.element)
        if isinstance(thing, Many):
            return thing.element
        if isinstance(thing, Tensor) and thing.shape and thing.kind in ("array", "tensor"):
            return Tensor(thing.shape[1:], thing.dtype, "", thing.kind, False, thing.below)
        items = self.items(thing)
        if items:
            result = items[0]
            for item in items[1:]:
                result = joined(result, item)
            return result
        return UNKNOWN

    def change(self, thing: Group | Table) -> None:
        """Somebody changes a list: where that is perhaps not reached, its content is not known any more."""
        if thing.branch < self.run.branch:
            thing.lost = True

    def call_of(self, call: Call) -> Any:
        """What a call gives."""
        return called_of(self, call)


def eager(thing: Any) -> Any:
    """What a loop over a pipeline gets: tensors of which the sizes that TensorFlow leaves open are not known to us."""
    if isinstance(thing, Tensor):
        return Tensor(thing.shape, thing.dtype)
    if isinstance(thing, Group):
        return Group(thing.kind, [eager(it) for it in thing.items])
    if isinstance(thing, Table):
        return Table({name: eager(it) for name, it in thing.items.items()})
    return UNKNOWN


def canonical_of(thing: Any) -> str:
    """The canonical name of a function of a library."""
    return canonical(thing.name) if isinstance(thing, Api) else ""


def _read(target: ast.expr) -> ast.expr:
    """The same expression, read instead of bound."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


#: Who catches one of these catches what TensorFlow refuses.
CATCHING = frozenset(
    {
        "Exception",
        "BaseException",
        "ValueError",
        "TypeError",
        "InvalidArgumentError",
        "OpError",
        "IndexError",
    }
)


def _catches(handler: ast.ExceptHandler) -> bool:
    """Tell whether a handler catches what TensorFlow raises when it refuses a call."""
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(last_name(it) in CATCHING for it in kinds)


def _expects_errors(opened: ast.expr) -> bool:
    """Tell whether a `with` is there for an error: `pytest.raises`, `assertRaises`, `contextlib.suppress`."""
    word = last_name(opened.func).lower() if isinstance(opened, ast.Call) else ""
    return "raises" in word or word == "suppress"


def _returns(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Return) for node in ast.walk(statement))
