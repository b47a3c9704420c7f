"""A cluster of network namespaces: one slow link, one closed port, one wrong version; and agents that answer nobody else."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from broken_environments import make_environment
from made_machines import ask
from network_namespaces import Network, network
from outlive.doctor.cluster import wire
from outlive.doctor.cluster.agent import Agent
from outlive.doctor.cluster.survey import rounds, survey
from outlive.doctor.cluster.tasks import NoCluster, Task, Tasks, expand, find_tasks
from outlive.doctor.cluster.wire import Channel, WireError, connect
from outlive.model.cluster import Cluster, Link, Node
from outlive.model.findings import State
from outlive.model.surroundings import Surroundings

TOKEN = "0123456789abcdef-of-a-test"
SECONDS = 90
FINE, UNKNOWN, WARNING, WILL_FAIL = State.FINE, State.UNKNOWN, State.WARNING, State.WILL_FAIL


# Several hosts


@contextlib.contextmanager
def agents(net: Network, pythons: Mapping[int, str]) -> Iterator[list[subprocess.Popen[str]]]:
    """An agent on every host but the first, which asks; each has said that it listens."""
    started = []
    try:
        for number, python in pythons.items():
            agent = subprocess.Popen(
                [*net.inside(number), sys.executable, "-m", "outlive", "doctor", "--agent",
                 "--python", python, "--seconds", "80"],
                env=os.environ | {"OUTLIVE_TOKEN": TOKEN}, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
            started.append(agent)
        for agent in started:
            assert agent.stderr is not None
            assert "the agent is listening" in agent.stderr.readline()
        yield started
    finally:
        for agent in started:
            agent.kill()
            agent.wait()
            assert agent.stderr is not None
            agent.stderr.close()


def survey_from_first(net: Network, hosts: str, python: str) -> tuple[int, dict[str, dict]]:
    done = subprocess.run(
        [*net.inside(0), sys.executable, "-m", "outlive", "doctor", "--cluster", "--json",
         "--wait", "2", "--hosts", hosts, "--python", python],
        env=os.environ | {"OUTLIVE_TOKEN": TOKEN}, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.stdout, done.stderr
    checks = json.loads(done.stdout)["checks"]
    return done.returncode, {item["check"]: item for item in checks}


def told(item: dict) -> str:
    return " ".join(finding["says"] for finding in item["findings"])


@pytest.mark.death
def test_a_healthy_cluster_is_fine_and_its_agents_go_home(tmp_path: Path) -> None:
    python = make_environment(tmp_path / "env").python
    with network(3) as net, agents(net, {1: python, 2: python}) as started:
        hosts = ",".join(f"{net.address(number)}:2222" for number in range(3))

        status, checks = survey_from_first(net, hosts, python)
        codes = [agent.wait(20) for agent in started]

    assert (0, [0, 0]) == (status, codes), checks
    assert {"fine"} == {item["state"] for item in checks.values()}
    assert "6 connections" in told(checks["cluster-port-closed"])
    assert "The slowest of 6 links" in told(checks["cluster-link-slow"])


@pytest.mark.death
def test_one_command_on_every_host_is_enough_with_tf_config(tmp_path: Path) -> None:
    """As srun or a training operator starts it: the first task asks, the other answers and says nothing."""
    python = make_environment(tmp_path / "env").python
    with network(2) as net:
        cluster = {"worker": [f"{net.address(number)}:2222" for number in range(2)]}
        started = [
            subprocess.Popen(
                [*net.inside(number), sys.executable, "-m", "outlive", "doctor", "--cluster", "--json", "--python", python],
                env=os.environ | {
                    "OUTLIVE_TOKEN": TOKEN,
                    "TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": "worker", "index": number}}),
                },
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            for number in (1, 0)
        ]  # fmt: skip
        (second, _), (first, errors) = (child.communicate(timeout=SECONDS) for child in started)

    assert ([0, 0], "") == ([child.returncode for child in started], second), errors
    checks = {item["check"]: item for item in json.loads(first)["checks"]}
    assert "2 connections" in told(checks["cluster-port-closed"])


@pytest.mark.death
def test_a_slow_link_a_closed_port_and_a_wrong_version_are_named(tmp_path: Path) -> None:
    same, other = make_environment(tmp_path / "same"), make_environment(tmp_path / "other")
    same.metadata("tensorflow", "2.21.0")
    other.metadata("tensorflow", "2.15.0")
    with network(4) as net:
        net.slow_down(2, "8mbit")
        net.close_port(3, 2222)
        with agents(net, {1: same.python, 2: same.python, 3: other.python}):
            hosts = [f"{net.address(number)}:2222" for number in range(4)]

            status, checks = survey_from_first(net, ",".join(hosts), same.python)

    assert 1 == status
    slow = checks["cluster-link-slow"]
    assert "warning" == slow["state"]
    for finding in slow["findings"]:
        assert hosts[2] in finding["says"], finding
        rate = float(finding["because"][0]["value"].split()[0])
        assert 0 < rate < 12, finding  # a busy machine sends less than the link would take
    closed = checks["cluster-port-closed"]
    assert "will fail" == closed["state"]
    assert 3 == len(closed["findings"])
    for finding in closed["findings"]:
        assert finding["says"].startswith(f"{hosts[3]} cannot be reached from "), finding
    versions = checks["cluster-versions-differ"]
    assert f"tensorflow is 2.21.0 on 3 of 4 hosts, and 2.15.0 on {hosts[3]}" in told(versions)
    assert "fine" == checks["cluster-name-unknown"]["state"]
    assert "fine" == checks["cluster-clocks-apart"]["state"]


@pytest.mark.death
def test_a_port_that_is_taken_and_a_host_without_an_agent_are_told(tmp_path: Path) -> None:
    python = make_environment(tmp_path / "env").python
    with network(3) as net, agents(net, {1: python}):
        holder = subprocess.Popen(
            [*net.inside(1), sys.executable, "-c",
             "import socket, sys; s = socket.create_server(('', 2222)); print('ready', flush=True); sys.stdin.read()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        with holder:
            assert holder.stdout is not None and "ready\n" == holder.stdout.readline()
            hosts = [f"{net.address(number)}:2222" for number in range(3)]

            status, checks = survey_from_first(
                net, ",".join([*hosts, "no.such.invalid:2222"]), python
            )
            holder.kill()

    assert 1 == status
    ports = told(checks["cluster-port-closed"])
    assert f"Nothing can listen on {hosts[1]}: Address already in use" in ports
    assert f"Could not check {hosts[2]}: its agent on port 7117 does not answer" in ports
    assert "no.such.invalid does not resolve on this host" in told(checks["cluster-name-unknown"])


# Agents


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def calling(port: int) -> contextlib.closing[Channel]:
    return contextlib.closing(connect("127.0.0.1", port, TOKEN.encode()))


@contextlib.contextmanager
def serving(port: int, **known: object) -> Iterator[threading.Thread]:
    agent = Agent(TOKEN.encode(), {"tensorflow": "2.21.0"}, port, **{"seconds": 30, **known})  # type: ignore[arg-type]
    thread = threading.Thread(target=agent.serve)
    thread.start()
    try:
        yield thread
    finally:
        with contextlib.suppress(WireError), calling(port) as channel:
            channel.ask(ask="done")
        thread.join(20)
        assert not thread.is_alive()


def test_an_agent_answers_nobody_without_the_token(port: int) -> None:
    with serving(port):
        with pytest.raises(WireError):
            connect("127.0.0.1", port, b"another token of the same length")
        with socket.create_connection(("127.0.0.1", port), 5) as stranger:
            stranger.settimeout(5)
            hello = stranger.recv(100)
            stranger.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + bytes(48))
            with contextlib.suppress(ConnectionResetError):
                assert b"" == stranger.recv(100)

        assert hello.startswith(b"outlive1") and TOKEN.encode() not in hello
        with calling(port) as channel:
            assert {"versions": {"tensorflow": "2.21.0"}} == channel.ask(ask="about")


@contextlib.contextmanager
def relaying(port: int) -> Iterator[tuple[int, list[socket.socket]]]:
    """A stranger between the caller and the agent, who passes on what both say; his port, and his connections to the agent and to the caller."""
    held: list[socket.socket] = []

    def pass_on(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while part := source.recv(4096):
                target.sendall(part)

    def relay() -> None:
        caller, _ = waiting.accept()
        held.extend([socket.create_connection(("127.0.0.1", port)), caller])
        for pair in (held, reversed(held)):
            threading.Thread(target=pass_on, args=pair, daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as waiting:
        threading.Thread(target=relay, daemon=True).start()
        yield waiting.getsockname()[1], held
        for connection in held:
            connection.close()


def test_who_passes_on_the_proofs_of_others_cannot_speak_for_them(port: int) -> None:
    done = json.dumps({"ask": "done"}).encode()
    with serving(port) as thread:
        with (
            relaying(port) as (between, held),
            contextlib.closing(connect("127.0.0.1", between, TOKEN.encode())),
        ):
            held[0].sendall(struct.pack(">I", len(done)) + bytes(32) + done)
            thread.join(1)

        assert thread.is_alive()
        with calling(port) as channel:
            assert {} == channel.ask(ask="echo")


def test_a_stranger_who_sends_a_byte_now_and_then_is_hung_up_on(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "PROOF_SECONDS", 0.5)
    with serving(port), socket.create_connection(("127.0.0.1", port), 5) as stranger:
        stranger.recv(100)
        stranger.settimeout(0.1)
        began, ended = time.monotonic(), False
        while not ended and time.monotonic() < began + 10:
            try:
                stranger.sendall(b"x")
                ended = b"" == stranger.recv(100)
            except TimeoutError:
                pass
            except OSError:
                ended = True

    assert ended


@pytest.mark.parametrize(
    ("hello", "said"),
    [
        (b"outlive2", "version 2 of the agent protocol, this Outlive uses 1"),
        (b"outlives", "another program listens there"),
        (b"SSH-2.0-", "another program listens there"),
    ],
)
def test_an_agent_of_another_version_is_told(hello: bytes, said: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as waiting:
        host, port = waiting.getsockname()

        def greet() -> None:
            caller, _ = waiting.accept()
            with caller:
                caller.sendall(hello + bytes(wire.NONCE_BYTES))
                caller.recv(100)

        thread = threading.Thread(target=greet)
        thread.start()

        with pytest.raises(WireError, match=said):
            connect(host, port, TOKEN.encode())
        thread.join(20)


def test_an_agent_of_another_version_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def refuse(*_: object) -> Channel:
        calls.append(1)
        raise wire.Mismatch("another version")

    monkeypatch.setattr("outlive.doctor.cluster.survey.connect", refuse)
    found = survey(Tasks("--hosts", (Task("127.0.0.1", 1),)), TOKEN.encode(), wait=60)

    assert 1 == len(calls)
    assert "another version" in str(found.nodes[0].unreachable)


def test_a_message_that_was_changed_on_its_way_is_refused(port: int) -> None:
    with serving(port), calling(port) as channel:
        channel._key = b"x" * 32

        with pytest.raises(WireError):
            channel.ask(ask="about")


@pytest.mark.parametrize(
    "question",
    [{"ask": "run", "command": "id"}, {}, {"ask": "listen", "port": "x"}, {"ask": "listen"}, {"ask": "measure"}, {"ask": None}],
)  # fmt: skip
def test_an_odd_question_is_an_error_and_the_agent_lives(question: dict, port: int) -> None:
    with serving(port), calling(port) as channel:
        with pytest.raises(WireError):
            channel.ask(**question)

        assert channel.ask(ask="echo") == {}


def test_a_late_answer_is_not_taken_for_the_next(port: int) -> None:
    late = threading.Event()

    def clock() -> float:
        late.wait(20)
        return 0.0

    with serving(port, clock=clock), calling(port) as channel:
        channel.connection.settimeout(0.2)
        with pytest.raises(WireError):
            channel.ask(ask="clock")
        late.set()

        with pytest.raises(WireError, match="stopped answering"):
            channel.ask(ask="echo")


@pytest.mark.death
def test_an_agent_that_is_frozen_is_told_and_the_rest_is_measured(tmp_path: Path) -> None:
    python = make_environment(tmp_path / "env").python
    with network(3) as net, agents(net, {1: python, 2: python}) as started:
        started[1].send_signal(signal.SIGSTOP)
        hosts = [f"{net.address(number)}:2222" for number in range(3)]

        _, checks = survey_from_first(net, ",".join(hosts), python)

    ports = checks["cluster-port-closed"]
    assert f"Could not check {hosts[2]}: its agent on port 7117 does not answer" in told(ports)
    assert "The slowest of 2 links" in told(checks["cluster-link-slow"])


def test_an_agent_ends_when_its_time_is_over(port: int) -> None:
    agent = Agent(TOKEN.encode(), {}, port, seconds=0.1)

    assert agent.serve() is False


def test_clocks_that_disagree_are_told(port: int) -> None:
    tasks = Tasks("--hosts", (Task("127.0.0.1", 1), Task("127.0.0.2", 1)))
    with serving(port, clock=lambda: time.time() + 90):
        late = survey(tasks, TOKEN.encode(), port, wait=0)
    nodes = (Node("a:1", clock_offset_seconds=0.0), *late.nodes[:1])

    answer = ask("cluster-clocks-apart", Surroundings(cluster=Cluster("a test", nodes)))

    assert late.nodes[0].clock_offset_seconds == pytest.approx(90, abs=1)
    assert WARNING == answer.state
    assert "90.0 s apart" in answer.findings[0].says


@pytest.mark.parametrize("count", range(2, 8))
def test_every_pair_is_measured_once_and_nobody_twice_at_a_time(count: int) -> None:
    tasks = [Task(f"host{number}", 1) for number in range(count)]

    turns = list(rounds(tasks))

    pairs = [pair for turn in turns for pair in turn]
    assert len(pairs) == len(set(pairs)) == count * (count - 1)
    for turn in turns:
        busy = [task for pair in turn for task in pair]
        assert len(busy) == len(set(busy))


# Who is in the cluster

CONFIG = {"cluster": {"worker": ["b:2222", "c:2222"], "chief": ["a:2222"], "ps": ["[::1]:3333"]}}


def test_tf_config_names_the_tasks_and_which_one_we_are() -> None:
    texts = [
        json.dumps(CONFIG | {"task": {"type": kind, "index": 0}}) for kind in ("chief", "worker")
    ]

    chief, worker = (find_tasks(None, {"TF_CONFIG": text}) for text in texts)

    assert ["a:2222", "b:2222", "c:2222", "[::1]:3333"] == [task.name for task in chief.tasks]
    assert (True, False) == (chief.first, worker.first)


@pytest.mark.parametrize(
    ("listing", "names"),
    [
        ("gpu[01-03,7],login", ["gpu01", "gpu02", "gpu03", "gpu7", "login"]),
        ("node5", ["node5"]),
        ("a[1-2]-ib,b", ["a1-ib", "a2-ib", "b"]),
    ],
)
def test_the_short_form_of_slurm_is_expanded(listing: str, names: list[str]) -> None:
    assert names == expand(listing)
    found = find_tasks(None, {"SLURM_JOB_NODELIST": listing, "SLURM_PROCID": "1"})
    assert names == [task.host for task in found.tasks]
    assert not found.first


@pytest.mark.parametrize(
    "variables",
    [{}, {"TF_CONFIG": "{"}, {"TF_CONFIG": "{}"}, {"TF_CONFIG": '{"cluster": {"worker": ["a"]}}'}, {"TF_CONFIG": "[]"},
     {"TF_CONFIG": '{"cluster": {}, "task": {"index": 1}}'}, {"TF_CONFIG": '{"cluster": {"worker": ["a:1"]}, "task": {"index": "x"}}'}],
)  # fmt: skip
def test_a_cluster_that_cannot_be_told_says_why(variables: dict[str, str]) -> None:
    with pytest.raises(NoCluster):
        find_tasks(None, variables)


@pytest.mark.parametrize(
    ("words", "token"),
    [
        (("--cluster", "--hosts", "a:1,b:1"), ""),
        (("--cluster", "--hosts", "a:1,b:1"), "short"),
        (("--agent",), ""),
        (("--cluster",), TOKEN),
        (("--cluster", "--hosts", "a:1"), TOKEN),
        (("--cluster", "--hosts", "a:b,c"), TOKEN),
    ],
)
def test_wrong_usage_of_the_cluster_has_status_2(words: tuple[str, ...], token: str) -> None:
    variables = {
        name: value
        for name, value in os.environ.items()
        if name not in ("TF_CONFIG", "SLURM_JOB_NODELIST")
    }
    done = subprocess.run(
        [sys.executable, "-m", "outlive", "doctor", *words], env=variables | {"OUTLIVE_TOKEN": token},
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip

    assert (2, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith("outlive: ")


# The checks alone


def links(*rates: float) -> Surroundings:
    made = tuple(Link(f"h{n}:1", f"h{n + 1}:1", 0.001, rate) for n, rate in enumerate(rates))
    return Surroundings(cluster=Cluster("a test", links=made))


@pytest.mark.parametrize(
    ("rates", "state"),
    [
        ((1e9, 1e9, 1e9), FINE),
        ((1e9, 1e9, 1e8), WARNING),
        ((1e6, 1e6), WARNING),
        ((2e7, 2e7), FINE),
        ((), UNKNOWN),
    ],
)
def test_a_slow_link_is_slow_in_itself_or_beside_the_others(
    rates: tuple[float, ...], state: State
) -> None:
    assert state == ask("cluster-link-slow", links(*rates)).state


@pytest.mark.parametrize(
    ("versions", "state"),
    [
        (({"tensorflow": "2.21.0"}, {"tensorflow": "2.21.0"}), FINE),
        (({"tensorflow": "2.21.0"}, {"tensorflow": "2.20.0"}), WILL_FAIL),
        (({"tensorflow": "2.21.0", "numpy": "2.4"}, {"tensorflow": "2.21.0"}), WARNING),
        (({"tensorflow": "2.21.0"},), UNKNOWN),
    ],
)
def test_versions_are_compared(versions: tuple[dict[str, str], ...], state: State) -> None:
    nodes = tuple(
        Node(f"h{n}:1", versions=tuple(known.items())) for n, known in enumerate(versions)
    )

    assert (
        state
        == ask("cluster-versions-differ", Surroundings(cluster=Cluster("a test", nodes))).state
    )


@pytest.mark.parametrize(
    "slug",
    ["cluster-name-unknown", "cluster-port-closed", "cluster-clocks-apart", "cluster-link-slow", "cluster-versions-differ"],
)  # fmt: skip
def test_an_empty_cluster_breaks_no_check(slug: str) -> None:
    assert ask(slug, Surroundings(cluster=Cluster("a test"))).state in (FINE, UNKNOWN)
