"""Fit one dataset to the memory there is: look at its stages, decide, build again what must be different, say so."""

from __future__ import annotations

import os

from . import datasets
from .cache_files import Spill, is_complete
from .cardinality import count_at_most
from .element_sampling import Sampler
from .fit import Change, Fit, fit, paths_to_the_end
from .heap import Heap
from .rebuild_by_graph import Unfit, rebuild_whole
from .rebuild_stage import Rebuilt, can_rebuild, rebuild
from .stage import AUTOTUNE, Stage, bytes_at_most, tuned
from .tf_private import class_of, library, parameter

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Set, Tuple

    Place = Optional[Tuple[str, int]]

#: Of what is left of the memory, for a pipeline: the model, its activations and the pieces between blocks need the rest.
SHARE = 0.6


class NotReached(Exception):
    """A dataset that cannot be bounded, and why. It is left as it was."""


class Bounder:
    """Fits datasets, and remembers what it said."""

    def __init__(
        self,
        tell: Callable[[str], None],
        place_of: Callable[[Any], Place],
        spill: Spill,
        cpus: int,
        quota: Optional[int],
    ) -> None:
        self._tell = tell
        self._place_of = place_of
        self._spill = spill
        self._cpus = cpus
        self._quota = quota  #: processors that a cgroup allows, where that is fewer than there are
        self._told: Set[Any] = set()  #: the lines and parameters that were spoken of
        self._users: Dict[
            str, List[Any]
        ] = {}  #: weak references to what reads or writes a cache file
        self._heap = Heap()

    def bound(self, dataset: Any, budget: int) -> Tuple[Any, int]:
        """Make a dataset that fits into this many bytes, with the same elements in the same order but for the window of a shuffle; also return what it may hold."""
        objects, stages = datasets.walk(dataset)
        Sampler().weigh(objects, stages)
        count_at_most(objects, stages)
        self._heap.make_room(stages, budget, self._cpus)
        for stage, one in zip(stages, objects):
            stage.place = self._place_of(one) or datasets.line_of(one)
        for stage, one in zip(stages, objects):
            datasets.settle(one, stage)
        spills = all(can_rebuild(one) for one in objects if datasets.inputs_of(one))
        fitted = fit(stages, budget, self._cpus, self._spill.room() if spills else None)
        last = self._built(objects, stages, fitted)
        self._say(stages, fitted, budget)
        root = self._with_budgets(last, fitted)
        return root, fitted.total_bytes + (fitted.ram_budget if any(map(tuned, stages)) else 0)

    def _built(self, objects: List[Any], stages: List[Stage], fitted: Fit) -> Any:
        different = {change.position: self._different(change) for change in fitted.changes}
        for position, paths in enumerate(paths_to_the_end(stages)):
            file = self._taken(objects[position], paths)
            if file is not None:
                different[position] = Rebuilt()
                different[position].file = file
        moved = set(different)
        for position, stage in enumerate(stages):
            if moved & set(stage.sources) or datasets.rests_on_replaced(objects[position]):
                moved.add(position)
        unknown = [position for position in moved if not can_rebuild(objects[position])]
        if not unknown:
            new = list(objects)
            for position in sorted(moved):
                inputs = [new[source] for source in stages[position].sources]
                new[position] = rebuild(objects[position], inputs, different.get(position, SAME))
            return new[-1]
        try:
            return rebuild_whole(objects, different)
        except Unfit as error:
            title = stages[unknown[0]].title
            raise NotReached(f"{title} is not a known stage, and {error}") from error

    def _different(self, change: Change) -> Rebuilt:
        wanted = Rebuilt()
        if change.parameter == "disk":
            wanted.file = self._spill.new_file()
        elif change.parameter == "lean":
            wanted.lean = True
        else:
            setattr(wanted, change.parameter, change.after)
        return wanted

    def _taken(self, dataset: Any, paths: int) -> Optional[str]:
        """A new name for a cache of ours that another iterator is still writing: two at once is an error to TensorFlow.

        The empty name, which is memory, where one iterator would read it on several paths.
        """
        file = file_of_cache(dataset)
        if not self._spill.owns(file) or is_complete(file):
            return None
        if paths > 1:
            return ""
        users = [user for user in self._users.get(file, ()) if user() is not None]
        return self._spill.new_file() if users else None

    def writes_files(self, dataset: Any) -> bool:
        """Whether one of its caches went to a file of ours."""
        return any(self._spill.owns(file_of_cache(one)) for one in datasets.walk(dataset)[0])

    def once_more(self, dataset: Any) -> Any:
        """What the program has built on a dataset of ours, for one reading: nothing is decided anew, but a cache may need another file."""
        objects, stages = datasets.walk(dataset)
        root = datasets.copy_of(self._built(objects, stages, Fit()))
        self.note_use(dataset, root)
        return root

    def note_use(self, dataset: Any, root: Any) -> None:
        """One iterator reads the root that was made of a dataset, and nobody else does."""
        import weakref

        for one in datasets.walk(dataset)[0]:
            if file_of_cache(one):
                self._users.setdefault(file_of_cache(one), []).append(weakref.ref(root))

    def _with_budgets(self, dataset: Any, fitted: Fit) -> Any:
        """TensorFlow's own tuning believes in the memory and the processors of the whole machine: tell it the truth."""
        given = dataset.options().autotune
        options = library().data.Options()
        if given.ram_budget is None:
            options.autotune.ram_budget = fitted.ram_budget
        if given.cpu_budget is None and self._quota is not None:
            options.autotune.cpu_budget = self._quota
        if getattr(given, "initial_parallelism", 0) is None:
            options.autotune.initial_parallelism = fitted.initial_parallelism
        return dataset.with_options(options)

    def _say(self, stages: List[Stage], fitted: Fit, budget: int) -> None:
        for change in fitted.changes:
            stage = stages[change.position]
            known = (stage.place, stage.title, change.position, change.parameter)
            if stage.place is None or known not in self._told:
                self._told.add(known)  # a pipeline that is built anew each time
                self._tell(in_words(stages, change, self._cpus))
        for position, why in fitted.left_out:
            self._tell(f"{where(stages[position])} is unchanged: {why}.")
        if fitted.total_bytes > budget and not all(stage.settled for stage in stages):
            self._tell(
                f"the pipeline needs at least {size(fitted.total_bytes)}, but only {size(budget)} are available: "
                "smaller batches or smaller elements would help."
            )


SAME = Rebuilt()


def file_of_cache(dataset: Any) -> str:
    """The file that a stage caches to; empty for a cache in memory, and for every other stage."""
    if class_of(dataset) != "CacheDataset":
        return ""
    return os.fsdecode(parameter(dataset, "filename").numpy())


def in_words(stages: List[Stage], change: Change, cpus: int) -> str:
    """One change, for the author of the program."""
    stage = stages[change.position]
    if change.parameter == "disk":
        if change.after < 0:
            return f"{where(stage)}: cached to a file (its size is not known in advance)."
        return f"{where(stage)}: cached to a file ({size(change.after)} do not fit in memory)."
    if change.parameter == "lean":
        return f"{where(stage)}: reads ahead as little as possible."
    if change.after == AUTOTUNE:
        return f"{where(stage)}: holds what its memory budget allows instead of {change.before} elements of unknown size."
    wanted = bytes_at_most(stages, change.position, cpus)
    before = "everything" if change.before is None or change.before < 0 else change.before
    would = f" ({before} would need {size(wanted)})" if wanted is not None else ""
    if stage.kind == "shuffle":
        words = f"{where(stage)}: buffer reduced from {before} to {many(change.after)}{would}"
        return words + other_elements(stages, change.position) + "."
    if stage.kind == "map":
        return f"{where(stage)}: parallel calls reduced from {before} to {change.after}{would}."
    return f"{where(stage)}: buffer reduced from {before} to {many(change.after)}{would}."


def other_elements(stages: List[Stage], position: int) -> str:
    """Where a part of what was mixed is taken, another order gives another part: said, since a twin that is not bounded takes the old one."""
    reached = {position}
    for later, stage in enumerate(stages):
        if reached & set(stage.sources):
            reached.add(later)
            if stage.title in CHOOSING:
                return f"; `{stage.title}` after it then selects other elements, so bound every pipeline that uses it"
    return ""


#: Stages that give some of their elements by where they stand.
CHOOSING = ("take", "skip", "shard")


def many(count: int, thing: str = "element") -> str:
    """``1 element``, ``2 elements``."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def where(stage: Stage) -> str:
    """A stage as its author would point at it."""
    if stage.place is None:
        return f"{stage.title}"
    return f"{stage.title} at {os.path.basename(stage.place[0])}:{stage.place[1]}"


def size(count: int) -> str:
    """Bytes as people say them."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
