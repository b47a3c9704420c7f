"""What goes in and what comes out is the same, byte by byte and in the same order."""

import hashlib
import itertools
import os
import random
import subprocess
import sys

import pytest

EVERY_BYTE = bytes(range(256))


def test_binary_data_passes_unchanged_both_ways(runner, program):
    data = random.Random(1).randbytes(700_000) + EVERY_BYTE
    command = [sys.executable, program("copies.py")]

    bare, watched = runner.bare(*command, data=data), runner.watched(*command, data=data)

    assert (0, data, data[::-1]) == bare
    assert bare == watched


@pytest.mark.parametrize("program_name", ["alternates.py", "alternates.sh"])
def test_two_streams_in_one_pipe_keep_their_order(program_name, runner, program):
    interpreter = sys.executable if program_name.endswith(".py") else "sh"
    command = [interpreter, program(program_name)]

    bare = runner.bare(*command, stderr=subprocess.STDOUT)
    watched = runner.watched(*command, stderr=subprocess.STDOUT)

    assert bare.stdout.startswith(b"o0\ne0\no1\ne1\n")
    assert bare == watched


@pytest.mark.parametrize("mode", ["wb", "ab"])
def test_two_streams_in_one_file_keep_their_order(mode, runner, program, tmp_path):
    contents = []
    for number, run in enumerate((runner.bare, runner.watched)):
        path = tmp_path / f"log-{number}"
        path.write_bytes(b"before\n")
        with path.open(mode) as file:
            run(sys.executable, program("alternates.py"), stdout=file, stderr=file)
        contents.append(path.read_bytes())

    assert b"o0\ne0\no1\ne1\n" in contents[0]
    assert contents[0] == contents[1]


def test_a_verdict_is_written_after_the_last_words_in_the_file(runner, program, tmp_path):
    path = tmp_path / "log"

    with path.open("wb") as file:
        bare = runner.bare(
            sys.executable, program("ends.py"), "exception", "bad", stdout=file, stderr=file
        )
    expected = path.read_bytes()
    with path.open("wb") as file:
        watched = runner.watched(
            sys.executable, program("ends.py"), "exception", "bad", stdout=file, stderr=file
        )

    assert bare.status == watched.status
    assert expected == path.read_bytes()[: len(expected)]


def test_a_file_as_input_stands_where_the_program_left_it(runner, program, tmp_path):
    (tmp_path / "input").write_bytes(b"first\nsecond\nthird\n")
    script = '"$@" < input; { "$@"; "$@"; cat; } < input'
    command = ["sh", "-c", "read line; echo $line"]

    bare = runner.bare("sh", "-c", script, "sh", *command, cwd=tmp_path)
    watched = runner.bare("sh", "-c", script, "sh", *runner.command(*command), cwd=tmp_path)

    assert b"first\nfirst\nsecond\nthird\n" == bare.stdout
    assert bare == watched


@pytest.mark.parametrize(
    "closed", [c for n in (1, 2, 3) for c in itertools.combinations((0, 1, 2), n)], ids=str
)
@pytest.mark.parametrize("way", [["sys.exit", "0"], ["sys.exit", "3"]], ids=["well", "badly"])
def test_closed_streams_stay_closed_for_the_program(closed, way, runner, program, tmp_path):
    redirections = " ".join({0: "<&-", 1: ">&-", 2: "2>&-"}[number] for number in closed)
    script = f'exec "$@" {redirections}'
    told = [tmp_path / "bare", tmp_path / "watched"]
    command = [sys.executable, program("standard_streams.py")]

    bare = runner.bare("sh", "-c", script, "sh", *command, str(told[0]), way[1])
    watched = runner.bare("sh", "-c", script, "sh", *runner.command(*command, str(told[1]), way[1]))

    assert int(way[1]) == bare.status
    assert bare.status == watched.status
    assert bare.stdout == watched.stdout
    assert told[0].read_text() == told[1].read_text()


@pytest.mark.death
@pytest.mark.parametrize("place", ["closed", "full", "broken"])
@pytest.mark.parametrize(
    "way", [("exception", "x"), ("signal", "SIGSEGV"), ("sys.exit", "0")], ids=str
)
def test_an_unwritable_stderr_does_not_change_the_status(place, way, runner, program):
    script = {
        "closed": 'exec "$@" 2>&-',
        "full": 'exec "$@" 2>/dev/full',
        "broken": '{ "$@"; echo $? >&3; } 3>&1 2>&1 >/dev/null | true',
    }[place]
    command = [sys.executable, program("says_nothing.py"), *way]

    bare = runner.bare("bash", "-c", script, "bash", *command)
    watched = runner.bare("bash", "-c", script, "bash", *runner.command(*command))

    assert bare == watched


def test_a_program_whose_reader_goes_away_dies_of_sigpipe(runner):
    script = '"$@" | head -1; echo ${PIPESTATUS[0]}'

    bare = runner.bare("bash", "-c", script, "bash", "yes")
    watched = runner.bare("bash", "-c", script, "bash", *runner.command("yes", switches=["-q"]))

    assert b"y\n141\n" == bare.stdout
    assert bare == watched


def test_a_python_program_whose_reader_goes_away_says_so_as_before(runner, program):
    script = '"$@" | head -1; echo ${PIPESTATUS[0]}'
    command = [sys.executable, program("prints_for_ever.py")]

    bare = runner.bare("bash", "-c", script, "bash", *command)
    watched = runner.bare("bash", "-c", script, "bash", *runner.command(*command))

    assert bare.stdout == watched.stdout
    assert bare.stderr == watched.stderr[: len(bare.stderr)]


def test_200_megabytes_arrive_complete(runner, program):
    size = 200_000_000
    child = runner.start(runner.command(sys.executable, program("writes_much.py"), str(size)))
    seen, digest = 0, hashlib.blake2b()

    while block := child.stdout.read1(1 << 20):
        seen += len(block)
        digest.update(block)
    told = child.stderr.read().decode()

    assert 0 == child.wait(60)
    assert size == seen
    assert told == digest.hexdigest()


def test_the_reader_of_stdout_sees_its_end_when_the_program_closes_it(runner, program):
    child = runner.start(runner.command(sys.executable, program("closes_early.py"), "1"))

    said = child.stdout.read()
    still_running = child.poll() is None
    ending = runner.finish(child)

    assert b"last words\n" == said
    assert still_running
    assert 0 == ending.status


def test_the_reader_of_another_descriptor_sees_its_end_when_the_program_closes_it(runner, program):
    read_end, write_end = os.pipe()
    command = runner.command(sys.executable, program("closes_early.py"), str(write_end))
    child = runner.start(command, pass_fds=[write_end])
    os.close(write_end)

    with open(read_end, "rb") as pipe:
        said = pipe.read()
    still_running = child.poll() is None
    ending = runner.finish(child)

    assert b"last words\n" == said
    assert still_running
    assert 0 == ending.status
