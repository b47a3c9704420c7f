"""In a workflow of GitHub's: mark what was found in the pull request, and add it to the job's summary. Elsewhere: nothing at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TextIO

from outlive.model.findings import EndingKind, Verdict
from outlive.report.hooks.github import (
    Level,
    Note,
    below,
    command_of,
    notes_of,
    summary_of,
    table_of,
)

#: GitHub shows ten marks of a kind and step; the summary has them all.
MOST_MARKS = 10

#: A step may add a megabyte to the summary, and loses all of it beyond.
MOST_BYTES = 500_000


class Workflow:
    """The job that this command runs in."""

    def __init__(self, variables: Mapping[str, str], stream: TextIO) -> None:
        self.checkout = variables.get("GITHUB_WORKSPACE", "")
        self._summary = variables.get("GITHUB_STEP_SUMMARY", "")
        self._stream = stream

    def named(self, file: str) -> str:
        """A file as GitHub knows it: a step may work in a folder of the checkout."""
        return below(self.checkout, os.getcwd(), file) or file if file else ""

    def mark(self, notes: Sequence[Note]) -> None:
        """On stderr, where GitHub reads commands too: stdout belongs to the program, or to JSON."""
        for level in Level:
            for note in [note for note in notes if note.level is level][:MOST_MARKS]:
                self._stream.write(command_of(note) + "\n")
        self._stream.flush()

    def summarise(self, markdown: str) -> None:
        """After what other steps and commands have written."""
        if not self._summary:
            return
        data = markdown.encode("utf-8", "backslashreplace")[:MOST_BYTES]
        try:
            with open(self._summary, "ab") as file:
                file.write(data + b"\n")
        except OSError as error:
            self._stream.write(f"outlive: no summary could be written: {error.strerror}.\n")


def workflow(variables: Mapping[str, str] = os.environ) -> Workflow | None:
    """The workflow of GitHub's (or of one who speaks its language) that we are in, if we are."""
    if variables.get("GITHUB_ACTIONS") != "true" or sys.stderr is None:
        return None
    return Workflow(variables, sys.stderr)


def annotate_death(verdict: Verdict, folder: str, command: str) -> None:
    """After `outlive run` of a command in a folder."""
    here = workflow()
    if here is None or not (verdict.findings or verdict.ending.kind is not EndingKind.SUCCESS):
        return
    here.mark(notes_of(verdict, folder, here.checkout))
    here.summarise(summary_of(verdict, command))


def annotate(command: str, notes: Sequence[Note], *, marks: bool = True) -> None:
    """After a command that finds things; without marks when they are its output already."""
    here = workflow()
    if here is None or not notes:
        return
    notes = [replace(note, file=here.named(note.file)) for note in notes]
    if marks:
        here.mark(notes)
    here.summarise(table_of(f"{command}: {len(notes)} found", notes))
