"""A file that is read and is not there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

READERS = {
    "builtins.open": 0, "numpy.load": 0, "numpy.loadtxt": 0, "numpy.genfromtxt": 0, "pandas.read_csv": 0, "cv2.imread": 0, "PIL.Image.open": 0,
    "keras.models.load_model": 0, "keras.saving.load_model": 0, "tf.io.read_file": 0, "tf.saved_model.load": 0, "keras.utils.load_img": 0,
    "keras.preprocessing.image.load_img": 0,
}  # fmt: skip
#: Who has one of these may make the file, fetch it, go to another folder, or has asked whether it is there.
MAKING = (
    "chdir", "urlretrieve", "get_file", "requests.", "urlopen", "download", "wget", "curl", "subprocess", "os.system", "extractall", "unzip",
    "shutil", "exists(", "isfile(", "is_file(", ".save(", "to_csv", "imwrite", "savez", "np.save", "write", "dump(", "!", "%cd", "kaggle", "\"w",
    "'w", "save_weights", "makedirs", "mkdir", "drive.mount", "tempfile", "argparse", "tfds",
)  # fmt: skip


@rule(
    "R688",
    since="0.2",
    needs=(
        "open",
        "load",
        "read",
        "imread",
    ),
    prevents=("missing-file",),
)
def file_not_there(source: Source) -> Iterator[Finding]:
    """A program reads a file by a written name, and there is no such file beside the program or in the working folder.

    ## Why it is bad
    The line ends with `FileNotFoundError` or `NotFoundError`, or, in OpenCV, gives None. Nothing is said where the program itself may make or fetch the file, and
    the finding is a possible one: the file may be on the machine that runs the program.

    ## Bad
        model = keras.models.load_model("model_of_yesterday.keras")

    ## Good
        if os.path.exists("model_of_yesterday.keras"):
            model = keras.models.load_model("model_of_yesterday.keras")
    """
    if any(word in source.text for word in MAKING) or (
        source.cells is not None and source.cells.magics
    ):
        return
    for name, place in READERS.items():
        for call in source.calls(name):
            given = source.argument(
                call, place, "filepath", "filename", "file", "path", "filepath_or_buffer"
            )
            path = given.value if isinstance(given, ast.Constant) else None
            mode = source.argument(call, 1, "mode") if name == "builtins.open" else None
            writes = mode is not None and not (
                isinstance(mode, ast.Constant) and str(mode.value).startswith("r")
            )
            if (
                not isinstance(path, str)
                or writes
                or source.is_caught(call)
                or sum(source.text.count(f"{it}{path}{it}") for it in "\"'")
                > 1  # another line may make it
                or not source.is_missing(path)
            ):
                continue
            yield Finding(
                f"There is no file {path!r} here.",
                confidence=Confidence.POSSIBLE,
                remedies=(
                    Remedy(
                        "Check the name, or make the path from where the program is: pathlib.Path(__file__).parent / name."
                    ),
                ),
                where=source.place(call),
            )
