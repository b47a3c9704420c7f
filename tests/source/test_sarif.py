"""`outlive lint --format sarif`: valid by SARIF's own schema, and its columns count what it says they count."""

from __future__ import annotations

import json
import pickletools
import re
import sqlite3
from importlib.metadata import distribution
from typing import Any

import pytest

from conftest import Outlive
from tests.source.test_source import notebook

TITLE = "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"
PLAIN = 'x = ""; photos = tf.data.Dataset.range(10).batch(64).prefetch(64)'
WORDS = ["plain", "é" * 8, "日本語", "\N{SNAKE}\N{FLEXED BICEPS}\N{EMOJI MODIFIER FITZPATRICK TYPE-6}", "e\N{COMBINING ACUTE ACCENT}"]  # fmt: skip


@pytest.fixture(scope="session")
def schema() -> Any:
    """SARIF's schema as the SchemaStore has it: the package `schemastore` carries its answers, pickled, in a SQLite file."""
    cache = distribution("schemastore").locate_file("schemastore/cache.sqlite")
    with sqlite3.connect(f"file:{cache}?mode=ro&immutable=1", uri=True) as database:
        kept = [row[0] for row in database.execute("SELECT value FROM responses")]
    database.close()
    return next(it for data in kept if TITLE.encode() in data for it in _schemas(data))


def _schemas(pickled: bytes) -> list[Any]:
    """What stands in a pickle as bytes and is the schema; nothing of the pickle is run."""
    texts = [value for _, value, _ in pickletools.genops(pickled) if isinstance(value, bytes)]
    found = [json.loads(text) for text in texts if TITLE.encode() in text]
    return [it for it in found if it.get("title") == TITLE]


def faults(schema: Any, log: Any) -> list[str]:
    from jsonschema import Draft7Validator  # takes seconds, which every worker would pay

    return [f"{error.json_path}: {error.message}" for error in Draft7Validator(schema).iter_errors(log)]  # fmt: skip


def fixed(text: str, replacements: list[Any]) -> str:
    """As a reader of SARIF does it that believes `columnKind: unicodeCodePoints`."""
    lines = re.findall(r".*?(?:\r\n|\n|\r)|.+", text, re.DOTALL)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines))]

    def place(line: int, column: int) -> int:
        return starts[line - 1] + column - 1

    for it in sorted(replacements, key=lambda it: place(it["deletedRegion"]["startLine"], it["deletedRegion"]["startColumn"]), reverse=True):  # fmt: skip
        region = it["deletedRegion"]
        begin = place(region["startLine"], region["startColumn"])
        end = place(region["endLine"], region["endColumn"])
        text = text[:begin] + it["insertedContent"]["text"] + text[end:]
    return text


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_fix_behind_any_letters_changes_what_lint_itself_would_change(
    outlive: Outlive, schema: Any, word: str, end: str
) -> None:
    path = outlive.folder / f"{word}.py"
    text = end.join(["import tensorflow as tf", PLAIN.replace('""', f'"{word}"'), ""])
    path.write_bytes(text.encode())

    log = json.loads(outlive("lint", "--format", "sarif", path.name).stdout)
    outlive("lint", "--fix", path.name)

    assert [] == faults(schema, log)
    (result,) = log["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    line = text.split(end)[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 :].startswith("prefetch(64)")
    (change,) = result["fixes"][0]["artifactChanges"]
    assert fixed(text, change["replacements"]) == path.read_bytes().decode()
    assert "prefetch(tf.data.AUTOTUNE)" in path.read_text()


def test_lines_end_in_sarif_where_they_end_for_python(outlive: Outlive, schema: Any) -> None:
    text = f"import tensorflow as tf\r# é\u2028\x0c\r{PLAIN}\n"
    (outlive.folder / "old.py").write_bytes(text.encode())

    log = json.loads(outlive("lint", "--format", "sarif", "old.py").stdout)

    assert [] == faults(schema, log)
    assert {"\r\n", "\n", "\r"} == set(log["runs"][0]["newlineSequences"])
    change = log["runs"][0]["results"][0]["fixes"][0]["artifactChanges"][0]
    assert text.replace("prefetch(64)", "prefetch(tf.data.AUTOTUNE)") == fixed(text, change["replacements"])  # fmt: skip


def test_another_encoding_than_utf_8_counts_letters_all_the_same(outlive: Outlive) -> None:
    line = PLAIN.replace('""', '"éééééééé"')
    text = f"# coding: latin-1\nimport tensorflow as tf\n{line}\n"
    (outlive.folder / "latin.py").write_bytes(text.encode("latin-1"))

    log = json.loads(outlive("lint", "--format", "sarif", "latin.py").stdout)

    change = log["runs"][0]["results"][0]["fixes"][0]["artifactChanges"][0]
    assert "prefetch(tf.data.AUTOTUNE)" in fixed(text, change["replacements"])


def test_whatever_lint_meets_its_log_is_valid(outlive: Outlive, schema: Any) -> None:
    word = "\N{SNAKE}é"
    bad = f'import tensorflow as tf\nx = "{word}"; a = tf.data.Dataset.range(9).batch(2).prefetch(64)\n'  # fmt: skip
    (outlive.folder / f"{word} 1%.py").write_text(bad)
    (outlive.folder / "broken.py").write_text(
        f"import tensorflow as tf\nx = = prefetch('{word}')\n"
    )
    (outlive.folder / "nul.py").write_bytes(b"import tensorflow\n\0")
    (outlive.folder / "book.ipynb").write_text(notebook(bad, f"%%bash\n{word}"))

    log = json.loads(outlive("lint", "--format", "sarif", "--confidence", "possible", ".").stdout)

    assert [] == faults(schema, log)
    uris = [it["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for it in log["runs"][0]["results"]]  # fmt: skip
    assert ["%F0%9F%90%8D%C3%A9%201%25.py", "book.ipynb"] == sorted(uris)
    assert log["runs"][0]["invocations"][0]["toolExecutionNotifications"]


def test_nothing_found_is_a_valid_log_and_the_schema_refuses_a_wrong_one(
    outlive: Outlive, schema: Any
) -> None:
    (outlive.folder / "good.py").write_text("import tensorflow as tf\n")

    log = json.loads(outlive("lint", "--format", "sarif", ".").stdout)

    assert [] == faults(schema, log)
    assert faults(schema, {**log, "version": "2.0"})
    log["runs"][0]["columnKind"] = "utf8Bytes"
    assert faults(schema, log)
