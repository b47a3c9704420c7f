"""Questions that causes ask of the evidence: who killed it, what was refused, how did it leave, who sent the signal."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from made_evidence import MB, PARTS, PID, ended, evidence, group
from outlive.model.events import (
    Crash,
    Group,
    OomLine,
    Origin,
    Program,
    Quit,
    Received,
    Sent,
    Stack,
    Thrown,
)
from outlive.model.evidence import Evidence, Signals
from outlive.model.findings import Confidence, EndingKind, Place
from outlive.model.memory import Refusal

NAMES_IT = OomLine(PID, whole_machine=False, group="/job", text="oom-kill: …")
NAMES_ANOTHER = OomLine(PID + 1, whole_machine=False, group="/job", text="oom-kill: …")
FOR_THE_MACHINE = OomLine(PID, whole_machine=True, text="oom-kill: … global_oom …")

FULL = group(limit=100 * MB, used=99 * MB, kills=(0, 1), vanished=1)
FULL_PARENT = group("/sys/fs/cgroup", limit=100 * MB, used=99 * MB, kills=(None, None))
ROOMY = group("/sys/fs/cgroup", limit=900 * MB, used=99 * MB, kills=(0, 0))


def conclusion(view: Evidence) -> tuple[str, str] | None:
    """How sure, and where the memory ran out."""
    kill = view.memory.oom_kill()
    if kill is None:
        return None
    place = "machine" if kill.whole_machine else kill.group.path if kill.group else "unknown"
    return kill.confidence.name, place


@pytest.mark.parametrize(
    ("lines", "groups", "expected"),
    [
        pytest.param((NAMES_IT,), (FULL,), ("PROVEN", FULL.path), id="the log names it"),
        pytest.param(
            (NAMES_IT,), (group(kills=(None, None)),), ("PROVEN", FULL.path),
            id="the log names it and no counter can be read",
        ),
        pytest.param((NAMES_ANOTHER,), (FULL,), None, id="the log names another"),
        pytest.param((), (FULL,), None, id="the log is readable and silent"),
        pytest.param(
            (FOR_THE_MACHINE,), (FULL,), ("PROVEN", "machine"), id="the log says: whole machine"
        ),
        pytest.param(
            (NAMES_IT, FOR_THE_MACHINE), (FULL,), ("PROVEN", "machine"),
            id="the newest line about it counts",
        ),
        pytest.param(
            (OomLine(PID, False, "/elsewhere"),), (FULL, ROOMY), ("PROVEN", FULL.path),
            id="the log names a group that is seen by another name here",
        ),
        pytest.param(
            (OomLine(PID, False, ""),), (group(), FULL_PARENT), ("PROVEN", "/sys/fs/cgroup"),
            id="the brief line names no group: the full one",
        ),
        pytest.param(
            (OomLine(PID, False, "/job"),), (group("/sys/fs/cgroup/job/step"), group()),
            ("PROVEN", "/sys/fs/cgroup/job"), id="the log names an ancestor",
        ),
        pytest.param(None, (FULL,), ("PROVEN", FULL.path), id="its counter rose, it was alone"),
        pytest.param(
            None, (replace(FULL, vanished=2),), ("LIKELY", FULL.path),
            id="a sibling vanished too and there was one kill",
        ),
        pytest.param(
            None, (replace(FULL, vanished=2, oom_kills_after=2),), ("PROVEN", FULL.path),
            id="a sibling vanished too and there were two kills",
        ),
        pytest.param(
            None, (replace(FULL, vanished=None),), ("LIKELY", FULL.path),
            id="nobody knows who else vanished",
        ),
        pytest.param(
            None, (group(kills=(3, 4), vanished=1), FULL_PARENT), ("PROVEN", "/sys/fs/cgroup"),
            id="the limit of an ancestor",
        ),
        pytest.param(
            None, (group(kills=(3, 4), vanished=1), ROOMY), ("LIKELY", "machine"),
            id="its counter rose and no limit was near",
        ),
        pytest.param(
            None, (replace(FULL, oom_kills_before=1),), None, id="the kill was an earlier one"
        ),
        pytest.param(
            None, (group(kills=(0, 0)), replace(FULL, path="/sys/fs/cgroup")), None,
            id="somebody else below the same ancestor was killed",
        ),
        pytest.param(
            None,
            (group(kills=(None, None)), replace(FULL, path="/sys/fs/cgroup", vanished=None)),
            ("LIKELY", "/sys/fs/cgroup"),
            id="only an ancestor's counter can be read",
        ),
        pytest.param(
            None, (group(kills=(5, 0), limit=10, used=10),), None,
            id="the group was made anew and its counter begins again",
        ),
        pytest.param(None, (group(kills=(None, 1)),), None, id="the counter was unreadable before"),
        pytest.param(None, (), None, id="nothing could be read"),
    ],
)  # fmt: skip
def test_the_kernels_kill_is_concluded_from_what_was_read(
    lines: tuple[OomLine, ...] | None, groups: tuple[Group, ...], expected: tuple[str, str] | None
) -> None:
    view = evidence("SIGKILL", oom_lines=lines, groups=groups)

    assert expected == conclusion(view)


@pytest.mark.parametrize("how", ["SIGTERM", "SIGSEGV", 1, 0, 137])
def test_who_did_not_end_by_sigkill_was_not_killed_for_memory(how: str | int) -> None:
    view = evidence(how, oom_lines=(NAMES_IT,), groups=(FULL,))

    assert view.memory.oom_kill() is None


def test_a_kill_behind_a_shell_is_found_by_the_number_of_the_python() -> None:
    program = Program(pid=PID, own_pids=frozenset({1, PID}), shell=True)

    view = evidence(137, program=program, oom_lines=(NAMES_IT,), groups=(FULL,))

    assert ("PROVEN", FULL.path) == conclusion(view)


@pytest.mark.parametrize(
    ("lines", "groups", "decided"),
    [
        ((), (), True),
        (None, (group(),), True),
        (None, (group(kills=(None, 1)),), False),
        (None, (), False),
    ],
)
def test_a_kill_is_decided_only_if_something_could_be_read(
    lines: tuple[OomLine, ...] | None, groups: tuple[Group, ...], decided: bool
) -> None:
    assert decided == evidence(oom_lines=lines, groups=groups).memory.kill_is_decided


@pytest.mark.parametrize(
    ("made", "full"),
    [
        (group(limit=100, used=95), True),
        (group(limit=100, used=94), False),
        (group(limit=100, used=None), False),
        (group(limit=100, used=0, refusals=(3, 4)), True),
        (group(limit=100, used=0, refusals=(4, 4)), False),
        (group(limit=None, used=10**12, refusals=(3, 4)), False),
        (group(limit=0, used=0), False),
    ],
)
def test_a_group_is_full_next_to_its_limit_or_when_it_refused(made: Group, full: bool) -> None:
    assert full == made.full


def test_kills_are_counted_at_the_death_and_over_the_run_apart() -> None:
    made = replace(group(kills=(2, 3)), oom_kills_at_start=0)

    assert (1, 3) == (made.killed, made.killed_during_run)
    assert replace(made, oom_kills_at_start=None).killed_during_run is None
    assert replace(made, oom_kills_before=None).killed is None


@pytest.mark.parametrize(
    ("how", "shell", "expected"),
    [
        ("SIGSEGV", False, "SIGSEGV"),
        ("SIGSEGV", True, "SIGSEGV"),
        (139, True, "SIGSEGV"),
        (137, True, "SIGKILL"),
        (143, True, "SIGTERM"),
        (139, False, None),
        (128, True, None),
        (255, True, None),
        (1, True, None),
        (0, True, None),
    ],
)
def test_a_status_over_128_is_a_signal_only_behind_a_shell(
    how: str | int, shell: bool, expected: str | None
) -> None:
    assert expected == evidence(how, shell=shell).run.fatal_signal


NUMPY = (
    "Unable to allocate 7.28 TiB for an array with shape (1000000, 1000000) and data type float64"
)
TENSORFLOW = (
    "{{function_node __wrapped__Fill_device_/job:localhost/replica:0/task:0/device:CPU:0}} OOM when"
    " allocating tensor with shape[5000000,5000000] and type float on"
    " /job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu [Op:Fill] name: "
)


@pytest.mark.parametrize(
    ("text", "asked", "what"),
    [
        (NUMPY, round(7.28 * 2**40), "an array of shape (1000000, 1000000) and type float64"),
        (
            "Unable to allocate 149. GiB for an array with shape (20000000000,) and data type int64",
            149 * 2**30,
            "an array of shape (20000000000,) and type int64",
        ),
        (
            "Unable to allocate 0 bytes for an array with shape () and data type >f2",
            0,
            "an array of shape () and type >f2",
        ),
        (TENSORFLOW, 10**14, "a tensor of shape [5000000,5000000] and type float"),
        (
            "OOM when allocating tensor with shape[3,1000] and type complex128 on /job",
            48_000,
            "a tensor of shape [3,1000] and type complex128",
        ),
        (
            "OOM when allocating tensor with shape[3] and type resource on /job",
            None,
            "a tensor of shape [3] and type resource",
        ),
        ("Unable to allocate array with shape (9, 9) and data type float64", None, ""),
        ("std::bad_alloc", None, ""),
        ("", None, ""),
    ],
)
def test_size_and_shape_are_read_out_of_a_refusal(text: str, asked: int | None, what: str) -> None:
    refusal = Refusal.in_text(text, "exception", None)

    assert (asked, what) == (refusal.bytes, refusal.what)
    assert text == refusal.text


HERE = Place("train.py", 12, "main", "x = np.zeros(n)")
LIBRARY = Place("/usr/lib/python3/site-packages/numpy/core.py", 5, "zeros", own=False)


def error(kind: str, message: str = "", **known: object) -> Thrown:
    return Thrown(kind, message, (LIBRARY, HERE), pid=PID, **known)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "thrown",
    [
        error("MemoryError"),
        error("numpy._core._exceptions._ArrayMemoryError", NUMPY, bases=("MemoryError",)),
        error("tensorflow.python.framework.errors_impl.ResourceExhaustedError", TENSORFLOW),
        error("RuntimeError", "it failed", cause=error("MemoryError")),
    ],
    ids=["plain", "numpy", "tensorflow", "as a cause"],
)
def test_a_refusal_of_memory_is_seen_in_the_exception_that_ended_the_program(
    thrown: Thrown,
) -> None:
    refused = evidence(1, thrown=(thrown,)).memory.refused()

    assert refused is not None
    assert HERE == refused.where


@pytest.mark.parametrize(
    "thrown",
    [
        error("ResourceExhaustedError", "/data/x; No space left on device"),
        error("ResourceExhaustedError", "/data/x; Too many open files"),
        error("ValueError", NUMPY),
        error("MemoryError", origin=Origin.THREAD),
    ],
    ids=["full disk", "open files", "another error", "another thread"],
)
def test_other_errors_are_no_refusal_of_memory(thrown: Thrown) -> None:
    assert evidence(1, thrown=(thrown,)).memory.refused() is None


def test_an_exception_in_a_program_that_ended_well_refused_nothing() -> None:
    assert evidence(0, thrown=(error("MemoryError"),)).memory.refused() is None


def test_a_native_refusal_needs_the_abort_and_the_words() -> None:
    words = "terminate called after throwing an instance of 'std::bad_alloc'\n"

    assert evidence("SIGABRT", log=words).memory.refused() is not None
    assert evidence("SIGSEGV", log=words).memory.refused() is None
    assert evidence("SIGABRT", log="Aborted").memory.refused() is None


def test_the_uncaught_exception_is_the_last_one_of_the_program_itself() -> None:
    first, last = error("ValueError"), error("KeyError")
    worker = replace(error("OSError"), pid=PID + 1)
    thread = error("TypeError", origin=Origin.THREAD)

    assert last is evidence(1, thrown=(first, last, worker, thread)).errors.uncaught
    assert worker is evidence(1, thrown=(worker, thread)).errors.uncaught
    assert evidence(1, thrown=(thread,)).errors.uncaught is None


def test_an_exception_is_what_it_derives_from() -> None:
    thrown = error("my.package.Failed", bases=("builtins.OSError", "Exception"))

    assert thrown.is_a("Failed")
    assert thrown.is_a("ValueError", "OSError")
    assert not thrown.is_a("package", "Error")


def test_the_line_of_an_exception_without_own_code_is_that_of_its_cause() -> None:
    thrown = Thrown("E", "", (LIBRARY,), cause=Thrown("F", "", (LIBRARY, HERE)))

    assert HERE == thrown.own
    assert ["E", "F"] == [one.type for one in thrown.chain()]


@pytest.mark.parametrize(
    ("code", "status"),
    [(0, 0), (None, 0), (3, 3), (256, 0), (-1, 255), (True, 1), (False, 0), ("bye", 1), ("", 1)],
)
def test_what_is_given_to_exit_becomes_a_status(code: str | int | None, status: int) -> None:
    assert status == Quit("sys.exit", code).status


def quit_at(place: Place, code: int = 3, *, call: str = "sys.exit", pid: int = PID) -> Quit:
    return Quit(call, code, (place,), pid)


def test_the_last_quit_is_that_of_the_program_with_the_status_that_was_seen() -> None:
    earlier, last = quit_at(HERE, 1), quit_at(HERE, 3)

    assert last == evidence(3, quits=(earlier, last)).exits.last("sys.exit")


@pytest.mark.parametrize(
    "quits",
    [
        (),
        (quit_at(HERE, 4),),
        (quit_at(HERE, 3, call="os._exit"),),
        (quit_at(HERE, 3, pid=PID + 1),),
        (quit_at(HERE, 3), quit_at(HERE, 5)),
        (quit_at(Place("/usr/lib/python3.11/multiprocessing/popen_fork.py", 71, own=False), 3),),
    ],
    ids=["none", "another status", "another call", "another process", "a later one", "a worker's"],
)
def test_a_quit_that_did_not_end_the_program_is_not_named(quits: tuple[Quit, ...]) -> None:
    assert evidence(3, quits=quits).exits.last("sys.exit") is None


def test_a_users_folder_named_like_a_library_is_not_the_library() -> None:
    mine = quit_at(Place("/home/user/multiprocessing/train.py", 3))

    assert mine == evidence(3, quits=(mine,)).exits.last("sys.exit")


BASH = Received(
    "SIGTERM", sender_pid=77, sender="bash -c deploy --token-file x", ancestors=("sshd", "init")
)


def test_a_sender_is_told_by_number_name_and_parent_and_not_by_its_arguments() -> None:
    view = evidence("SIGTERM")

    assert "Process 77 (bash, started by sshd)" == view.signals.words_for_sender(BASH)
    watchdog = replace(BASH, sender="/usr/bin/python3 /home/eve/watchdog.py --user eve")
    assert "Process 77 (python3 watchdog.py, started by sshd)" == view.signals.words_for_sender(
        watchdog
    )


def test_a_sender_that_is_gone_has_only_its_number() -> None:
    gone = Received("SIGTERM", sender_pid=77)

    assert "Process 77 (a process that has ended)" == evidence().signals.words_for_sender(gone)


def test_the_kernel_is_no_process_and_has_no_words_as_a_sender() -> None:
    kernel = Received("SIGHUP", sender_pid=None)

    assert "" == evidence().signals.words_for_sender(kernel)
    assert "" == evidence().signals.words_for_sender(None)
    assert [("sent by", False)] == [
        (fact.name, fact.private) for fact in evidence().signals.facts_of_sender(kernel)
    ]


@pytest.mark.parametrize(
    ("sender", "ancestors", "words"),
    [
        ("kill -TERM 5", ("bash", "tmux: server", "systemd"), "kill, started by bash, in tmux"),
        ("kill -TERM 5", ("bash", "sshd", "sshd", "systemd"), "kill, started by bash, in an SSH login"),
        ("sshd: me@pts/0", ("sshd", "systemd"), "an SSH login, started by sshd"),
        ("/usr/sbin/slurmstepd", ("systemd",), "Slurm, started by systemd"),
        ("containerd-shim-runc-v2 -id x", ("systemd",), "a container's runtime (Docker, containerd), started by systemd"),
        ("python3 boss.py", ("supervisord", "systemd"), "python3 boss.py, started by supervisord"),
    ],
)  # fmt: skip
def test_parents_are_named_up_to_one_that_a_person_knows(
    sender: str, ancestors: tuple[str, ...], words: str
) -> None:
    got = Received("SIGTERM", sender_pid=77, sender=sender, ancestors=ancestors)

    assert f"Process 77 ({words})" == evidence().signals.words_for_sender(got)


def test_the_program_its_children_and_the_world_outside_are_no_strangers_by_number() -> None:
    program = Program(pid=PID, own_pids=frozenset({PID}), family=frozenset({88}))
    view = evidence("SIGTERM", program=program)

    itself = Received("SIGTERM", sender_pid=PID, itself=True)
    assert "The program itself" == view.signals.words_for_sender(itself)
    assert "Its own process 88" == view.signals.words_for_sender(Received("SIGTERM", sender_pid=88))
    outside = Received("SIGTERM", sender_pid=0)
    assert "A process outside this container" == view.signals.words_for_sender(outside)


def test_the_command_line_of_a_sender_is_a_private_fact() -> None:
    (fact,) = evidence().signals.facts_of_sender(BASH)

    assert fact.private
    assert "77 bash -c deploy --token-file x ← sshd ← init" == fact.value
    assert () == evidence().signals.facts_of_sender(None)


def test_the_newest_signal_of_a_name_is_the_one_that_counts() -> None:
    later = replace(BASH, sender_pid=78)
    view = evidence("SIGTERM", received=(BASH, later, Received("SIGINT")))

    assert later == view.signals.sender_of("SIGTERM")
    assert view.signals.sender_of("SIGHUP") is None


def test_a_signal_to_itself_is_known_by_its_target() -> None:
    mine, theirs = Sent("SIGTERM", PID, PID), Sent("SIGTERM", PID + 1, PID)

    assert mine == evidence("SIGTERM", sent=(mine, theirs)).signals.sent_to_itself("SIGTERM")
    assert evidence("SIGTERM", sent=(theirs,)).signals.sent_to_itself("SIGTERM") is None
    assert evidence("SIGTERM", sent=(mine,)).signals.sent_to_itself("SIGKILL") is None


@pytest.mark.parametrize(
    ("how", "limit", "used", "over", "near"),
    [
        ("SIGKILL", 10, 9.6, True, True),
        ("SIGKILL", 10, 9.4, False, True),
        ("SIGKILL", 10, 7.4, False, False),
        ("SIGKILL", None, 99.0, False, False),
        ("SIGKILL", 10, None, False, False),
        ("SIGTERM", 10, 12.0, False, False),
    ],
)
def test_the_hard_limit_on_cpu_time_kills_only_who_has_used_it_up(
    how: str, limit: int | None, used: float | None, over: bool, near: bool
) -> None:
    facts = {"cpu time limit, hard": limit, "cpu time": used}

    assert over == evidence(how, facts=facts).signals.over_cpu_limit()
    assert near == evidence(how, facts=facts).signals.near_cpu_limit()


GENERATED = Place(
    "/venv/lib/python3.11/site-packages/tensorflow/python/ops/gen_nn_ops.py", 9, "max_pool_eager_fallback", own=False
)  # fmt: skip


def test_the_operation_of_a_stack_is_named_by_tensorflows_generated_wrapper() -> None:
    stack = Stack("MainThread", (GENERATED, HERE))

    assert ("max_pool", "tensorflow", HERE) == (
        stack.tensorflow_operation, stack.package, stack.own
    )  # fmt: skip
    assert Stack("MainThread", (HERE,)).tensorflow_operation is None
    assert "" == Stack("MainThread", ()).package


def test_a_crash_in_a_thread_of_python_is_looked_for_in_that_thread_alone() -> None:
    mine, waiting = Stack("1", (HERE,)), Stack("2", (GENERATED, HERE))

    known = Crash("Segmentation fault", (mine, waiting))
    foreign = replace(known, crashing_is_python=False)

    assert known.stack_in("tensorflow") is None
    assert waiting == foreign.stack_in("tensorflow")


def test_the_package_of_a_place_is_the_folder_below_site_packages() -> None:
    assert "tensorflow" == GENERATED.package
    assert "six" == Place("/x/dist-packages/six.py", 1).package
    assert "" == HERE.package


def test_evidence_can_be_sent_to_another_machine() -> None:
    view = evidence("SIGKILL", oom_lines=(NAMES_IT,), groups=(FULL,), thrown=(error("E"),))

    received = pickle.loads(pickle.dumps(view))

    assert view == received
    assert view.memory.oom_kill() == received.memory.oom_kill()


def test_how_a_run_ended_decides_whether_it_failed() -> None:
    assert evidence(1).run.failed
    assert evidence("SIGHUP").run.failed
    assert not evidence(0).run.failed
    assert EndingKind.SUCCESS is evidence(0).run.ending.kind


def test_what_is_not_known_is_none_and_is_no_reason() -> None:
    view = evidence(facts={"peak memory": 7})

    assert (7, None) == (view.run.fact("peak memory"), view.run.fact("run time"))
    assert ["peak memory"] == [fact.name for fact in view.run.because("run time", "peak memory")]
    assert Confidence.PROVEN == max(Confidence)


def test_a_run_that_is_replaced_is_replaced_for_every_part() -> None:
    killed = evidence("SIGKILL", oom_lines=(NAMES_IT,), groups=(FULL,))

    ended_well = replace(killed, run=replace(killed.run, ending=ended(0)))

    assert ended_well.memory.oom_kill() is None
    assert killed.memory.oom_kill() is not None


def test_a_part_that_is_replaced_is_replaced_for_those_that_rest_on_it() -> None:
    killed = evidence("SIGKILL", groups=(FULL,))
    by_itself = replace(killed, signals=Signals(sent=(Sent("SIGKILL", PID, PID),)))

    assert killed.memory.oom_kill() is not None
    assert by_itself.memory.oom_kill() is None


@pytest.mark.parametrize("part", [Evidence, *PARTS.values()])
def test_parts_are_composed_and_not_inherited(part: type) -> None:
    assert (object,) == part.__bases__
