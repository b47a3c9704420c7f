"""`outlive run --bound`: fit every pipeline that the program reads to the memory there is, without a change of its code.

Loaded into the program only where it was asked for. Every way of reading a dataset goes through one method of TensorFlow's
(``_apply_debug_options``), which gives the dataset that is really read; loops inside ``tf.function`` and ``tf.distribute`` build their own
stages on top first and are met where they begin. Whatever fails here leaves the program's dataset as it was.
"""

from __future__ import annotations

import _thread
import os
from _weakref import ref

from ..notes.describe import in_short
from .readers import where_handed_over
from .tf_private import DATASETS, has_eager_handle, read_by, read_with, wrap_reading

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple

#: The attribute of a dataset that was made here.
ROOT = "_outlive_root"

#: The attribute of one that was given to the program, has a cache in a file of ours, and may have stages of the program's on it.
LASTING = "_outlive_lasting"

#: The attribute of what is read instead of a dataset that the program has built on such a one.
FOLLOWED = "_outlive_followed"


class InAFunction:
    """A method of datasets that is another one for those that are built inside a ``tf.function``; outside, no traceback shows it."""

    def __init__(self, real: Any, other: Any) -> None:
        self._real = real
        self._other = other

    def __get__(self, dataset: Any, kind: Any = None) -> Any:
        if dataset is None:
            return self._real
        eager = has_eager_handle(dataset)
        return (self._real if eager else self._other).__get__(dataset, kind)


class Switch:
    """The places where datasets are met, and what is done with them there."""

    def __init__(
        self,
        say: Callable[[str], None],
        place_of: Callable[[Any], Optional[Tuple[str, int]]],
        folders: List[str],
    ) -> None:
        self._say = say
        self._place_of = place_of
        self._folders = folders  #: where a cache may go
        self._bounder: Any = None
        self._claims: List[Tuple[Any, int]] = []  #: what those that are being read may hold
        self._idle_room = 0  #: when none was
        self._lock = _thread.allocate_lock()
        self._within = 0  #: the thread that is at it: what it reads meanwhile is ours
        self._said: Dict[str, bool] = {}
        self._follows = False  #: what is built on datasets that were given back

    def after_import(self) -> Dict[str, Callable[[Any], None]]:
        """The modules to wrap when they are imported."""
        wraps = where_read(self.bounded)

        def wrap_datasets(module: Any) -> None:
            wraps[DATASETS](module)
            self._wrap_building(module)

        return {**wraps, DATASETS: wrap_datasets}

    def _wrap_building(self, module: Any) -> None:
        """Inside a ``tf.function`` a pipeline is built and read in one: there nothing can be decided later."""
        for name, parameter in (("shuffle", 1), ("prefetch", 1), ("map", 2)):
            real = vars(module.DatasetV2)[name]
            setattr(module.DatasetV2, name, self._building(real, name, parameter))

    def _building(self, real: Any, name: str, parameter: int) -> Any:
        title = ("buffer_size", "num_parallel_calls")[parameter - 1]

        def build(dataset: Any, *args: Any, **kwargs: Any) -> Any:
            words = list(args)
            try:
                if len(words) >= parameter:
                    words[parameter - 1] = self._clamped(dataset, name, words[parameter - 1])
                elif title in kwargs:
                    kwargs[title] = self._clamped(dataset, name, kwargs[title])
            except Exception:
                words = list(args)
            return real(dataset, *words, **kwargs)

        return InAFunction(real, build)

    def _clamped(self, dataset: Any, name: str, given: Any) -> Any:
        """A parameter that fits by itself, as far as the shapes tell."""
        from ..notes.element_size import spec_bytes
        from .bound import SHARE
        from .room import room_for_pipelines

        if type(given) is not int or given <= 1:
            return given

        element = spec_bytes(dataset.element_spec)
        most = int(SHARE * room_for_pipelines()) // element if element else given
        if most >= given:
            return given
        self._once(
            f"{name} in a tf.function: buffer reduced from {given} to {max(1, most)} elements."
        )
        return max(1, most)

    def lasting(self, dataset: Any, budget: Optional[int]) -> Any:
        """For ``outlive.bound``: a dataset that its owner reads as often as he likes, also twice at the same time."""
        root = self.bounded(dataset, budget, lasting=True)
        if root is dataset:
            return root
        real, itself = read_by(root), ref(root)

        def apply_debug_options() -> Any:
            """For one reading: a cache on a disk that another one is still writing needs a file of its own."""
            once = self.bounded(dataset, budget)
            return real(itself() if once is dataset else once)

        read_with(root, apply_debug_options)
        return root

    def _follow(self) -> None:
        """From now on, meet what is built on a dataset that was given back: each reader that still writes a cache needs a file of its own."""
        if not self._follows:
            import sys

            self._follows = True
            for name, wrap in where_read(self._followed).items():
                if name in sys.modules:
                    wrap(sys.modules[name])

    def _followed(self, dataset: Any) -> Any:
        from .datasets import all_eager, is_bare, rests_on
        from .tf_private import library

        if self._within == _thread.get_ident() or LASTING in vars(dataset):
            return dataset  # the root itself knows what to do
        if is_bare(dataset) or not rests_on(dataset, LASTING) or rests_on(dataset, FOLLOWED):
            return dataset
        if not all_eager(dataset):
            return dataset
        with self._lock:
            self._within = _thread.get_ident()
            try:
                if not self._bounder.writes_files(dataset):
                    return dataset  # somebody else's
                with library().init_scope():
                    root = self._bounder.once_more(dataset)
                vars(root)[FOLLOWED] = True
                return root
            except Exception as error:
                self._once(f"a pipeline is unchanged ({in_short(error)}).")
                return dataset
            finally:
                self._within = 0

    def bounded(self, dataset: Any, budget: Optional[int] = None, lasting: bool = False) -> Any:
        """The dataset that is read instead of this one, once; itself, if anything is in the way. Without a budget, for what there is."""
        if self._within == _thread.get_ident():
            return dataset
        with self._lock:
            self._within = _thread.get_ident()
            try:
                return self._fitted(dataset, budget, lasting)
            except Exception as error:
                self._once(f"a pipeline is unchanged ({in_short(error)}).")
                return dataset
            finally:
                self._within = 0

    def _fitted(self, dataset: Any, budget: Optional[int], lasting: bool) -> Any:
        from .bound import SHARE, NotReached
        from .datasets import all_eager, handed_in, is_bare, is_settled, rests_on
        from .heap import hand_back
        from .room import room_for_pipelines
        from .tf_private import library

        if is_bare(dataset) or rests_on(dataset, ROOT):
            return dataset  # met before: on it a loop or a strategy has built stages of its own
        if not all_eager(dataset):
            if handed_in(dataset):
                return dataset  # met where it was handed in
            raise NotReached(
                "it was built inside a tf.function, where only shuffle, prefetch and map with known shapes can be bounded"
            )
        with library().init_scope():
            if self._bounder is None:
                self._bounder = self._make_bounder()
            if budget is None:
                if not is_settled(dataset):
                    if self._living_claims():
                        import gc

                        gc.collect()  # a loop in a tf.function is part of a circle, and outlives its use
                    hand_back()  # what pipelines before this one have left
                budget = int(SHARE * self._room(room_for_pipelines()))
            root, claim = self._bounder.bound(dataset, budget)
            if not lasting:
                self._bounder.note_use(dataset, root)
                self._claims = [*self._living_claims(), (ref(root), claim)]
        vars(root)[ROOT] = True
        if lasting and self._bounder.writes_files(root):
            vars(root)[LASTING] = True
            self._follow()
        return root

    def _room(self, now: int) -> int:
        """Count the bytes that no other running pipeline will still take: buffers fill only after a while."""
        self._claims = self._living_claims()
        if not self._claims:
            self._idle_room = now
        return max(0, min(now, self._idle_room - sum(claim for _, claim in self._claims)))

    def _living_claims(self) -> List[Tuple[Any, int]]:
        return [(root, claim) for root, claim in self._claims if root() is not None]

    def _make_bounder(self) -> Any:
        from .bound import Bounder
        from .cache_files import Spill
        from .room import processors

        cpus, quota = processors()
        return Bounder(self._once, self._place_of, Spill(self._folders), cpus, quota)

    def _once(self, text: str) -> None:
        if text not in self._said and len(self._said) < 100:
            self._said[text] = True
            self._say(text)


def where_read(met: Callable[[Any], Any]) -> Dict[str, Callable[[Any], None]]:
    """What to do after which module has been imported, so that everyone who reads a dataset, or is handed one, gets ``met(dataset)``."""
    handed_over = where_handed_over(met)

    def wrap_datasets(module: Any) -> None:
        def wrapper(real: Any) -> Any:
            def apply_debug_options(dataset: Any) -> Any:
                return met(real(dataset))

            return apply_debug_options

        wrap_reading(module, wrapper)
        handed_over[DATASETS](module)

    return {**handed_over, DATASETS: wrap_datasets}


def say_on_stderr(text: str) -> None:
    """Past whatever the program has made of ``sys.stderr``."""
    try:
        os.write(2, f"outlive: {text}\n".encode("utf-8", "replace"))
    except OSError:
        pass
