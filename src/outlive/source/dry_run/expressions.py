"""Works out what an expression stands for."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from outlive.source.dry_run import models, tensors
from outlive.source.dry_run.call import Call
from outlive.source.dry_run.frames import Frame
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
    Method,
    Table,
    Tensor,
    joined,
    lose,
)
from outlive.source.syntax import last_name

#: A list that is longer is told by one of its elements.
MOST_ITEMS = 64
#: No number or text that is larger is made.
LARGEST = 1 << 64

_CALCULATE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
}  # fmt: skip

_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Is: operator.is_, ast.IsNot: operator.is_not, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip

#: The names of operators in questions.
NAMES = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow",
    ast.MatMult: "matmul", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip


class Expressions:
    """Expressions; what calls do comes from who follows the statements."""

    run: Run

    def of(self, node: ast.expr | None, frame: Frame) -> Any:
        """The thing that an expression stands for."""
        if node is None:
            return NONE
        self.run.step()
        follow = self.WAYS.get(type(node))
        return follow(self, node, frame) if follow is not None else self._of_other(node, frame)

    def _of_other(self, node: ast.expr, frame: Frame) -> Any:
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.expr):
                self.of(inner, frame)
        return UNKNOWN

    def _of_constant(self, node: ast.Constant, frame: Frame) -> Any:
        return Const(node.value)

    def _of_name(self, node: ast.Name, frame: Frame) -> Any:
        return frame.look_up(node.id)

    def _of_named_expr(self, node: ast.NamedExpr, frame: Frame) -> Any:
        thing = self.of(node.value, frame)
        frame.bind(node.target.id, thing)
        return thing

    def _of_tuple(self, node: ast.Tuple, frame: Frame) -> Any:
        return self._group("tuple", node.elts, frame)

    def _of_list(self, node: ast.List, frame: Frame) -> Any:
        return self._group("list", node.elts, frame)

    def _of_set(self, node: ast.Set, frame: Frame) -> Any:
        return self._group("set", node.elts, frame)

    def _group(self, kind: str, nodes: Sequence[ast.expr], frame: Frame) -> Any:
        found: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                inner = self.of(node.value, frame)
                if not isinstance(inner, Group) or inner.lost:
                    return UNKNOWN
                found += inner.items
            else:
                found.append(self.of(node, frame))
        return Group(kind, found, self.run.branch)

    def _of_dict(self, node: ast.Dict, frame: Frame) -> Any:
        table = Table({}, self.run.branch)
        for key, value in zip(node.keys, node.values, strict=True):
            name, thing = self.of(key, frame) if key is not None else UNKNOWN, self.of(value, frame)
            if isinstance(name, Const):
                table.items[name.value] = thing
            elif isinstance(name, Tensor):
                table.items[name] = thing
            else:
                table.lost = True
        return table

    def _of_lambda(self, node: ast.Lambda, frame: Frame) -> Any:
        return Function(node, frame)

    def _of_if_exp(self, node: ast.IfExp, frame: Frame) -> Any:
        truth = self.truth(self.of(node.test, frame))
        if truth is not None:
            return self.of(node.body if truth else node.orelse, frame)
        with self.run.maybe():
            return joined(self.of(node.body, frame), self.of(node.orelse, frame))

    def _of_bool_op(self, node: ast.BoolOp, frame: Frame) -> Any:
        stops = isinstance(node.op, ast.Or)
        result: Any = UNKNOWN
        for at, value in enumerate(node.values):
            result = self.of(value, frame)
            truth = self.truth(result)
            if truth is None:
                with self.run.maybe():
                    for rest in node.values[at + 1 :]:
                        self.of(rest, frame)
                return UNKNOWN
            if truth == stops:
                return result
        return result

    def _of_unary_op(self, node: ast.UnaryOp, frame: Frame) -> Any:
        thing = self.of(node.operand, frame)
        if isinstance(node.op, ast.Not):
            truth = self.truth(thing)
            return UNKNOWN if truth is None else Const(not truth)
        if isinstance(thing, Const) and isinstance(thing.value, int | float):
            if isinstance(node.op, ast.USub):
                return Const(-thing.value)
            return thing if isinstance(node.op, ast.UAdd) else UNKNOWN
        return (
            tensors.negated(self.run, node, thing)
            if isinstance(thing, Tensor) and isinstance(node.op, ast.USub)
            else UNKNOWN
        )

    def _of_bin_op(self, node: ast.BinOp, frame: Frame) -> Any:
        return self.combined(node, node.op, self.of(node.left, frame), self.of(node.right, frame))

    def combined(self, node: ast.AST, sign: ast.operator, left: Any, right: Any) -> Any:
        """What an operator makes of two things."""
        if isinstance(left, Const) and isinstance(right, Const):
            return _calculated(sign, left.value, right.value)
        if isinstance(left, Tensor) or isinstance(right, Tensor):
            name = NAMES.get(type(sign), "")
            return tensors.operated(self.run, node, name, left, right) if name else UNKNOWN
        if isinstance(left, Group) and not left.lost and left.kind != "set":
            if (
                isinstance(sign, ast.Add)
                and isinstance(right, Group)
                and right.kind == left.kind
                and not right.lost
            ):
                return Group(left.kind, [*left.items, *right.items], self.run.branch)
            times = right.value if isinstance(right, Const) else None
            if (
                isinstance(sign, ast.Mult)
                and isinstance(times, int)
                and 0 <= times * len(left.items) <= MOST_ITEMS
            ):
                return Group(left.kind, left.items * times, self.run.branch)
        return UNKNOWN

    def _of_compare(self, node: ast.Compare, frame: Frame) -> Any:
        things = [self.of(it, frame) for it in (node.left, *node.comparators)]
        if len(things) != 2:
            return UNKNOWN
        left, right, sign = things[0], things[1], node.ops[0]
        things_there = Tensor | Made | Instance | Group | Table | Function | Dataset
        with_none = isinstance(sign, ast.Is | ast.IsNot | ast.Eq | ast.NotEq) and right == NONE
        if with_none and isinstance(left, things_there):
            return Const(isinstance(sign, ast.IsNot | ast.NotEq))
        compare = _COMPARE[type(sign)]
        try:
            if isinstance(left, Const) and isinstance(right, Const):
                return Const(compare(left.value, right.value))
            if (
                isinstance(left, Const)
                and isinstance(right, Group)
                and all(isinstance(it, Const) for it in right.items)
                and not right.lost
            ):
                return Const(compare(left.value, [it.value for it in right.items]))
        except Exception:  # of the program's own values
            return UNKNOWN
        if (isinstance(left, Tensor) or isinstance(right, Tensor)) and type(sign) in NAMES:
            return tensors.operated(self.run, node, NAMES[type(sign)], left, right)
        return UNKNOWN

    def truth(self, thing: Any) -> bool | None:
        """Whether a thing is true, where that is known."""
        if isinstance(thing, Const):
            return bool(thing.value)
        if isinstance(thing, Group | Table):
            return None if thing.lost else bool(thing.items)
        return True if isinstance(thing, Function | Class | Made) else None

    def _of_joined_str(self, node: ast.JoinedStr, frame: Frame) -> Any:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.of(part.value, frame)
        return tensors.TEXT

    def _of_list_comp(self, node: ast.ListComp, frame: Frame) -> Any:
        return self._comprehended(node.generators, node.elt, frame)

    def _of_generator_exp(self, node: ast.GeneratorExp, frame: Frame) -> Any:
        return self._comprehended(node.generators, node.elt, frame)

    def _comprehended(self, parts: list[ast.comprehension], result: ast.expr, frame: Frame) -> Any:
        inner = Frame(frame)
        if len(parts) != 1 or parts[0].is_async:
            return UNKNOWN
        part = parts[0]
        walked = self.of(part.iter, frame)
        items = self.items(walked)
        if items is not None and len(items) <= MOST_ITEMS and not part.ifs:
            made = []
            for item in items:
                self.bind(part.target, item, inner)
                made.append(self.of(result, inner))
            return Group("list", made, self.run.branch)
        self.bind(part.target, self.element(walked), inner)
        with self.run.maybe(doubt=False):
            one = self.of(result, inner)
        count = walked.count if isinstance(walked, Many) and not part.ifs else None
        return Many(one, count)

    def _of_starred(self, node: ast.Starred, frame: Frame) -> Any:
        self.of(node.value, frame)
        return UNKNOWN

    def _of_slice(self, node: ast.Slice, frame: Frame) -> Any:
        parts = [self.of(it, frame) for it in (node.lower, node.upper, node.step)]
        if all(isinstance(it, Const) for it in parts):
            return Const(slice(*(it.value for it in parts)))
        return UNKNOWN

    def _of_subscript(self, node: ast.Subscript, frame: Frame) -> Any:
        owner, at = self.of(node.value, frame), self.of(node.slice, frame)
        if isinstance(owner, Tensor):
            return tensors.indexed(self.run, node, owner, at)
        if isinstance(owner, Many):
            return owner.element if isinstance(at, Const) and isinstance(at.value, int) else UNKNOWN
        if isinstance(owner, Table) and not owner.lost:
            try:
                return owner.items.get(at.value, UNKNOWN) if isinstance(at, Const) else UNKNOWN
            except TypeError:
                return UNKNOWN
        if isinstance(owner, Group) and not owner.lost and isinstance(at, Const):
            try:
                found = owner.items[at.value]
            except (TypeError, IndexError, ValueError):
                return UNKNOWN
            return (
                Group(owner.kind, found, self.run.branch) if isinstance(at.value, slice) else found
            )
        return UNKNOWN

    def _of_attribute(self, node: ast.Attribute, frame: Frame) -> Any:
        return self.attribute(node, self.of(node.value, frame), node.attr)

    def attribute(self, node: ast.AST, owner: Any, word: str) -> Any:
        """An attribute of a thing."""
        if isinstance(owner, Api):
            return Api(f"{owner.name}.{word}")
        if isinstance(owner, Instance):
            if word in owner.attributes:
                return UNKNOWN if owner.lost else owner.attributes[word]
            return self._of_class(owner, word)
        if isinstance(owner, Class):
            member = owner.names.get(word, UNKNOWN)
            return member if isinstance(member, Function) or not any(owner.library()) else UNKNOWN
        if isinstance(owner, Tensor):
            return tensors.attribute(self.run, node, owner, word)
        if isinstance(owner, Made):
            if word in owner.attributes:
                return owner.attributes[word]
            return models.attribute(self.run, node, owner, word)
        if isinstance(owner, Dataset) and word == "element_spec":
            return UNKNOWN
        return Method(owner, word) if owner is not UNKNOWN else UNKNOWN

    def _of_class(self, owner: Instance, word: str) -> Any:
        found: Any = None
        for kind in owner.of.every():
            found = kind.names.get(word)
            if found is not None:
                break
        if isinstance(found, Function):
            return UNKNOWN if _is_property(found) else self.method(owner, word)
        if found is not None:
            return UNKNOWN if owner.lost else found
        return Method(owner, word)

    def _of_call(self, node: ast.Call, frame: Frame) -> Any:
        call = Call(node, self.of(node.func, frame))
        for word in node.args:
            if isinstance(word, ast.Starred):
                inner = self.of(word.value, frame)
                items = self.items(inner)
                call.open |= items is None
                call.args += items or ()
                lose(inner) if items is None else None
            else:
                call.args.append(self.of(word, frame))
        for keyword in node.keywords:
            thing = self.of(keyword.value, frame)
            if keyword.arg is None:
                table = thing if isinstance(thing, Table) and not thing.lost else None
                call.open |= table is None
                call.words.update(
                    {str(name): it for name, it in table.items.items()} if table else {}
                )
            else:
                call.words[keyword.arg] = thing
        return self.call_of(call)

    WAYS: ClassVar[dict[type, Callable[..., Any]]] = {
        ast.Constant: _of_constant,
        ast.Name: _of_name,
        ast.NamedExpr: _of_named_expr,
        ast.Tuple: _of_tuple,
        ast.List: _of_list,
        ast.Set: _of_set,
        ast.Dict: _of_dict,
        ast.Lambda: _of_lambda,
        ast.IfExp: _of_if_exp,
        ast.BoolOp: _of_bool_op,
        ast.UnaryOp: _of_unary_op,
        ast.BinOp: _of_bin_op,
        ast.Compare: _of_compare,
        ast.JoinedStr: _of_joined_str,
        ast.ListComp: _of_list_comp,
        ast.GeneratorExp: _of_generator_exp,
        ast.Starred: _of_starred,
        ast.Slice: _of_slice,
        ast.Subscript: _of_subscript,
        ast.Attribute: _of_attribute,
        ast.Call: _of_call,
    }

    # what the rest of the walk does

    def bind(self, target: ast.expr, thing: Any, frame: Frame) -> None:
        """Bind a target."""
        raise NotImplementedError

    def items(self, thing: Any) -> Sequence[Any] | None:
        """The elements of a thing."""
        raise NotImplementedError

    def element(self, thing: Any) -> Any:
        """One element of a thing."""
        raise NotImplementedError

    def method(self, thing: Instance, word: str) -> Function | None:
        """A method of an object of the program."""
        raise NotImplementedError

    def call_of(self, call: Call) -> Any:
        """What a call gives."""
        raise NotImplementedError


def _is_property(function: Function) -> bool:
    decorators = getattr(function.node, "decorator_list", ())
    return any(last_name(it) in ("property", "cached_property") for it in decorators)


def _calculated(sign: ast.operator, left: Any, right: Any) -> Any:
    """A number or a text of two, if it stays small."""
    if isinstance(left, str) and isinstance(sign, ast.Mod):
        return tensors.TEXT
    numbers = isinstance(left, int | float) and isinstance(right, int | float)
    if isinstance(sign, ast.Pow | ast.LShift) and numbers:
        if not (0 <= right <= 64 and abs(left) <= 1 << 20):
            return UNKNOWN
        return Const(left**right) if isinstance(sign, ast.Pow) else Const(int(left) << int(right))
    calculate = _CALCULATE.get(type(sign))
    if calculate is None or (
        not numbers and not (isinstance(left, str) and isinstance(right, str))
    ):
        return UNKNOWN
    try:
        result = calculate(left, right)
    except (ArithmeticError, TypeError, ValueError):
        return UNKNOWN
    large = isinstance(result, int | float) and abs(result) > LARGEST
    return UNKNOWN if large or (isinstance(result, str) and len(result) > 1000) else Const(result)
