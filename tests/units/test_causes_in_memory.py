"""Causes asked about evidence that is made in memory: the combinations that no victim can stage."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from made_evidence import MB, PID, UNITS, ask, evidence, group
from outlive.coroner.examine import decide
from outlive.model.crash import FaultAddress, Site
from outlive.model.events import (
    ChildDeath,
    Crash,
    OomLine,
    Origin,
    Program,
    Quit,
    Received,
    Sample,
    Sent,
    Stack,
    Thrown,
)
from outlive.model.findings import Confidence, EndedBy, Place
from outlive.model.memory import Growth
from outlive.model.memory_looks import Ledger, Looks

HERE = Place("train.py", 12, "main", "run()")
IN_TENSORFLOW = Place(
    "/v/site-packages/tensorflow/python/ops/gen_nn_ops.py", 5, "max_pool", own=False
)
CHECK = "F0000 00:00:1712345678.123 99 tensor_shape.cc:356] Check failed: size >= 0 (0 vs. -1)"


def sure(slug: str, view: object) -> str | None:
    found = ask(slug, view)  # type: ignore[arg-type]
    return found[0].confidence.name if found else None


def crash(*frames: Place) -> Crash:
    return Crash("Segmentation fault", (Stack("0x1", frames),))


def test_a_bare_kill_with_nothing_readable_accuses_nobody() -> None:
    verdict = decide("run", evidence("SIGKILL"), tuple(UNITS.values()))

    assert () == verdict.findings


def test_a_kill_that_the_program_sent_to_itself_is_its_own() -> None:
    view = evidence("SIGKILL", groups=(group(),), sent=(Sent("SIGKILL", PID, PID, (HERE,)),))

    (finding,) = ask("killed-by-process", view)

    assert (HERE, EndedBy.ITSELF) == (finding.where, finding.by)


def test_a_killer_is_not_the_kernel_when_the_cpu_limit_was_used_up() -> None:
    facts = {"cpu time limit, hard": 10, "cpu time": 10.0}

    view = evidence("SIGKILL", groups=(group(),), facts=facts)

    assert sure("killed-by-process", view) is None
    assert sure("cpu-time-limit", view) is not None


def test_scarce_memory_of_the_machine_hints_at_a_guard_in_user_space() -> None:
    facts = {"machine memory": 1000 * MB, "machine memory available": 50 * MB}

    (finding,) = ask("killed-by-process", evidence("SIGKILL", groups=(group(),), facts=facts))

    assert 2 == len(finding.remedies)


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGBUS", "SIGILL"])
def test_a_crash_in_tensorflows_call_is_likely_the_operations(name: str) -> None:
    view = evidence(name, report=crash(IN_TENSORFLOW, HERE))

    (finding,) = ask("native-op-crashed", view)

    assert ("LIKELY", HERE) == (finding.confidence.name, finding.where)
    assert "max_pool" in finding.says


@pytest.mark.parametrize(
    "view",
    [
        evidence("SIGSEGV", report=crash(HERE)),
        evidence("SIGSEGV"),
        evidence("SIGTERM", report=crash(IN_TENSORFLOW, HERE)),
        evidence(
            "SIGSEGV",
            report=crash(IN_TENSORFLOW, HERE),
            received=(Received("SIGSEGV", 99, "kill"),),
        ),
    ],
    ids=["own code", "no words", "another signal", "sent by a process"],
)
def test_a_crash_elsewhere_is_not_tensorflows(view: object) -> None:
    assert sure("native-op-crashed", view) is None


def test_a_failed_check_is_proven_by_the_abort_and_the_last_fatal_line() -> None:
    view = evidence("SIGABRT", log=f"hello\n{CHECK}\n")

    (finding,) = ask("tf-check-failed", view)

    assert "PROVEN" == finding.confidence.name
    assert "Check failed: size >= 0" in finding.says and "tensor_shape.cc:356" in finding.says


@pytest.mark.parametrize(
    "view",
    [
        evidence(0, log=CHECK),
        evidence("SIGSEGV", log=CHECK),
        evidence("SIGABRT", log="Aborted (core dumped)"),
        evidence("SIGABRT", log=CHECK.replace("F0000", "E0000")),
        evidence("SIGABRT", log=CHECK, quits=(Quit("os.abort", None, pid=PID),)),
    ],
    ids=["lived", "another signal", "no line", "no fatal line", "its own abort"],
)
def test_a_text_in_the_log_is_not_a_death(view: object) -> None:
    assert sure("tf-check-failed", view) is None


@pytest.mark.parametrize(
    ("asked", "mapped", "expected"),
    [
        ("Unable to allocate 3.00 GiB for an array with shape (1,) and data type u1", 2000, "PROVEN"),
        ("Unable to allocate 1.00 GiB for an array with shape (1,) and data type u1", 2000, None),
        ("Unable to allocate 9.00 TiB for an array with shape (1,) and data type u1", 2000, "LIKELY"),
        ("", 3900, "LIKELY"),
    ],
    ids=["does not fit", "fits", "fits nowhere", "size unknown"],
)  # fmt: skip
def test_the_limit_on_address_space_refused_what_did_not_fit(
    asked: str, mapped: int, expected: str | None
) -> None:
    thrown = Thrown("MemoryError", asked, (HERE,), pid=PID)
    samples = (Sample(1.0, 0, mapped * MB, 0),)

    view = evidence(
        1, thrown=(thrown,), samples=samples,
        facts={"address space limit": 4000 * MB, "machine memory": 64_000 * MB},
    )  # fmt: skip

    assert expected == sure("address-space-limit", view)
    assert "PROVEN" == sure("allocation-refused", view)


def test_without_a_limit_on_address_space_it_refused_nothing() -> None:
    view = evidence(1, thrown=(Thrown("MemoryError", "", (HERE,), pid=PID),))

    assert sure("address-space-limit", view) is None


WORKER = ChildDeath(PID + 5, "SIGKILL", None, "Process-1", started=HERE)
FAMILY = Program(pid=PID, own_pids=frozenset({PID}), family=frozenset({PID + 5}))
BROKEN = Thrown(
    "BrokenProcessPool", "terminated abruptly", origin=Origin.FUTURE, seen=True, pid=PID
)
NAMED = OomLine(PID + 5, whole_machine=False, group="/job")


@pytest.mark.parametrize(
    ("how", "known", "expected"),
    [
        (1, {"oom_lines": (NAMED,)}, "PROVEN"),
        (0, {"oom_lines": (NAMED,)}, "PROVEN"),
        (0, {"oom_lines": (NAMED,), "thrown": (BROKEN,)}, None),
        (0, {"oom_lines": (NAMED,), "thrown": (replace(BROKEN, seen=False),)}, "PROVEN"),
        ("SIGTERM", {"oom_lines": (NAMED,)}, "POSSIBLE"),
        (1, {"oom_lines": (replace(NAMED, pid=999),), "deaths": (WORKER,)}, None),
        (1, {"deaths": (WORKER,), "groups": (group(kills=(0, 1)),)}, "LIKELY"),
        (1, {"deaths": (WORKER,), "groups": (group(kills=(1, 1)),)}, None),
        (1, {"deaths": (replace(WORKER, asked=True),), "groups": (group(kills=(0, 1)),)}, None),
        (1, {"deaths": (replace(WORKER, signal="SIGSEGV"),), "groups": (group(kills=(0, 1)),)}, None),
        (
            1,
            {
                "deaths": (WORKER,),
                "groups": (group(kills=(0, 1)),),
                "sent": (Sent("SIGKILL", PID + 5, PID),),
            },
            None,
        ),
    ],
    ids=[
        "named", "named, parent well", "parent told and well", "parent never asked", "named, parent ended otherwise", "another named", "counted",
        "not counted", "asked by its parent", "another signal", "killed by its parent",
    ],
)  # fmt: skip
def test_a_worker_was_killed_for_memory_if_the_log_or_the_counter_says_so(
    how: str | int, known: dict[str, object], expected: str | None
) -> None:
    assert expected == sure("worker-out-of-memory", evidence(how, program=FAMILY, **known))


@pytest.mark.parametrize(
    ("name", "got", "slug"),
    [
        ("SIGALRM", None, "alarm-not-cancelled"),
        ("SIGALRM", Received("SIGALRM", None), "alarm-not-cancelled"),
        ("SIGALRM", Received("SIGALRM", 9, "kill"), "terminated-by-process"),
        ("SIGXCPU", None, "cpu-time-limit"),
        ("SIGXCPU", Received("SIGXCPU", None), "cpu-time-limit"),
        ("SIGXCPU", Received("SIGXCPU", 9, "kill"), "terminated-by-process"),
        ("SIGINT", Received("SIGINT", None), "interrupted"),
        ("SIGINT", Received("SIGINT", 9, "kill"), "interrupted"),
        ("SIGQUIT", Received("SIGQUIT", None), "interrupted"),
        ("SIGQUIT", Received("SIGQUIT", 9, "kill"), "terminated-by-process"),
        ("SIGHUP", Received("SIGHUP", None), "terminal-hung-up"),
        ("SIGHUP", Received("SIGHUP", 9, "kill"), "terminated-by-process"),
        ("SIGTERM", Received("SIGTERM", 9, "kill"), "terminated-by-process"),
        ("SIGTERM", None, "terminated-by-process"),
        ("SIGUSR1", None, "terminated-by-process"),
    ],
)
def test_one_cause_answers_for_a_signal_and_its_sender(
    name: str, got: Received | None, slug: str
) -> None:
    view = evidence(name, received=(got,) if got else ())

    verdict = decide("run", view, tuple(UNITS.values()))

    assert [slug] == [finding.slug for finding in verdict.findings]


def test_the_verdict_says_who_ended_the_program_when_a_cause_knows() -> None:
    view = evidence("SIGTERM", received=(Received("SIGTERM", 9, "kill"),))

    verdict = decide("run", view, tuple(UNITS.values()))

    assert EndedBy.PROCESS is verdict.ending.by


@pytest.mark.parametrize(
    ("how", "known", "slug"),
    [
        (3, {"quits": (Quit("sys.exit", 3, (HERE,), PID),)}, "exited-by-program"),
        (3, {"quits": (Quit("os._exit", 3, (HERE,), PID),)}, "exited-without-cleanup"),
        (3, {}, "exited-by-program"),
        (1, {"thrown": (Thrown("ValueError", "no", (HERE,), pid=PID),)}, "uncaught-exception"),
        (
            1,
            {"thrown": (Thrown("KeyboardInterrupt", "", (HERE,), pid=PID),)},
            "interrupted",
        ),
    ],
    ids=["exit", "_exit", "no python", "exception", "ctrl-c"],
)
def test_a_program_that_left_by_itself_is_told_by_how_it_left(
    how: int, known: dict[str, object], slug: str
) -> None:
    verdict = decide("run", evidence(how, **known), tuple(UNITS.values()))

    assert verdict.cause is not None
    assert slug == verdict.cause.slug


MISSING = Thrown("FileNotFoundError", "[Errno 2] No such file or directory: 'a.json'", (HERE,))
CAUGHT = replace(MISSING, left=True)
LEFT = Quit("sys.exit", 1, (HERE,), PID)
ELSEWHERE = replace(HERE, function="another", code="sys.exit(1)")


@pytest.mark.parametrize(
    ("quit", "shown", "slug"),
    [
        (replace(LEFT, handling=MISSING), (), "missing-file"),
        (replace(LEFT, handling=MISSING, frames=(ELSEWHERE, replace(HERE, code="fail(error)"))), (), "missing-file"),
        (replace(LEFT, handling=MISSING, frames=(ELSEWHERE, replace(HERE, code="data = build()"))), (), "exited-by-program"),
        (replace(LEFT, handling=MISSING, frames=(ELSEWHERE, ELSEWHERE, HERE)), (), "exited-by-program"),
        (LEFT, (CAUGHT,), "missing-file"),
        (LEFT, (MISSING,), "exited-by-program"),
        (replace(LEFT, frames=(replace(ELSEWHERE, code="sys.exit(main())"),)),
         (replace(CAUGHT, frames=(replace(HERE, function="main"),)),), "missing-file"),
        (LEFT, (CAUGHT, CAUGHT), "exited-by-program"),
        (replace(LEFT, frames=(ELSEWHERE,)), (CAUGHT,), "exited-by-program"),
        (replace(LEFT, call="os._exit", handling=MISSING), (), "exited-without-cleanup"),
    ],
    ids=["handled", "by a helper", "in other work", "deep in other work", "shown", "shown and went on", "returned", "one of many", "elsewhere", "_exit"],
)  # fmt: skip
def test_a_program_that_leaves_for_an_error_it_caught_is_told_by_that_error(
    quit: Quit, shown: tuple[Thrown, ...], slug: str
) -> None:
    verdict = decide("run", evidence(1, quits=(quit,), shown=shown), tuple(UNITS.values()))

    assert verdict.cause is not None
    assert slug == verdict.cause.slug
    assert "missing-file" != slug or Confidence.LIKELY is verdict.cause.confidence


@pytest.mark.parametrize(
    ("known", "found"),
    [({}, 0), ({"lost": (("a.csv", 12),)}, 1), ({"handling": MISSING}, 1), ({"threads": (Stack("T", (HERE,)),)}, 1)],
    ids=["nothing", "text", "error", "thread"],
)  # fmt: skip
def test_an_exit_without_cleanup_that_looks_like_success_is_told_when_it_cut_something_off(
    known: dict[str, object], found: int
) -> None:
    quit = Quit("os._exit", 0, (HERE,), PID, **known)  # type: ignore[arg-type]

    assert found == len(ask("exited-without-cleanup", evidence(0, quits=(quit,))))


def test_an_exception_with_an_empty_or_many_lined_message_makes_one_sentence() -> None:
    for message in ("", "  ", "first\nsecond\nthird", "\n\nlate"):
        view = evidence(1, thrown=(Thrown("pkg.Error", message, (HERE,), pid=PID),))

        (finding,) = ask("uncaught-exception", view)

        assert "\n" not in finding.says
        assert finding.says.strip()


ENDINGS = ["SIGKILL", "SIGTERM", "SIGSEGV", "SIGABRT", "SIGHUP", "SIGINT", "SIGXCPU", "SIGALRM", "SIGRTMIN", 0, 1, 3, 137, 255]  # fmt: skip
CLUES = {
    "thrown": (Thrown("MemoryError", "", (HERE,), pid=PID),),
    "received": (Received("SIGTERM", 9, "kill"), Received("SIGHUP", None)),
    "groups": (group(limit=100, used=100, kills=(0, 1), vanished=1),),
    "oom_lines": (OomLine(PID, False, "/job"),),
    "deaths": (WORKER,),
    "report": crash(IN_TENSORFLOW, HERE),
    "log": CHECK + "\nstd::bad_alloc",
    "quits": (Quit("sys.exit", 3, (HERE,), PID), Quit("os._exit", "x", (), PID)),
}


@pytest.mark.parametrize("how", ENDINGS)
@pytest.mark.parametrize("shell", [False, True])
def test_no_cause_breaks_on_any_pair_of_clues(how: str | int, shell: bool) -> None:
    for size in (0, 1, 2):
        for names in itertools.combinations(CLUES, size):
            view = evidence(how, shell=shell, **{name: CLUES[name] for name in names})

            verdict = decide("run", view, tuple(UNITS.values()))

            assert () == verdict.failures, names


@pytest.mark.parametrize("slug", sorted(UNITS))
def test_who_ended_well_with_no_clue_is_accused_by_nobody(slug: str) -> None:
    assert [] == ask(slug, evidence(0))


SLURM = Program(pid=PID, own_pids=frozenset({PID}), scheduler={"SLURM_JOB_ID": "4711"})
POD = Program(pid=PID, own_pids=frozenset({PID}), scheduler={"KUBERNETES_SERVICE_HOST": ""})
TIME_LIMIT = "slurmstepd: error: *** JOB 4711 ON node7 CANCELLED AT 2026-11-16T04:00:00 DUE TO TIME LIMIT ***"
PREEMPTION = "slurmstepd: error: *** STEP 4711.0 ON node7 CANCELLED AT 2026-11-16T04:00:00 DUE TO PREEMPTION ***"
BY_STEPD = Received("SIGTERM", 55, "slurmstepd: [4711.batch]", ancestors=("slurmd",))


@pytest.mark.parametrize(
    ("how", "known", "expected"),
    [
        ("SIGTERM", {"program": SLURM, "log": TIME_LIMIT}, "PROVEN"),
        ("SIGKILL", {"program": SLURM, "log": f"epoch 3\n{PREEMPTION}\n"}, "PROVEN"),
        ("SIGTERM", {"program": SLURM, "received": (BY_STEPD,)}, "LIKELY"),
        ("SIGKILL", {"program": SLURM, "received": (BY_STEPD,)}, "LIKELY"),
        ("SIGTERM", {"program": SLURM, "received": (Received("SIGTERM", 9, "kill"),)}, None),
        ("SIGTERM", {"program": SLURM}, None),
        ("SIGTERM", {"log": TIME_LIMIT}, None),
        ("SIGSEGV", {"program": SLURM, "log": TIME_LIMIT}, None),
        ("SIGTERM", {"received": (BY_STEPD,)}, None),
        ("SIGTERM", {"program": POD, "received": (Received("SIGTERM", 0),)}, "LIKELY"),
        ("SIGTERM", {"program": POD, "received": (Received("SIGTERM", 1, "/sbin/tini -- run"),)}, "LIKELY"),
        ("SIGTERM", {"program": POD, "received": (Received("SIGTERM", 30, "bash"),)}, None),
        ("SIGTERM", {"program": POD, "received": (Received("SIGTERM", PID, itself=True),)}, None),
        ("SIGTERM", {"received": (Received("SIGTERM", 0),)}, None),
        ("SIGTERM", {"received": (Received("SIGTERM", 1, "systemd-shutdown"),)}, "LIKELY"),
        (0, {"program": SLURM, "log": TIME_LIMIT}, None),
    ],
)  # fmt: skip
def test_a_scheduler_is_named_only_when_it_spoke_or_sent_the_signal_itself(
    how: str | int, known: dict[str, object], expected: str | None
) -> None:
    assert expected == sure("preempted", evidence(how, **known))


def at(**known: object) -> Received:
    """A fault of the program's own, with what its handler kept."""
    return Received("SIGBUS", pid=PID, site=Site(**known))  # type: ignore[arg-type]


SHARED = FaultAddress("file", 0x7000, file="/dev/shm/block", file_offset=8192, file_bytes=65536)


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (at(fault=SHARED, mount="/dev/shm", mount_bytes=64 * MB, mount_free_bytes=0), "PROVEN"),
        (at(fault=SHARED, mount="/dev/shm", mount_bytes=64 * MB, mount_free_bytes=4096), "LIKELY"),
        (at(fault=SHARED, mount="/dev/shm", mount_bytes=64 * MB, mount_free_bytes=9 * MB), None),
        (at(fault=SHARED, mount="/data"), None),
        (at(fault=replace(SHARED, file_bytes=100), mount="/dev/shm", mount_free_bytes=0), None),
        (at(mount="/dev/shm", mount_free_bytes=0), None),
    ],
)
def test_shared_memory_is_full_only_if_it_was_full_and_long_enough(
    got: Received, expected: str | None
) -> None:
    assert expected == sure("shared-memory-full", evidence("SIGBUS", received=(got,)))


MAPPED = FaultAddress("file", 0x7000, file="/data/rows.bin", file_offset=8192, file_bytes=100)


@pytest.mark.parametrize(
    ("fault", "room", "expected", "words"),
    [
        (MAPPED, None, "PROVEN", "was truncated to 100 bytes"),
        (replace(MAPPED, file_bytes=65536), None, "LIKELY", "it has 65.5 kB again"),
        (replace(MAPPED, file_bytes=None), None, "LIKELY", "it is gone now"),
        (replace(MAPPED, file_bytes=65536), 9 * MB, None, ""),
        (replace(MAPPED, kind="memory"), None, None, ""),
    ],
)
def test_a_mapped_file_was_shortened_though_it_has_been_written_anew_since(
    fault: FaultAddress, room: int | None, expected: str | None, words: str
) -> None:
    view = evidence("SIGBUS", received=(at(fault=fault, mount_free_bytes=room),))
    found = ask("mapped-file-truncated", view)

    assert ([expected] if expected else []) == [finding.confidence.name for finding in found]
    assert all(words in finding.says for finding in found)


def illegal(**known: object) -> Received:
    return Received("SIGILL", pid=PID, site=Site(**known))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("got", "expected", "words"),
    [
        (illegal(trap="ud2", code="0f0b"), "PROVEN", "with a trap"),
        (illegal(instruction_set="AVX2", lacking=True), "PROVEN", "does not have AVX2"),
        (illegal(instruction_set="AVX2", lacking=False), "LIKELY", "though the CPU lists AVX2"),
        (illegal(instruction_set="AVX2", lacking=None), "LIKELY", "not an instruction of this CPU"),
        (illegal(code="ffff"), "LIKELY", "not an instruction of this CPU"),
    ],
)
def test_an_illegal_instruction_is_told_with_what_is_known(
    got: Received, expected: str, words: str
) -> None:
    (finding,) = ask("illegal-instruction", evidence("SIGILL", received=(got,)))

    assert expected == finding.confidence.name
    assert words in finding.says


def overflow(**known: object) -> Received:
    fault = FaultAddress("stack-end", 0x7000, stack_bytes=known.pop("room"))  # type: ignore[arg-type]
    return Received("SIGSEGV", pid=PID, site=Site(fault=fault, **known))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("got", "slug"),
    [
        (overflow(room=65536, main_thread=False), "thread-stack-too-small"),
        (overflow(room=8 * MB, main_thread=False, thread_stack_bytes=131072), "thread-stack-too-small"),
        (overflow(room=8 * MB, main_thread=False), "stack-overflow"),
        (overflow(room=8 * MB, main_thread=True), "stack-overflow"),
        (overflow(room=65536, main_thread=True), "stack-overflow"),
    ],
)  # fmt: skip
def test_a_small_stack_is_told_from_a_large_one_that_was_used_up(got: Received, slug: str) -> None:
    verdict = decide("run", evidence("SIGSEGV", received=(got,)), tuple(UNITS.values()))

    assert verdict.cause is not None
    assert slug == verdict.cause.slug


def test_a_crash_is_at_the_exit_only_if_it_came_after_the_end() -> None:
    def verdict(at: float | None) -> str | None:
        ended = Program(pid=PID, own_pids=frozenset({PID}), finished=True, left_at=5.0)
        got = (Received("SIGSEGV", pid=PID, at=at),)
        return sure("crashed-at-exit", evidence("SIGSEGV", program=ended, received=got))

    assert "PROVEN" == verdict(5.1) == verdict(None)
    assert None is verdict(4.9)


def looked_at(*ledgers: tuple[int, int]) -> Looks:
    """Looks that found so many MB of a process's own, and so many of them free in the heap; the limit is 300 MB."""
    return Looks(
        ledgers=tuple(
            Ledger(own * MB, 300 * MB, heap_used_bytes=(own - free) * MB, heap_free_bytes=free * MB)
            for own, free in ledgers
        )
    )


@pytest.mark.parametrize(
    ("ledgers", "confidence"),
    [
        pytest.param([(150, 10), (200, 120), (280, 190)], "PROVEN", id="what is used falls"),
        pytest.param([(150, 110), (200, 158), (280, 235)], "PROVEN", id="what is used stays"),
        pytest.param([(150, 90), (200, 120), (280, 165)], "LIKELY", id="what is used grows too"),
        pytest.param([(150, 105), (210, 148), (280, 196)], "LIKELY", id="… by a third of it"),
        pytest.param([(280, 190)], "LIKELY", id="one look tells no growth"),
    ],
)
def test_holes_are_proven_only_where_what_is_used_does_not_grow(
    ledgers: list[tuple[int, int]], confidence: str
) -> None:
    view = evidence(oom_lines=(OomLine(PID, False, "", "…"),), looks={PID: looked_at(*ledgers)})

    (found,) = ask("fragmented-heap", view)

    assert confidence == found.confidence.name


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.54, "memory grew by 200 MB, 54% of it while train.py:12 was running"),
        (0.98, "memory grew by 200 MB while train.py:12 was running"),
    ],
)
def test_a_line_is_told_with_its_share_of_the_growth(share: float, words: str) -> None:
    view = evidence(
        oom_lines=(OomLine(PID, False, "", "…"),),
        lines={PID: Growth(HERE, share, 200 * MB, 3.0)},
    )

    (found,) = ask("memory-limit-reached", view)

    assert words in found.says
