"""Another way to build a pipeline again, for stages that ``rebuilding`` does not know: through the graph that TensorFlow writes of a dataset.

It knows every stage there is, but it copies the data that a pipeline carries within it: only for pipelines that carry little.
"""

from __future__ import annotations

from . import datasets, stage_table
from .rebuild_stage import Rebuilt, twin_of
from .tf_private import class_of, functions_in, graph_of, library, parameter_or

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Dict, List

#: A dataset of arrays has the arrays in its graph, several times while it is written and read: 8 s for 200 MB.
MOST_CARRIED = 32_000_000

#: What the operations of a stage are called in the graph, and which of its inputs hold its parameters (from the end, if negative).
SHUFFLE, PREFETCH, MAP, INTERLEAVE = "shuffle", "prefetch", "map", "interleave"
OPERATIONS = {
    "ShuffleDatasetV3": (SHUFFLE, {"size": 1}),
    "PrefetchDataset": (PREFETCH, {"size": 1}),
    "ParallelMapDatasetV2": (MAP, {"calls": -1}),
    "ParallelInterleaveDatasetV4": (INTERLEAVE, {"lean": -3, "lean too": -2}),
}


class Unfit(Exception):
    """A dataset whose graph cannot be used, and why."""


def rebuild_whole(objects: List[Any], different: Dict[int, Rebuilt]) -> Any:
    """The last of the stages again, on everything that is before it."""
    root = objects[-1]
    carried = sum(carried_bytes(one) for one in objects)
    if carried > MOST_CARRIED:
        raise Unfit(f"it carries {carried / 1e6:.0f} MB of data within it")
    graph = graph_of(root)
    edit(graph, objects, different)
    handle = library().raw_ops.DatasetFromGraph(graph_def=graph.SerializeToString())
    twin = twin_of(root, handle)
    vars(twin)[datasets.WHOLE] = True
    return twin


def edit(graph: Any, objects: List[Any], different: Dict[int, Rebuilt]) -> None:
    """Give the nodes of the changed stages new parameters. Stages and nodes come in one order; when they do not, nothing is done."""
    nodes = {node.name: node for node in graph.node}
    found: Dict[str, List[Any]] = {}
    for node in in_order(nodes, next(node for node in graph.node if node.op == "_Retval")):
        if node.op in OPERATIONS:
            found.setdefault(OPERATIONS[node.op][0], []).append(node)
    known: Dict[str, List[int]] = {}
    for position, one in enumerate(objects):
        operation = stage_table.known(class_of(one)).operation
        if operation in OPERATIONS:
            known.setdefault(OPERATIONS[operation][0], []).append(position)
    for kind, positions in known.items():
        if len(positions) != len(found.get(kind, ())):
            raise Unfit("its graph has other stages than it shows")
        for position, node in zip(positions, found[kind]):
            if position in different:
                give(graph, node, different[position])


def in_order(nodes: Dict[str, Any], last: Any) -> List[Any]:
    """Nodes after everything that they take, as ``walk`` lists stages."""
    ordered: List[Any] = []
    seen = {last.name}

    def visit(node: Any) -> None:
        for name in node.input:
            source = nodes.get(name.lstrip("^").partition(":")[0])
            if source is not None and source.name not in seen:
                seen.add(source.name)
                visit(source)
        ordered.append(node)

    visit(last)
    return ordered


def give(graph: Any, node: Any, wanted: Rebuilt) -> None:
    """New parameters for one node, each in a constant of its own."""
    values = {"size": wanted.size, "calls": wanted.calls}
    if wanted.lean:
        values.update({"lean": 1, "lean too": 1})
    for parameter, at in OPERATIONS[node.op][1].items():
        value = values.get(parameter)
        if value is None:
            continue
        constant = graph.node.add()
        constant.name = f"outlive/{len(graph.node)}"
        constant.op = "Const"
        tf = library()
        constant.attr["dtype"].type = tf.int64.as_datatype_enum
        constant.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, tf.int64, []))
        node.input[at % len(node.input)] = constant.name


def carried_bytes(dataset: Any) -> int:
    """Count the bytes that the graph of a stage would copy."""
    tensors = list(parameter_or(dataset, "tensors", ()))
    for wrapper in functions_in(dataset):
        tensors.extend(wrapper.function.captured_inputs)
    return sum(
        int(tensor.shape.num_elements() or 0) * int(tensor.dtype.size or 0) for tensor in tensors
    )
