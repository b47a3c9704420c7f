"""The tf.data pipeline that an exception came out of: its stages with their lines, and the files it reads.

TensorFlow's error comes from a thread of its own and names a node at best. The pipeline's Python objects are still alive in the
frames of the exception, and know their inputs (see ``tf_private``): whatever a version does not have is left out.
No operation is run.
"""

from __future__ import annotations

from ..memory.census import locals_of
from ..notes.describe import masked
from ..notes.tf_private import (
    class_of,
    dataset_of,
    file_names_in,
    inputs_of,
    tensors_in,
    wrapped_by,
)
from ..start.clock import Clock

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, List, Optional

    from ..notes.pipelines import Pipelines

MAX_STAGES = 40
MAX_FILES = 400
#: Text tensors can only be read whole.
MAX_FILES_READ = 20_000
MAX_PIPELINES = 8


def pipeline_in(
    passed: List[Any], own: List[Any], known: Pipelines, deadline: float
) -> Optional[Dict[str, Any]]:
    """The pipeline that the frames of an exception lead to: an iterator on its way, else a data set that the user's code holds."""
    if not known.any_built:
        return None
    try:
        roots: List[Any] = []
        for frame in passed:
            roots += datasets_among(own_self(frame))
        for frame in own:
            roots += datasets_among(locals_of(frame).values())
        roots += known.last_built()
        return _told(_once(roots)[:MAX_PIPELINES], known, deadline)
    except Exception:
        return None  # another TensorFlow


def own_self(frame: Any) -> List[Any]:
    """The object whose method a frame is, without a look at its other names."""
    code = frame.f_code
    if not code.co_varnames or code.co_varnames[0] not in ("self", "iterator", "dataset"):
        return []
    found = locals_of(frame).get(code.co_varnames[0])
    return [found] if found is not None else []


def datasets_among(values: Iterable[Any]) -> List[Any]:
    """The data sets among some values; of an iterator, the one it goes through."""
    found = []
    for value in list(values):
        if any(kind.__name__ == "DatasetV2" for kind in type(value).__mro__):
            found.append(value)
        elif class_of(value) in ("OwnedIterator", "NumpyIterator"):
            dataset = dataset_of(value)
            if dataset is not None:
                found.append(dataset)
    return found


def _once(values: List[Any]) -> List[Any]:
    found: Dict[int, Any] = {}
    for value in values:
        found.setdefault(id(value), value)
    return list(found.values())


def _told(roots: List[Any], known: Pipelines, deadline: float) -> Optional[Dict[str, Any]]:
    """The first that can be told; one that names files is better."""
    best: Optional[Dict[str, Any]] = None
    for root in roots:
        if Clock.perf_counter() > deadline or (best is not None and best["files"]):
            break
        stages = stages_of(root)
        files = files_of(stages)
        if best is None or files:
            built = [
                {"kind": name_of(stage), "frames": known.frames_of_stage(stage)} for stage in stages
            ]
            best = {"stages": built, "files": files}
    return best


def name_of(stage: Any) -> str:
    """The class of a stage, without what TensorFlow's versions put around it."""
    return class_of(stage).replace("DatasetV2", "").replace("Dataset", "")


def stages_of(root: Any) -> List[Any]:
    """A pipeline from its end to its sources."""
    found: List[Any] = []
    waiting = [root]
    while waiting and len(found) < MAX_STAGES:
        stage = waiting.pop(0)
        if all(stage is not seen for seen in found):
            found.append(stage)
            inner = wrapped_by(stage)
            waiting += inputs_of(stage) or ([inner] if inner is not None else [])
    return found


def files_of(stages: List[Any]) -> List[str]:
    """The names that the sources hold, as far as they can be read at once."""
    found: List[str] = []
    for stage in stages:
        for source in [*tensors_in(stage), file_names_in(stage)]:
            if type(source).__name__ != "EagerTensor" or source.dtype.name != "string":
                continue
            count = source.shape.num_elements()
            if not count or count > MAX_FILES_READ or source.shape.rank > 1:
                continue
            for name in list(source.numpy().reshape(-1))[: MAX_FILES - len(found)]:
                text = name.decode("utf-8", "replace")
                if 1 < len(text) <= 300 and ("/" in text or "." in text) and "\n" not in text:
                    found.append(text)
    if not found:
        return []
    return masked("\n".join(found)).split("\n")
