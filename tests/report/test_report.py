"""The verdict as JSON, on a screen and for strangers: exact keys, nothing obeyed, nothing told that is private."""

from __future__ import annotations

import io
import json
import os
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from rich.cells import cell_len
from rich.console import Console

from conftest import Outlive
from made_verdicts import UNSAFE, verdicts
from outlive.errors import RecordUnreadable
from outlive.inside.notes.masking import mask_text
from outlive.model.findings import (
    Confidence,
    EndedBy,
    Ending,
    EndingKind,
    Fact,
    Finding,
    Place,
    Remedy,
    UnitFailure,
    Verdict,
)
from outlive.model.verdict_json import SCHEMA, from_json, to_data, to_json
from outlive.report.share import Stranger
from outlive.report.terminal import console_on, names_to_hide
from outlive.report.text import render, said

PLACE = Place("train.py", 16, "main", "album.append(thumbnail(i))")
FINDING = Finding(
    "A list kept every image.",
    (Fact("peak memory", 1_500_000_000, "getrusage"), Fact("sent by", "77 bash", "siginfo", private=True)),
    Confidence.PROVEN,
    (Remedy("Keep fewer.", ("outlive run train.py",), safe=True),),
    PLACE,
    EndedBy.KERNEL_OOM,
    slug="kept-in-container",
)  # fmt: skip
ENDING = Ending(
    EndingKind.SIGNAL, "SIGKILL", None, EndedBy.KERNEL_OOM, "ended by SIGKILL after 3.0 s"
)
VERDICT = Verdict(
    "20260101-120000-aaaa",
    ENDING,
    (FINDING, Finding("Its limit was reached.", slug="memory-limit-reached", confidence=Confidence.LIKELY)),
    {"kernel log": "could not be read"},
    (UnitFailure("graph-grows", "KeyError: 'x'"),),
)  # fmt: skip

#: As DESIGN.md writes them.
KEYS = {
    "": ["schema", "run", "ending", "cause", "also", "gaps"],
    "ending": ["kind", "signal", "exit_code", "by", "detail"],
    "cause": ["slug", "confidence", "says", "where", "because", "remedies"],
    "where": ["file", "line", "function", "code"],
    "because": ["name", "value", "source"],
    "remedies": ["text", "commands", "safe"],
}


def test_the_json_has_the_keys_of_the_contract_and_no_others() -> None:
    data = json.loads(to_json(VERDICT))

    assert KEYS[""] == list(data)
    assert KEYS["ending"] == list(data["ending"])
    assert KEYS["cause"] == list(data["cause"]) == list(data["also"][0])
    assert KEYS["where"] == list(data["cause"]["where"])
    assert KEYS["because"] == list(data["cause"]["because"][0])
    assert KEYS["remedies"] == list(data["cause"]["remedies"][0])


def test_the_json_has_the_words_of_the_contract() -> None:
    data = json.loads(to_json(VERDICT))

    assert "outlive.verdict/1" == data["schema"]
    assert ("signal", "SIGKILL", None, "kernel-oom") == tuple(data["ending"].values())[:4]
    assert ("kept-in-container", "proven") == (data["cause"]["slug"], data["cause"]["confidence"])
    assert "likely" == data["also"][0]["confidence"] and data["also"][0]["where"] is None
    assert {"signal", "exit", "exception", "hang", "success"} == {kind.value for kind in EndingKind}
    assert {"kernel-oom", "process", "itself", "unknown"} == {by.value for by in EndedBy}


def test_a_cause_that_broke_is_a_gap_in_the_json() -> None:
    assert {
        "kernel log": "could not be read",
        "cause that failed: graph-grows": "KeyError: 'x'",
    } == to_data(VERDICT)["gaps"]


def test_nothing_is_wrong_is_no_cause() -> None:
    data = to_data(Verdict("run", Ending(EndingKind.SUCCESS, exit_code=0)))

    assert (None, [], {}) == (data["cause"], data["also"], data["gaps"])


def test_a_verdict_comes_back_as_it_was_but_for_what_json_does_not_carry() -> None:
    told = replace(
        FINDING,
        because=tuple(replace(fact, private=False) for fact in FINDING.because),
        by=None,
    )

    assert replace(VERDICT, findings=(told, VERDICT.findings[1])) == from_json(to_json(VERDICT))


@given(verdicts)
def test_any_verdict_comes_back_from_its_json(verdict: Verdict) -> None:
    assert verdict == from_json(to_json(verdict))


def test_a_text_with_half_a_character_makes_json_that_any_reader_takes() -> None:
    odd = replace(VERDICT, run="caf\udce9")

    text = to_json(odd)

    text.encode("utf-8")
    assert odd.run == from_json(text).run


def test_a_verdict_cut_at_any_byte_is_refused() -> None:
    text = to_json(VERDICT)

    for cut in range(len(text)):
        with pytest.raises(RecordUnreadable):
            from_json(text[:cut])


def changed(*way: str | int, **values: object) -> str:
    """The sample verdict with fields set at a place deep in it; ``...`` removes one."""
    data: Any = to_data(VERDICT)
    here = data
    for step in way:
        here = here[step]
    for name, value in values.items():
        if value is ...:
            del here[name]
        else:
            here[name] = value
    return json.dumps(data)


WAYS = ((), ("ending",), ("cause",), ("cause", "where"), ("cause", "because", 0), ("cause", "remedies", 0), ("also", 0))  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_an_unknown_field_is_refused_wherever_it_stands(way: tuple[str | int, ...]) -> None:
    with pytest.raises(RecordUnreadable):
        from_json(changed(*way, news=1))


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_missing_field_is_refused_wherever_it_is_missing(way: tuple[str | int, ...]) -> None:
    here: Any = to_data(VERDICT)
    for step in way:
        here = here[step]

    for name in here:
        with pytest.raises(RecordUnreadable):
            from_json(changed(*way, **{name: ...}))


@pytest.mark.parametrize(
    ("way", "values"),
    [
        ((), {"schema": "outlive.verdict/2"}),
        ((), {"schema": None}),
        ((), {"run": 5}),
        ((), {"also": {}}),
        ((), {"gaps": []}),
        ((), {"gaps": {"a": 1}}),
        (("ending",), {"kind": "explosion"}),
        (("ending",), {"by": "aliens"}),
        (("ending",), {"exit_code": "1"}),
        (("ending",), {"signal": 9}),
        (("cause",), {"confidence": "certain"}),
        (("cause",), {"confidence": 3}),
        (("cause",), {"says": None}),
        (("cause",), {"because": "x"}),
        (("cause", "where"), {"line": "16"}),
        (("cause", "because", 0), {"value": [1]}),
        (("cause", "remedies", 0), {"safe": "no"}),
        (("cause", "remedies", 0), {"commands": [1]}),
        (("cause", "remedies", 0), {"commands": "rm -rf"}),
    ],
)
def test_an_unknown_word_or_type_is_refused(
    way: tuple[str | int, ...], values: dict[str, object]
) -> None:
    with pytest.raises(RecordUnreadable):
        from_json(changed(*way, **values))


@pytest.mark.parametrize("text", ["", "null", "[]", "5", '"x"', "{}", "[" * 100_000, "\x00"])
def test_what_is_no_verdict_is_refused(text: str) -> None:
    with pytest.raises(RecordUnreadable):
        from_json(text)


def screen(verdict: Verdict, width: int = 100, **around: Any) -> str:
    stream = io.StringIO()
    render(verdict, Console(file=stream, width=width, markup=False, emoji=False), **around)
    return stream.getvalue()


def test_the_screen_tells_how_why_where_what_to_do_and_because_of_what() -> None:
    text = screen(VERDICT, name="train.py")

    for words in (
        "outlive: train.py was killed after 3.0 s: out of memory (SIGKILL)",
        "A list kept every image.  [proven: kept-in-container]",
        "train.py:16 in main",
        "album.append(thumbnail(i))",
        "Keep fewer.",
        "outlive run train.py",
        "1.5 GB",
        "Its limit was reached.",
        "kernel log: could not be read",
        "Internal error: the check for graph-grows failed: KeyError: 'x'",
        "outlive explain kept-in-container",
        "outlive why 20260101-120000-aaaa --json",
    ):
        assert words in text


def test_the_screen_says_when_nothing_is_wrong_and_when_nobody_knows() -> None:
    well = Verdict("run", Ending(EndingKind.SUCCESS, exit_code=0, detail="finished after 3.0 s"))
    unknown = Verdict("run", ENDING, (), {"kernel log": "could not be read"})

    assert "Nothing is wrong." in screen(well)
    assert "Cause unknown" in screen(unknown)
    assert "kernel log" in screen(unknown)


LONG = "x" * 300
WIDE = "文字" * 120


@pytest.mark.parametrize("width", [100, 60])
@pytest.mark.parametrize("long", [LONG, WIDE, "word " * 80, "/a" * 200, "🔥" * 90])
def test_the_screen_keeps_to_its_columns(long: str, width: int) -> None:
    finding = replace(
        FINDING,
        says=long,
        where=Place(long, 3, long, long),
        because=(Fact("exception", long, long),),
        remedies=(Remedy(long, (long,)),),
    )
    verdict = Verdict("run", replace(ENDING, detail=long), (finding, finding), {"gap": long})

    text = screen(verdict, width)

    assert max(cell_len(line) for line in text.splitlines()) <= width


HOSTILE = {
    "colour": ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
    "title": ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
    "one byte": ("\x9b31m", r"\x9b31m"),
    "markup": ("[red]x[/red]", "[red]x[/red]"),
    "link": ("[link=file:///etc/passwd]x[/link]", "[link=file:///etc/passwd]x[/link]"),
    "emoji": (":skull:", ":skull:"),
    "new lines": ("a\nWhy  nothing\r\nb", r"a\nWhy  nothing\r\nb"),
    "other lines": ("a\u2028b\x85c\x0bd", r"a\u2028b\x85c\x0bd"),
    "right to left": ("gnp\u202egpj.exe\u2066", r"gnp\u202egpj.exe\u2066"),
    "half a character": ("caf\udce9", r"caf\udce9"),
    "erase": ("real\x08\x08\x08\x08fake", r"real\x08\x08\x08\x08fake"),
}


@pytest.mark.parametrize(("text", "shown"), HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize(
    "put",
    [
        lambda text: replace(VERDICT, findings=(replace(FINDING, says=text),)),
        lambda text: replace(VERDICT, findings=(replace(FINDING, where=Place(text, 1)),)),
        lambda text: replace(VERDICT, findings=(replace(FINDING, where=Place("a", 1, text)),)),
        lambda text: replace(VERDICT, findings=(replace(FINDING, where=Place("a", 1, "f", text)),)),
        lambda text: replace(VERDICT, findings=(replace(FINDING, because=(Fact("exception", text, "s"),)),)),
        lambda text: replace(VERDICT, findings=(replace(FINDING, because=(Fact("a", 1, text),)),)),
        lambda text: replace(VERDICT, findings=(replace(FINDING, remedies=(Remedy(text),)),)),
        lambda text: replace(VERDICT, findings=(replace(FINDING, remedies=(Remedy("a", (text,)),)),)),
        lambda text: replace(VERDICT, findings=(FINDING, replace(FINDING, says=text))),
        lambda text: replace(VERDICT, gaps={"stderr": text}),
        lambda text: replace(VERDICT, failures=(UnitFailure("a", text),)),
        lambda text: replace(VERDICT, ending=Ending(EndingKind.HANG, detail=text)),
        lambda text: replace(VERDICT, run=text),
    ],
    ids=["says", "file", "function", "code", "fact", "source", "remedy", "command", "also", "gap", "failure", "ending", "run"],
)  # fmt: skip
def test_a_hostile_text_is_shown_and_never_obeyed(put: Any, text: str, shown: str) -> None:
    told = screen(put(text), width=200)

    assert not UNSAFE.search(told)
    assert shown in told


def test_hostile_lines_around_the_place_are_shown_and_never_obeyed() -> None:
    told = screen(VERDICT, neighbours=lambda place: [(15, "x = '\x1b[2J'"), (16, "\u202ey")])

    assert r"x = '\x1b[2J'" in told
    assert not UNSAFE.search(told)


@given(verdicts)
def test_any_verdict_can_be_shown(verdict: Verdict) -> None:
    assert not UNSAFE.search(screen(verdict))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


COLOUR = re.compile(r"\x1b\[[\d;]*(?:3\d|9\d|4\d)[\d;]*m")


@pytest.fixture
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    return monkeypatch


def shown_on(stream: io.StringIO) -> str:
    render(VERDICT, console_on(stream))
    return stream.getvalue()


def test_a_terminal_gets_colours(plain_environment: pytest.MonkeyPatch) -> None:
    assert COLOUR.search(shown_on(Terminal()))


def test_a_pipe_gets_no_escapes(plain_environment: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in shown_on(io.StringIO())


def test_a_pipe_has_the_columns_of_an_issue(plain_environment: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()

    render(replace(VERDICT, gaps={"kernel log": "word " * 60}), console_on(stream))

    assert 90 < max(len(line) for line in stream.getvalue().splitlines()) <= 100


def test_a_terminal_gets_no_colours_with_no_color(plain_environment: pytest.MonkeyPatch) -> None:
    plain_environment.setenv("NO_COLOR", "1")

    assert not COLOUR.search(shown_on(Terminal()))


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("memory limit", 2_000_000_000, "2.0 GB"),
        ("peak memory", 123_456_789, "123 MB"),
        ("run time", 3.14159, "3.1 s"),
        ("processes", 3, "3"),
        ("memory limit", 5, "5 bytes"),
        ("exception", "x", "x"),
        ("finished", True, "True"),
        ("memory limit", None, "None"),
    ],
)
def test_a_value_is_said_as_a_person_reads_it(name: str, value: object, shown: str) -> None:
    assert shown == said(Fact(name, value, "x"))  # type: ignore[call-overload]


SECRET = "hunter2-very-secret"
PRIVATE = Verdict(
    "20260101-120000-aaaa",
    replace(ENDING, detail="ended in /home/alice/work by alice on build-host-7"),
    (
        Finding(
            "FileNotFoundError: '/home/alice/my photos/cat 1.jpg' and /srv/data/x.csv: no such file",
            (
                Fact("sent by", f"77 bash {SECRET}", "siginfo", private=True),
                Fact("exception", "cannot read /mnt/nfs/alice/x.h5, see file:///home/alice/a/b.log", "s"),
                Fact("memory limit", 5, "/sys/fs/cgroup/memory/user.slice/user-alice.slice"),
                Fact("last line seen", "/home/alice/work/train.py:12 in main", "stack"),
                Fact("url", "https://alice:pw@example.com/path", "stderr"),
            ),
            Confidence.PROVEN,
            (Remedy("Look at /home/alice/work/x.py.", ("cat /home/alice/work/x.py",)),),
            Place("/home/alice/work/train.py", 12, "main", 'open("/home/alice/my photos/cat 1.jpg")'),
            slug="uncaught-exception",
        ),
        Finding("Also /home/alice/again/y.", slug="exited-by-program"),
    ),
    {"stderr": "could not open /home/alice/err.txt"},
    (UnitFailure("a", "KeyError: '/home/alice/x/y'"),),
)  # fmt: skip


def test_what_is_shared_names_nobody_and_no_folder() -> None:
    verdict = Stranger(mask_text, ["alice", "build-host-7"]).verdict(PRIVATE)

    for text in (to_json(verdict), screen(verdict, 200)):
        assert SECRET not in text
        assert "alice" not in text
        assert "build-host-7" not in text
        assert not re.search(r"/(home|mnt|srv|sys|data)\b", text), text


def test_what_is_shared_still_says_what_a_helper_needs() -> None:
    verdict = Stranger(mask_text, ["alice", "build-host-7"]).verdict(PRIVATE)

    text = screen(verdict, 200)
    for words in (
        "cat 1.jpg",
        "x.csv",
        "train.py:12 in main",
        "FileNotFoundError",
        "x.h5",
        "https://",
    ):
        assert words in text
    assert PRIVATE.run == verdict.run
    assert [found.slug for found in PRIVATE.findings] == [found.slug for found in verdict.findings]


@pytest.mark.parametrize(
    "text",
    [
        "shape (64, 224, 224, 3) and/or dtype float32",
        "on /job:localhost/replica:0/task:0/device:CPU:0",
        "1/2 of the steps, 3.5 GB/s, models/resnet.h5",
        "https://example.com/docs/page",
        "./train.py and ../data/x.csv",
        "<string>:1",
    ],
)
def test_what_is_no_absolute_path_stays_readable_when_shared(text: str) -> None:
    verdict = Stranger(mask_text).verdict(replace(VERDICT, findings=(replace(FINDING, says=text),)))

    assert text == verdict.findings[0].says


def test_the_words_to_hide_are_the_user_and_the_host() -> None:
    assert os.uname().nodename in names_to_hide()


def test_a_stored_verdict_is_shared_without_its_private_facts(outlive: Outlive) -> None:
    script = outlive.script(
        "stop.py",
        "import os, subprocess, time\n"
        "def watched():\n"
        "    rows = dict(line.split(':\\t') for line in open('/proc/self/status') if 'SigCgt' in line)\n"
        "    return int(rows['SigCgt'], 16) >> 14 & 1\n"
        "while not watched(): time.sleep(0.01)\n"
        f"subprocess.run(['sh', '-c', 'kill -TERM $0; while kill -0 $0 2>/dev/null; do sleep 0.05; done', str(os.getpid()), '{SECRET}'])\n"
        "while True: pass\n",
    )
    outlive("run", "--quiet", str(script))
    told = outlive("why", "--json")

    share = outlive("why", "--share", "--json")

    assert 1 == told.status == share.status
    sent = [
        fact["value"]
        for fact in json.loads(told.stdout)["cause"]["because"]
        if fact["name"] == "sent by"
    ]
    assert sent and SECRET in sent[0], "the test needs a private fact"
    assert SECRET not in share.stdout
    assert str(outlive.folder) not in share.stdout
    assert SCHEMA == json.loads(share.stdout)["schema"]


@pytest.mark.parametrize(("slug", "hinted"), [("kept-in-container", True), ("preempted", False)])
def test_a_patch_is_hinted_at_where_a_fix_is_known(slug: str, hinted: bool) -> None:
    told = io.StringIO()
    render(replace(VERDICT, findings=(replace(FINDING, slug=slug),)), Console(file=told, width=80))

    assert hinted == ("outlive fix 20260101-120000-aaaa" in told.getvalue())
