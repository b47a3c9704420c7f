"""The page about a run: complete, self-contained, and deaf to whatever the program's texts try."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from conftest import Outlive
from outlive.coroner.notebook_kernels import record_about
from outlive.inside.notes.format import Log
from outlive.inside.notes.masking import mask_text
from outlive.model.crash import NativeFrame, Site
from outlive.model.events import (
    Cell,
    ChildDeath,
    Crash,
    Group,
    Moment,
    Program,
    Received,
    Sample,
    Stack,
    Thrown,
)
from outlive.model.evidence import (
    Children,
    Errors,
    Evidence,
    Memory,
    MemoryGrowth,
    NativeCrash,
    Notebook,
    Pipelines,
    Run,
    Signals,
)
from outlive.model.findings import Ending, EndingKind, Fact, Place, RuledOut, Verdict
from outlive.model.memory import Holder, Stage
from outlive.model.memory_looks import Ledger, Looks, WideArray
from outlive.report.html_page import page
from outlive.report.masked_story import for_strangers
from outlive.report.share import Stranger
from outlive.report.story import Story
from outlive.report.threads import merged, threads_of
from outlive.source.rewrite import Rewriting, Row
from tests.report.test_report import PRIVATE, VERDICT

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'><!--\x1b[31m\u202e"
NEWLINE_IN_A_NAME = "a\nb.py"


class Parsed(HTMLParser):
    """The tags of a page, and its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self._within = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._within = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within == "script":
            self.scripts[-1] += data
        elif self._within != "style":
            self.text += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def story_with(text: str) -> Story:
    """A run in which every text that can come from a program is this one."""
    place = Place(text, 3, text, text)
    stack = Stack(text, (place, replace(place, own=False)), 1.0, pid=7)
    finding = replace(
        VERDICT.findings[0],
        says=text,
        where=place,
        because=(Fact(text, text, text),),
        remedies=(replace(VERDICT.findings[0].remedies[0], text=text, commands=(text,)),),
    )
    return Story(
        replace(VERDICT, run=text, findings=(finding, finding), gaps={text: text}),
        Evidence(
            Run(
                Ending(EndingKind.SIGNAL, "SIGKILL", detail=text),
                Program((text,), text, 7, text, own_pids=frozenset({7})),
                {text: Fact(text, text, text)},
                {text: text},
                samples=(Sample(0.5, 100, 200, 300), Sample(1.0, 400, 500, 600, limit_bytes=700)),
                stacks=(stack,),
                log=text,
            ),
            crash=NativeCrash(report=Crash(text, (stack,), pid=7)),
            signals=Signals(
                received=(
                    Received(
                        "SIGKILL",
                        9,
                        text,
                        pid=7,
                        thread=text,
                        site=Site((NativeFrame(text, 1, text),)),
                    ),
                )
            ),
            growth=MemoryGrowth(
                holders={
                    7: (Holder(text, text, 3, 1000, text, scope=text, feeds=place, made=place),)
                }
            ),
            pipelines=Pipelines(stages=(Stage("shuffle", place, 5, element_bytes=9, pid=7),)),
        ),
        (Moment(0.5, place, 300),),
        [(3, text)],
        (RuledOut("a-cause", text, text, text),),
        text,
        Rewriting(0, text, (Row("-", 3, text), Row("+", 3, text))),
    )


@pytest.mark.parametrize("text", [HOSTILE, NEWLINE_IN_A_NAME, "\ud800", "&lt;b&gt;", ""])
def test_no_text_of_the_program_becomes_markup(text: str) -> None:
    plain, parsed = Parsed(page(story_with("x"))), Parsed(page(story_with(text)))

    assert len(plain.scripts) == len(parsed.scripts) == 3
    assert not parsed.named("img")
    assert not [name for _, attrs in parsed.tags for name in attrs if name.startswith("on")]
    assert {tag for tag, _ in parsed.tags} <= {tag for tag, _ in plain.tags}


def test_a_hostile_text_is_shown_as_it_is() -> None:
    text = page(story_with(HOSTILE))

    assert "<img src=x onerror=alert(2)>" in Parsed(text).text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_the_policy_names_the_scripts_that_may_run_and_allows_no_request() -> None:
    parsed = Parsed(page(story_with("x")))
    policy = next(attrs["content"] or "" for attrs in parsed.named("meta") if "http-equiv" in attrs)

    for script in parsed.scripts[1:]:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    links = [
        attrs.get(name) for _, attrs in parsed.tags for name in ("src", "href") if name in attrs
    ]
    assert all(link and link.startswith("#") for link in links)


def test_every_part_has_a_heading_and_every_table_a_caption() -> None:
    parsed = Parsed(page(story_with("x")))
    headings = [attrs["id"] for attrs in parsed.named("h2")]

    assert headings == ["where", "fix", "because", "memory", "held", "also", "stacks", "words", "ruled", "environment", "facts"]  # fmt: skip
    assert [attrs["aria-labelledby"] for attrs in parsed.named("section")] == headings
    assert len(parsed.named("caption")) == len(parsed.named("table"))
    assert len(parsed.named("h1")) == 1


def test_the_curve_has_what_ran_and_its_limit_only_in_sight() -> None:
    story = story_with("x")
    near = json.loads(Parsed(page(story)).scripts[0])
    far = replace(
        story,
        evidence=replace(
            story.evidence,
            run=replace(story.evidence.run, samples=(Sample(1.0, 1, 1, 600, limit_bytes=9000),)),
        ),
    )

    assert near["limit"] == [None, 700]
    assert near["running"] == [[0.5, "x:3  x"]]
    assert [label for _, label in near["marks"]] == ["last stack"]
    assert json.loads(Parsed(page(far)).scripts[0])["limit"] == [None]


def test_the_machine_and_the_address_space_are_limits_too() -> None:
    story = story_with("x")
    sample = Sample(1.0, 1, 5000, 600, available_bytes=900)
    limit = {"address space limit": Fact("address space limit", 6000, "limits")}
    free = replace(story.evidence, run=replace(story.evidence.run, samples=(sample,)))
    known = json.loads(
        Parsed(
            page(replace(story, evidence=replace(free, run=replace(free.run, facts=limit))))
        ).scripts[0]
    )
    plain = json.loads(Parsed(page(replace(story, evidence=free))).scripts[0])

    assert ([1500], [5000], [6000]) == (known["machine"], known["space"], known["space_limit"])
    assert ([1500], [None], [None]) == (plain["machine"], plain["space"], plain["space_limit"])


def test_a_page_for_strangers_tells_nothing_private() -> None:
    private = "/home/alice/work/a.py on build-host-7"
    story = story_with(private)
    known = (
        RuledOut("a-cause", "A headline.", "A trace.", "/home/alice/x"),
    )  # texts of the manual
    unseen = replace(
        story.evidence,
        errors=Errors(thrown=(Thrown(private, private, thread=private, file=private),)),
        children=Children(deaths=(ChildDeath(9, None, 1, private, at=2.0),)),
        notebook=Notebook(cells=(Cell(1, private),)),
        memory=Memory(groups=(Group(private, 2, 1, 2, 3, 4, 5, 6, 7),)),
    )
    story = replace(story, verdict=PRIVATE, ruled_out=known, evidence=unseen)
    masked = for_strangers(story, Stranger(mask_text, ["alice", "build-host-7"]))

    for text in (page(masked), repr(masked)):  # also what the page does not show today
        assert "alice" not in text
        assert "build-host-7" not in text
        assert "/home" not in text


def test_a_run_that_went_well_has_a_short_page() -> None:
    ending = Ending(EndingKind.SUCCESS, None, 0, detail="finished after 1.0 s")
    text = page(Story(Verdict("r", ending), Evidence(Run(ending))))

    assert "Nothing is wrong." in text
    assert [attrs["id"] for attrs in Parsed(text).named("h2")] == ["facts"]


FAILS = """
import time

def work():
    kept = []
    for i in range(20):
        kept.append(bytearray(1_000_000))
        time.sleep(0.02)
    raise ValueError("<b>bold</b>")

work()
"""


@pytest.fixture
def failed(outlive: Outlive, tmp_path: Path) -> Path:
    (tmp_path / "fails.py").write_text(FAILS)
    assert outlive("run", "fails.py", cwd=tmp_path).status == 1
    return tmp_path


def test_why_writes_a_page_of_a_real_run(outlive: Outlive, failed: Path) -> None:
    done = outlive("why", "--html", "page.html", cwd=failed)
    parsed = Parsed((failed / "page.html").read_text())

    assert (1, "") == (done.status, done.stdout)
    assert "page.html" in done.stderr
    assert "<b>bold</b>" in parsed.text
    assert "→" not in parsed.text and 'raise ValueError("<b>bold</b>")' in parsed.text
    curve = json.loads(parsed.scripts[0])
    assert curve["at"] and any("fails.py" in line for _, line in curve["running"])
    assert (failed / "page.html").stat().st_mode & 0o077 == 0


def test_a_page_can_go_to_stdout(outlive: Outlive, failed: Path) -> None:
    done = outlive("why", "--html", "-", "--share", cwd=failed)

    assert done.status == 1
    assert done.stdout.startswith("<!doctype html>")
    assert str(failed) not in done.stdout


def test_a_page_that_cannot_be_written_is_an_error_with_a_word(
    outlive: Outlive, failed: Path
) -> None:
    done = outlive("why", "--html", "no/such/folder/page.html", cwd=failed)

    assert done.status == 3
    assert "Cannot write no/such/folder/page.html" in done.stderr


def native(function: str, library: str = "libx.so") -> NativeFrame:
    return NativeFrame(f"/lib/{library}", 16, function)


LOOP = native("_PyEval_EvalFrameDefault", "libpython3.so")
PYTHON = (Place("inner.py", 1, "inner"), Place("outer.py", 2, "outer"))


def test_native_frames_stand_above_the_python_frame_that_called_them() -> None:
    stack = (native("crash"), native("call"), LOOP, native("between"), LOOP, native("main"))

    frames, beneath = merged(PYTHON, stack, (3, 10))
    assert [str(frame) for frame in frames] == [
        "crash (libx.so)", "call (libx.so)", "inner.py:1", "between (libx.so)", "outer.py:2", "main (libx.so)",
    ]  # fmt: skip
    assert beneath == ()

    frames, beneath = merged(PYTHON, stack, (3, 11))
    assert [str(frame) for frame in frames] == [
        "crash (libx.so)", "call (libx.so)", "inner.py:1", "outer.py:2",
    ]  # fmt: skip
    assert [frame.function for frame in beneath] == ["between", "main"]


def crashed(**changed: Any) -> Evidence:
    stack = Stack("0x1", (Place("/usr/lib/python3.11/ctypes.py", 4, "call", own=False), *PYTHON))
    site = Site((native("crash"), LOOP), counter=1)
    return Evidence(
        Run(
            Ending(EndingKind.SIGNAL, "SIGSEGV"),
            Program(pid=7, python="3.11.7", own_pids=frozenset({7})),
            stacks=(replace(stack, thread="main", main=True),),
        ),
        signals=Signals(
            received=(Received("SIGSEGV", pid=7, site=site, thread="worker-1", at=3.0),)
        ),
        crash=NativeCrash(report=replace(Crash("Segmentation fault", (stack,), pid=7), **changed)),
    )


def test_the_programs_own_lines_come_first_and_the_whole_stack_is_one() -> None:
    (thread,) = threads_of(crashed())

    assert thread.name == "the crashing thread (worker-1)"
    assert thread.own == PYTHON
    assert [type(frame).__name__ for frame in thread.frames] == ["NativeFrame", "Place", "Place", "Place"]  # fmt: skip
    text = Parsed(page(Story(VERDICT, crashed()))).text
    assert text.index("inner.py:1") < text.index("crash (libx.so)")


def test_a_thread_that_python_does_not_know_is_shown_by_itself() -> None:
    native_thread, waiting = threads_of(crashed(crashing_is_python=False))

    assert native_thread.own == () and len(native_thread.frames) == 2
    assert waiting.own == PYTHON


def test_the_moments_that_matter_are_marked() -> None:
    brake = Thrown("outlive.MemoryBrake", "", at=1.5, bases=("BaseException",))
    crash = crashed()
    samples = tuple(
        Sample(at, 1, 1, 1, used_bytes=used, limit_bytes=100) for at, used in ((1.0, 94), (2.0, 96))
    )
    facts = {"run time": Fact("run time", 4.0, "clock")}
    evidence = replace(
        crash,
        run=replace(crash.run, samples=samples, facts=facts),
        errors=Errors(thrown=(brake,)),
        children=Children(deaths=(ChildDeath(9, "SIGKILL", None, at=2.5),)),
    )

    assert Story(VERDICT, evidence).marks == [
        (1.5, "brake"), (2.0, "limit reached"), (2.5, "process 9 dies"), (3.0, "SIGSEGV arrives"), (4.0, "death"),
    ]  # fmt: skip


def test_a_brake_that_the_program_lived_on_after_is_marked_by_its_note() -> None:
    brake = Thrown("outlive.MemoryBrake", "", at=1.5, bases=("BaseException",))

    assert (1.5, "brake") in Story(
        VERDICT, replace(crashed(), errors=Errors(thrown=(brake,)))
    ).marks
    marks = Story(
        VERDICT,
        replace(
            crashed(),
            errors=Errors(thrown=(brake,)),
            memory=Memory(brakes=(0.5, 1.4)),
        ),
    ).marks
    assert [at for at, label in marks if label == "brake"] == [0.5, 1.4]


def test_containers_tensors_and_native_memory_are_told_together() -> None:
    looks = Looks(
        ledgers=(Ledger(900, 1000, 500, 800, 40),),
        arrays=(WideArray("x", "float64", "(9,)", 72, "uint8", 36, "its twin"),),
    )
    evidence = replace(
        crashed(),
        growth=replace(
            crashed().growth,
            looks={7: looks},
            holders={7: (Holder("album", "list", 3, 600),), 8: (Holder("rest", "dict", 3, 100),)},
        ),
        pipelines=replace(
            crashed().pipelines, stages=(Stage("shuffle", None, 5, element_bytes=60),)
        ),
    )

    assert [(held.what, held.bytes) for held in Story(VERDICT, evidence).held] == [
        ("tf.data shuffle", 5 * (60 + 150)), ("native heap", 800), ("list album", 600), ("tensors", 500),
        ("dict rest", 100), ("array x", 72), ("native heap, free", 40),
    ]  # fmt: skip
    assert Story(VERDICT, evidence).held[4].detail.endswith("in process 8")


def test_the_changed_line_is_shown_masked_to_strangers() -> None:
    rows = (Row("-", 3, "open('/home/alice/a/b')"), Row("+", 3, "open('/home/alice/a/c')"))
    story = replace(
        story_with("x"), verdict=VERDICT, rewriting=Rewriting(0, "/home/alice/t.py", rows)
    )

    assert "open('/home/alice/a/c')" in Parsed(page(story)).text
    masked = page(for_strangers(story, Stranger(mask_text, ["alice"])))
    assert "alice" not in masked and "…/c" in masked


def test_what_ran_when_is_read_from_the_kernel_that_the_verdict_is_about(tmp_path: Path) -> None:
    kernel = tmp_path / "kernel-9"
    kernel.mkdir()
    log = Log(str(kernel / "supervisor.log"))
    log.append({"kind": "run", "pid": 9, "time": 1.0})
    log.close()
    outer = [{"kind": "run", "pid": 7}]
    ending = Ending(EndingKind.EXIT, exit_code=1)

    def rings_of(pid: int) -> str | None:
        evidence = Evidence(Run(ending, Program(pid=pid, own_pids=frozenset({pid}))))
        return record_about(evidence, outer, str(tmp_path))[1]

    assert str(kernel / "rings") == rings_of(9)
    assert str(tmp_path) == rings_of(7)
