"""One walk through the parts of a JPEG, for all who ask: how large it is, whether it is whole, where its pixels begin."""

from __future__ import annotations

import ast
import io
from pathlib import Path

import pytest
from PIL import Image

import outlive
from outlive.data.formats.file_faults import fault_of, picture_in
from outlive.data.formats.image_headers import size_in
from outlive.data.scan.pictures import check_bytes

SOURCE = Path(outlive.__file__).parent


def jpeg() -> bytes:
    written = io.BytesIO()
    Image.effect_noise((40, 30), 60).convert("RGB").save(written, "JPEG")
    return written.getvalue()


def with_fill_bytes(data: bytes) -> bytes:
    """The same picture with fill bytes before the quantization tables and the scan, as B.1.1.2 of the standard allows."""
    scan, tables = data.index(b"\xff\xda"), data.index(b"\xff\xdb")
    return data[:tables] + b"\xff" + data[tables:scan] + b"\xff" * 7 + data[scan:]


def with_marks_without_a_length(data: bytes) -> bytes:
    """The same picture with a restart mark, which has no length, before its tables: Pillow and libjpeg read it all the same."""
    tables = data.index(b"\xff\xdb")
    return data[:tables] + b"\xff\xd0" + data[tables:]


@pytest.mark.parametrize("change", [bytes, with_fill_bytes, with_marks_without_a_length])
def test_a_whole_jpeg_is_whole_and_of_one_size_for_everybody(tmp_path: Path, change: object) -> None:  # fmt: skip
    data = change(jpeg())  # type: ignore[operator]
    path = tmp_path / "a.jpg"
    path.write_bytes(data)

    assert (40, 30, 3) == size_in(data)
    found = picture_in(str(path))
    assert found is not None and (40, 30, 3, "RGB") == (found.width, found.height, found.channels, found.words)  # fmt: skip
    assert "" == fault_of(str(path))
    assert () == tuple(check_bytes("a.jpg", data, None).flaws)


def test_a_cut_jpeg_is_cut_for_everybody(tmp_path: Path) -> None:
    data = with_fill_bytes(jpeg())[:-200]
    path = tmp_path / "a.jpg"
    path.write_bytes(data)

    assert "is truncated" in fault_of(str(path))
    assert check_bytes("a.jpg", data, None).flaws


def test_only_one_module_knows_the_markers_of_a_jpeg() -> None:
    """The mark of a scan, 0xDA, as a number: who compares with it walks."""
    walkers = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if path.stem != "instructions"  # of processors
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value in (0xDA, 0xC4)
    }

    assert {"data/formats/image_headers.py"} == walkers


def test_only_one_module_knows_how_pictures_begin_and_what_they_are_made_of() -> None:
    signs = (b"PNG", b"GIF8", b"WEBP", b"VP8", b"IEND", b"ftyp", b"II*", b"\xff\xd8", b"\xff\xd9")
    knowing = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, bytes)
        if any(sign in node.value for sign in signs)
    }

    assert {"data/formats/image_headers.py"} == knowing
