"""Near the memory limit somebody is told, once for each crossing, and whatever he does about it harms nobody."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from limited import enter

import outlive
from outlive.errors import UsageError
from outlive.inside.notes import checkpoints, tf_private
from outlive.inside.notes.checkpoints import Checkpoints
from outlive.keep.pressure import call, keras_callback
from outlive.keep.pressure import watch as pressure
from outlive.keep.pressure.watch import Pressure, Watch, Watcher

MB = 1_000_000


def at(share: float) -> Pressure:
    return Pressure(int(share * 1000), 1000, "a test")


class Told:
    """Called back; knows how often, and that it was."""

    def __init__(self) -> None:
        self.got: list[Pressure] = []
        self.event = threading.Event()

    def __call__(self, now: Pressure) -> None:
        self.got.append(now)
        self.event.set()


def see(watch: Watch, *shares: float) -> None:
    for share in shares:
        watch.consider(at(share))
        if watch._running is not None:
            watch._running.join(20)


@pytest.mark.parametrize(
    ("shares", "calls"),
    [
        ((0.1, 0.84), 0),
        ((0.1, 0.85), 1),
        ((0.9, 0.95, 0.99), 1),
        ((0.9, 0.84, 0.9), 1),  # it hovers
        ((0.9, 0.5, 0.9), 2),
    ],
)
def test_a_crossing_is_told_once(shares: tuple[float, ...], calls: int) -> None:
    told = Told()
    watch = Watch(told, 0.85)

    see(watch, *shares)

    assert (calls, calls) == (len(told.got), watch.calls)


def test_an_error_in_the_callback_is_logged_and_harms_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fails(now: Pressure) -> None:
        raise SystemExit(f"no room: {now}")

    watch = Watch(fails, 0.85)
    with caplog.at_level(logging.ERROR, "outlive"):
        see(watch, 0.9, 0.1, 0.9)

    assert 2 == watch.calls
    assert "the callback of on_pressure failed" in caplog.text


def test_a_callback_that_is_still_busy_is_not_called_again() -> None:
    go, begun = threading.Event(), threading.Event()

    def waits(now: Pressure) -> None:
        begun.set()
        go.wait(20)

    watch = Watch(waits, 0.85)
    watch.consider(at(0.9))
    begun.wait(20)
    watch.consider(at(0.1))
    watch.consider(at(0.9))
    go.set()

    assert 1 == watch.calls


def test_one_thread_watches_for_all_and_ends_with_the_last() -> None:
    shares = [0.5]
    watcher = Watcher(lambda: at(shares[0]))
    first, second = Told(), Told()
    watches = [Watch(first, 0.85), Watch(second, 0.95)]
    for watch in watches:
        watcher.add(watch)
    thread = watcher._thread
    assert thread is not None and thread.daemon

    shares[0] = 0.9
    assert first.event.wait(20)
    assert not second.got
    for watch in watches:
        watcher.remove(watch)
    thread.join(20)

    assert not thread.is_alive()


def test_who_comes_while_the_last_one_leaves_is_watched_for_without_haste() -> None:
    watcher = Watcher(lambda: at(0.1))
    first, second = Watch(Told(), 0.85), Watch(Told(), 0.85)
    watcher.add(first)
    watcher.remove(first)
    watcher.add(second)

    assert not watcher._wake.is_set(), "the thread would turn without a rest"
    watcher.remove(second)


def test_what_cannot_be_asked_for_is_refused() -> None:
    for callback, share in ((print, 0.0), (print, 1.5), (None, 0.5)):
        with pytest.raises(UsageError):
            outlive.on_pressure(callback, at=share)  # type: ignore[arg-type]


def test_before_a_stop_everybody_is_told_once_more_and_waited_for() -> None:
    saved, go = [], threading.Event()

    def save(now: Pressure) -> None:
        go.wait(20)
        saved.append(now.share)

    watcher = Watcher(lambda: None)
    early, late = Watch(save, 0.5), Watch(Told(), 0.99)
    for watch in (early, late):
        watcher.add(watch)
    go.set()
    see(early, 0.6)

    assert watcher.tell(900, 1000) and not watcher.tell(901, 1000)
    watcher.finish(20)

    assert ([0.6, 0.9], 1) == (saved, len(late.callback.got))
    for watch in (early, late):
        watcher.remove(watch)


def test_memory_that_is_refused_to_the_watcher_does_not_end_it() -> None:
    asked = threading.Event()

    def refused() -> Pressure:
        if asked.is_set():
            return at(0.9)
        asked.set()
        raise MemoryError

    watcher, told = Watcher(refused), Told()
    watch = Watch(told, 0.85)
    watcher.add(watch)

    assert told.event.wait(20)
    watcher.remove(watch)


class Agent:
    """Stands for the recorder in this process."""

    def __init__(self) -> None:
        self.notes: list[tuple[str, str]] = []
        self.savers: Any = None
        self._made = Checkpoints(self)  # type: ignore[arg-type]  # it only notes

    def note(self, kind: str, **fields: Any) -> None:
        self.notes.append((kind, str(fields.get("path") or fields.get("how"))))

    def checkpoints(self) -> Checkpoints:
        return self._made


def test_what_was_saved_is_told_to_the_recorder_and_what_is_not_there_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    agent = Agent()
    monkeypatch.setitem(sys.modules, "_outlive.agent", SimpleNamespace(AGENTS=[agent]))
    (tmp_path / "ckpt-1.index").write_text("x")
    for path in (str(tmp_path / "ckpt-1"), "nowhere", None):
        with outlive.on_pressure(lambda now, path=path: path, at=1.0) as watch:
            see(watch, 1.0)

    assert [("saved", str(tmp_path / "ckpt-1"))] == [
        note for note in agent.notes if note[0] == "saved"
    ]
    assert 3 == agent.notes.count(("can-save", "outlive.on_pressure"))
    assert agent.savers is pressure.WATCHER


def test_the_recorder_knows_what_tensorflow_and_keras_save_and_read_and_when() -> None:
    agent = Agent()
    seen: list[bool] = []
    me = threading.get_ident()

    def save(*args: Any, **kwargs: Any) -> str:
        seen.append(checkpoints.is_saving(me))
        return "/out/ckpt-2"

    keras_api = SimpleNamespace(
        save_model=save, save_weights=save, load_model=save, load_weights=save
    )
    backup = SimpleNamespace(
        BackupAndRestore=type("B", (), {"_save_model": save, "backup_dir": "/out/backup"})
    )
    saver = SimpleNamespace(TrackableSaver=type("S", (), {"save": save, "restore": save}))
    for name, module in (
        (tf_private.KERAS_SAVING, keras_api), (tf_private.KERAS_BACKUP, backup), (tf_private.CHECKPOINTS, saver),
    ):  # fmt: skip
        agent.checkpoints().wrap(name, module)

    keras_api.save_model("model", "/out/a.keras")
    keras_api.load_weights("model", filepath="/out/b.weights.h5")
    backup.BackupAndRestore()._save_model()
    saver.TrackableSaver().save("/out/ckpt")
    saver.TrackableSaver().restore(None)
    saver.TrackableSaver().restore(save_path="/out/ckpt-2")

    assert [
        ("saved", "/out/a.keras"), ("restored", "/out/b.weights.h5"), ("saved", "/out/backup"),
        ("saved", "/out/ckpt-2"), ("restored", "/out/ckpt-2"),
    ] == agent.notes  # fmt: skip
    assert [True, False, True, True, False, False] == seen
    assert not checkpoints.is_saving(me)


class Model:
    def __init__(self) -> None:
        self.saved: list[str] = []

    def save(self, path: str) -> None:
        self.saved.append(path)

    save_weights = save


class Data:
    batch_size = 64


def acting(checkpoint: Any, lower_batch: Any) -> keras_callback._Acts:
    made = keras_callback._Acts(checkpoint, lower_batch, 0.85)
    made.model = Model()
    return made


def test_the_callback_saves_and_halves_between_batches_and_epochs() -> None:
    data = Data()
    callback = acting("last.keras", data)
    callback.on_train_begin()
    callback.on_train_batch_end(0)
    assert [] == callback.model.saved

    callback._note(at(0.9))
    callback.on_train_batch_end(1)
    callback.on_train_batch_end(2)
    assert (["last.keras"], 64) == (callback.model.saved, data.batch_size)
    callback.on_epoch_end(0)
    callback.on_train_end()

    assert (32, 1) == (data.batch_size, callback.crossings)
    assert pressure.WATCHER._watches == []


def test_the_callback_can_stop_training_for_a_smaller_batch() -> None:
    callback = acting(lambda model: model.save("mine"), True)
    callback._note(at(0.9))

    with pytest.raises(outlive.BatchTooLarge, match="Continue with a smaller batch_size"):
        callback.on_train_batch_end(7)

    assert ["mine"] == callback.model.saved


GROWS = """\
import outlive, sys, threading
said = threading.Event()
outlive.on_pressure(lambda now: (print("told", now.limit_bytes, flush=True), said.set()), at=0.6)
kept = []
while not said.is_set():
    kept.append(bytearray(b"x") * 2_000_000)
    said.wait(0.01)
print("alive", len(kept) < 100)
"""


@pytest.mark.death
@pytest.mark.memory(200)
def test_a_plain_program_is_told_of_the_limit_of_its_container(group: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", GROWS],
        preexec_fn=lambda: enter(group),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    told, alive = done.stdout.splitlines()
    limit = int(told.split()[1])
    assert abs(limit - 200 * MB) < MB, done.stderr
    assert "alive True" == alive


def no_thread(*_: Any) -> int:
    return 1  # as where memory is refused: Python ends the new thread before its first line


def no_more_threads(*_: Any) -> int:
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize("start", [no_thread, no_more_threads])
def test_who_is_to_be_told_at_the_end_is_told_without_a_thread_of_its_own(
    start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Pressure] = []
    watch = Watch(told.append, 0.8)
    full = Pressure(1, 1, "a test")
    monkeypatch.setattr(call, "SECONDS_TO_BEGIN", 0.01)
    monkeypatch.setattr("_thread.start_new_thread", start)

    watch.last_call(full)
    watch.join(60)
    watch.call_if_it_never_began(full)
    watch.call_if_it_never_began(full)

    assert [full] == told
