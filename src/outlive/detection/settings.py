"""What `outlive detect` was asked to do, checked before anything is started."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from outlive.data.addresses import Copy, fetched_folder, is_address
from outlive.data.scan.labels import read_label_map
from outlive.detection.images.draw_boxes import FOLDER_NAME
from outlive.detection.results import FORMATS
from outlive.errors import OutliveError, UsageError, did_you_mean_path
from outlive.jobs.executor import TaskName
from outlive.jobs.fingerprint import fingerprint
from outlive.model.quick_dataclass import dataclass
from outlive.recorder.store import run_folders

LITERT_EXTENSION = ".tflite"
MODEL_EXTENSIONS = (LITERT_EXTENSION, ".keras", ".h5", ".hdf5")

#: TensorFlow alone takes more than this before it does anything.
LEAST_BYTES_OF_TENSORFLOW = 250_000_000


#: By every worker, before it is forked.
ALWAYS_IMPORTED = (
    "numpy",
    "PIL.Image",
    "PIL.JpegImagePlugin",
    "PIL.PngImagePlugin",
    "outlive.detection.task",
    "outlive.jobs.worker",
)


class PackageMissing(OutliveError):
    """Something that this needs is not installed."""


@dataclass(frozen=True, slots=True)
class Settings:
    """A model, and how it is run."""

    model: str
    runtime: str = "auto"
    min_score: float = 0.3
    batch: int = 32
    budget: int | None = None
    deadline: float | None = None  #: a usual one, and more for a worker that computes
    max_side: int | None = None
    pixels: str = "0..255"
    labels: Mapping[int, str] = field(default_factory=dict)
    format: str = "parquet"
    tile: int | None = None
    every: int = 1  #: frame of a video
    draw: bool = False

    @property
    def is_light(self) -> bool:
        """Whether it runs without TensorFlow."""
        return self.runtime == "litert"

    @property
    def least_bytes(self) -> int:
        """Below this no worker can be started."""
        return 0 if self.is_light else LEAST_BYTES_OF_TENSORFLOW

    def checked(self) -> Settings:
        """Itself, with its model on this machine, when all of it exists; otherwise an error that says what does not."""
        if is_address(self.model):
            return replace(self, model=fetched_folder(self.model, models_folder())).checked()
        if not os.path.exists(self.model):
            what = "Give the folder of a SavedModel, a .keras file or a .tflite file."
            hint = did_you_mean_path(self.model, what)
            raise UsageError(f"There is no model at {self.model}.", hint)
        if os.path.isdir(self.model) and not _is_saved_model(self.model):
            raise UsageError(
                f"{self.model} is not a SavedModel: the folder has no saved_model.pb.",
                "Export a checkpoint first: exporter_main_v2.py, or model.export(…).",
            )
        if os.path.isfile(self.model) and not self.model.endswith(MODEL_EXTENSIONS):
            raise UsageError(
                f"{self.model} is not a known model format.",
                "Give the folder of a SavedModel, a .keras file or a .tflite file.",
            )
        if self.format not in FORMATS:
            raise UsageError(
                f"There is no format {self.format!r}.", f"One of {', '.join(FORMATS)}."
            )
        _need("PIL", "Pillow", "pip install 'outlive[detect]'")
        if self.is_light:
            need_litert()
        else:
            _need("tensorflow", "TensorFlow", "pip install tensorflow-cpu")
        return self

    def task(self, out: str | None = None) -> TaskName:
        """What the worker does; annotated copies go below ``out``."""
        drawn = os.path.join(os.path.abspath(out), FOLDER_NAME) if self.draw and out else None
        light = ("ai_edge_litert.interpreter", "outlive.detection.models.litert_runtime")
        heavy = ("tensorflow", "outlive.detection.models.tensorflow_runtime")
        return TaskName(
            "outlive.detection.task:make",
            {
                "model": os.path.abspath(self.model),
                "runtime": self.runtime,
                "min_score": self.min_score,
                "max_side": self.max_side,
                "pixels": self.pixels,
                "tile": self.tile,
                "draw": drawn,
                "labels": dict(self.labels),
            },
            (*(light if self.is_light else heavy), *ALWAYS_IMPORTED),
        )

    def identity(self) -> dict[str, Any]:
        """What results depend on: a job that is resumed must have the same."""
        return {
            "model": fingerprint(self.model),
            "runtime": self.runtime,
            "minimum score": self.min_score,
            "largest side": self.max_side,
            "pixels": self.pixels,
            "tile": self.tile,
        }


def label_names(path: str | None) -> Mapping[int, str]:
    """One name for each number."""
    if path is None:
        return {}
    if is_address(path):
        copy = Copy(path)
        try:
            return label_names(copy.path)
        finally:
            copy.close()
    return {
        number: min(names, key=lambda name: (name.startswith("/"), name), default="")
        for number, names in read_label_map(path).items()
    }


def models_folder() -> str:
    """Where models that were fetched are kept."""
    return os.path.join(run_folders.home(), "models")


def need_litert() -> None:
    """The light runtime is an extra."""
    _need("ai_edge_litert", "LiteRT", "pip install 'outlive[litert]'")


def _is_saved_model(folder: str) -> bool:
    names = ("saved_model.pb", "saved_model.pbtxt")
    return any(os.path.isfile(os.path.join(folder, name)) for name in names)


def _need(module: str, name: str, help: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise PackageMissing(f"`outlive detect` needs {name}, which is not installed.", help)
