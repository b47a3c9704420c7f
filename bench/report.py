"""The report: which figures stand in which table, and the page around them."""

from __future__ import annotations

from arithmetic import Comparison, compare, spread, values
from plan import JUDGING, SECTIONS, WORKLOADS
from results import Results
from subjects import BARE, CONTROL, OUTLIVE, PEERS, SUBJECTS
from table import Table, as_markdown, as_text
from targets import NOTHING, mean_ratio, targets

QUICK = "A quick run: it shows that everything works. Its figures are not to be quoted."
UNFINISHED = "Unfinished: some of it has not been measured."
HOW = (
    "Bare and recorded runs alternate, in shuffled order; the first round does not count. "
    "Ratio of the medians to the bare runs beside them; in brackets the quartiles of the paired ratios."
)


def text(results: Results, unfinished: bool) -> str:
    """For the terminal."""
    parts = [*_remarks(results, unfinished), *map(as_text, _tables(results)), _facts(results)]
    return "\n".join(["", *parts])


def markdown(results: Results, unfinished: bool) -> str:
    """For a README."""
    remarks = [f"**{remark}**\n" for remark in _remarks(results, unfinished)]
    return "\n".join([*remarks, *map(as_markdown, _tables(results)), _facts(results)])


def _remarks(results: Results, unfinished: bool) -> list[str]:
    return [QUICK] * bool(results.settings["quick"]) + [UNFINISHED] * unfinished


def _tables(results: Results) -> list[Table]:
    made = [
        _targets(results),
        _cost(results, "loop", "Cost while it runs", f"Time of the workload's own loop. {HOW}"),
        _cost(results, "loop_cpu", "CPU time while it runs", "The same for the loop's CPU time."),
        _cost(results, "whole", "Cost of everything", "The same from the launch to the end."),
        _own_time(results),
        _start_up(results),
        _memory(results),
        _verdict(results),
        _output(results),
        _failures(results),
    ]
    return [table for table in made if table.rows]


def _targets(results: Results) -> Table:
    found = targets(results)
    rows = tuple((target.promise, target.measured, target.outcome) for target in found)
    return Table("Targets", "What `outlive run` promises.", ("promise", "measured", ""), rows)


def _cost(results: Results, value: str, title: str, says: str) -> Table:
    rows = []
    for subject in (CONTROL, OUTLIVE, *PEERS):
        cells = [_ratio_cell(results, case, subject, value) for case in WORKLOADS]
        if all(cell == NOTHING for cell in cells):
            continue
        mean = mean_ratio(results.measurements, subject, value)
        cells.append(NOTHING if mean is None else f"{mean:.3f}")
        rows.append((_shown(results, subject), *cells))
    return Table(title, says, ("", *WORKLOADS, "geometric mean"), tuple(rows))


def _ratio_cell(results: Results, case: str, subject: str, value: str) -> str:
    failure = results.failure("workloads", case, subject)
    found = compare(results.measurements, "workloads", case, subject, value)
    if found is None:
        return failure or results.failure("workloads", case, BARE) or NOTHING
    cell = f"{found.ratio:.3f}"
    if found.paired.count > 1:
        cell += f" ({found.paired.low:.3f}–{found.paired.high:.3f})"
    return f"{cell}, then {failure}" if failure else cell


def _own_time(results: Results) -> Table:
    rows = []
    for case in SECTIONS["own-time"].cases:
        found = values(results.measurements, "own-time", case, OUTLIVE, "share")
        if found:
            seen = spread(found)
            quartiles = f"({seen.low:.2%}–{seen.high:.2%})"
            rows.append((case, f"{seen.median:.2%} {quartiles}"))
    says = (
        "CPU time of the recorder's thread in the program and of the supervisor while the loop runs, counted by the kernel, as a "
        "share of one core: the load of the machine hardly changes it. A program that keeps one core busy loses at most so much. Not "
        "in it: caches that the recorder uses, which the first table has."
    )
    return Table(
        "The recorder's own CPU time",
        says,
        ("workload", "share of a core, median (quartiles)"),
        tuple(rows),
    )


def _start_up(results: Results) -> Table:
    rows = []
    for case, found in _compared(results, "start-up", "seconds"):
        added = f"{_ms(found.added.median)} ({_ms(found.added.low)}–{_ms(found.added.high)})"
        rows.append((case, _ms(found.bare.median), _ms(found.subject.median), added))
    return Table(
        "Start-up",
        "Milliseconds from the launch; medians, and the quartiles of the paired differences.",
        ("until", "bare", "outlive run", "added"),
        tuple(rows),
    )


def _memory(results: Results) -> Table:
    rows = []
    for case in SECTIONS["memory"].cases:
        found = values(results.measurements, "memory", case, OUTLIVE, "bytes")
        if found:
            when = "while judging a death" if case == JUDGING else f"at the end of {case}"
            seen = spread(found)
            rows.append((when, f"{seen.median / 1e6:.1f}", f"{seen.most / 1e6:.1f}"))
    header = ("", "median", "most")
    says = "Peak resident sizes of the supervisor and its witness added up, MB."
    return Table("Memory of the supervisor", says, header, tuple(rows))


def _verdict(results: Results) -> Table:
    rows = []
    for case, found in _compared(results, "verdict", "seconds"):
        bare, seen = found.bare, found.subject
        rows.append((case, *(_ms(number) for number in (bare.median, seen.median, seen.most))))
    return Table(
        "From the death to the verdict",
        "Milliseconds from just before the death until the launched process has ended. "
        "Bare: what the program's own end takes.",
        ("death", "bare, median", "outlive run, median", "outlive run, most"),
        tuple(rows),
    )


def _output(results: Results) -> Table:
    rows = []
    for case, found in _compared(results, "output", "megabytes_per_second"):
        quartiles = f"({found.paired.low:.3f}–{found.paired.high:.3f})"
        figures = (f"{found.bare.median:.0f}", f"{found.subject.median:.0f}")
        rows.append((case, *figures, f"{found.ratio:.3f} {quartiles}"))
    says = "Million bytes a second, from the first to the last."
    return Table("Output", says, ("", "bare", "outlive run", "ratio"), tuple(rows))


def _failures(results: Results) -> Table:
    """Those that no table above has a cell for."""
    rows = [
        (f"{section}: {case}", SUBJECTS[subject].shown, word)
        for section in SECTIONS
        for subject in (BARE, OUTLIVE)
        for case, word in results.failures(section, subject)
        if section != "workloads"
    ]
    return Table("What failed", "Not measured.", ("", "under", ""), tuple(rows))


def _compared(results: Results, section: str, value: str) -> list[tuple[str, Comparison]]:
    found = [
        (case, compare(results.measurements, section, case, OUTLIVE, value))
        for case in SECTIONS[section].cases
    ]
    return [(case, comparison) for case, comparison in found if comparison is not None]


def _shown(results: Results, subject: str) -> str:
    """The name of a subject with the version that was measured."""
    known = SUBJECTS[subject]
    version = results.machine.get(known.package, "") if known.package else ""
    return f"{known.shown} ({version})" if version else known.shown


def _facts(results: Results) -> str:
    packages = {subject.package for subject in SUBJECTS.values()}
    facts = [f"{name} {value}" for name, value in results.machine.items() if name not in packages]
    return "Measured on: " + ", ".join(facts) + ".\n"


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.1f}"
