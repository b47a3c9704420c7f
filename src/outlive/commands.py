"""`outlive why`, `runs`, `explain` and the help of everything: the part of the command line that may take its time to load."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Sequence
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from outlive import __version__
from outlive.errors import NothingRecorded, UsageError
from outlive.judging import judge
from outlive.jupyter.command_line import jupyter
from outlive.living import explain as explain_living
from outlive.living import is_process
from outlive.model import Verdict
from outlive.record import runs
from outlive.record.kernels import cells_in
from outlive.record.reading import is_running, read_run, start_of
from outlive.report.data import from_json, is_torn
from outlive.report.text import visible
from outlive.running import OPTIONS, run
from outlive.showing import console_on, neighbours_in, show
from outlive.unit import KINDS, Unit, check, discover

EPILOG = """\b
Exit statuses: 0 nothing found, 1 findings, 2 wrong usage, 3 Outlive failed.
`outlive run` returns the status of the program.
\b
OUTLIVE_HOME  where runs are recorded (else the user's state directory)
NO_COLOR      no colours
"""


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EPILOG,
    no_args_is_help=True,
)
@click.version_option(__version__, prog_name="outlive")
def cli() -> None:
    """TensorFlow programs die without saying why. Outlive tells why, to the line.

    \b
      outlive run train.py          run a program; when it dies, say why
      outlive why                   the verdict of the last run again
      outlive doctor                will TensorFlow live on this machine?
      outlive lint PATH             what in this code will kill it, before it runs
      outlive explain SLUG          the manual page of a cause of death, a check or a rule
    """


@cli.command(
    "run",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    short_help="Run a program; when it dies, say why.",
)
@click.argument(
    "command",
    nargs=-1,
    type=click.UNPROCESSED,
    shell_complete=lambda context, parameter, incomplete: [CompletionItem(incomplete, type="file")],
)
@click.pass_context
def run_(context: click.Context, /, command: tuple[str, ...], **given: object) -> None:
    """Run a program as if Outlive were not there; when it dies, say how and why.

    \b
      outlive run train.py --epochs 3     a script, with the Python that Outlive runs on
      outlive run -m package.module       a module, likewise
      outlive run python3.12 train.py     any other Python, any virtual environment
      outlive run -- bash -c "a; b"       any command at all

    The program keeps its terminal, its input and output, its working directory, its signals and its exit status ($? is the
    same, also after a death by signal). The verdict is printed to stderr after the death and kept: `outlive why` shows it
    again. A healthy run prints one line, on a terminal only.

    The program sees two changed variables: PYTHONPATH (one folder is put first; it loads the recorder and takes itself out of
    sys.path) and OUTLIVE_RECORD_FOLDER. Everything that is put into the program is listed in docs/what-is-inside.md.
    """
    chosen = [
        f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}")
        for name, value in given.items()
        if value not in (None, False)
    ]
    context.exit(run([*chosen, *command]))


for _place, _option in enumerate(OPTIONS):
    _names = [name for name in (_option.short, _option.name) if name]
    run_.params.insert(
        _place,
        click.Option(_names, type=float, metavar=_option.number, help=_option.help)
        if _option.number
        else click.Option(_names, is_flag=True, help=_option.help),
    )


def _complete_run(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in reversed(runs.list_runs()) if name.startswith(incomplete)]


@cli.command(short_help="Why did the last run (or RUN) die? What does process PID wait for?")
@click.argument("name", metavar="[RUN|PID]", required=False, shell_complete=_complete_run)
@click.option(
    "--json", "as_json", is_flag=True, help="The verdict as JSON (schema outlive.verdict/1)."
)
@click.option(
    "--share",
    is_flag=True,
    help="Mask paths, arguments, environment, user and host: fit for an issue.",
)
@click.option(
    "--again", is_flag=True, help="Judge the record again instead of showing the stored verdict."
)
@click.option(
    "--html",
    "page",
    metavar="FILE",
    help="Write one self-contained page with the memory curve, the stacks and all facts. - for stdout.",
)
@click.option(
    "--open",
    "look",
    is_flag=True,
    help="Write that page into the run's folder and open it in a browser.",
)
def why(
    name: str | None, as_json: bool, share: bool, again: bool, page: str | None, look: bool
) -> None:
    """Show the verdict of the last run, or of RUN (a name from `outlive runs`, its beginning, or a folder).

    With PID, the number of a living process: does it work, wait or hang, where, and what for? It takes about two seconds and does
    not touch the process. One that was started by `outlive run` tells most; any other Python is read with py-spy, if that is
    installed (pip install 'outlive[why]').

    \b
      outlive why 12345                        what process 12345 is doing, or waiting for
      outlive why --html report.html           a page to keep, or to send to a colleague
      outlive why --html report.html --share   … to a stranger: paths, arguments, user and host masked

    Exit status: 0 nothing is wrong, 1 there are findings, 2 there is no such run.
    """
    if name is not None and is_process(name):
        _explain_the_living(int(name), as_json=as_json, share=share, page=bool(page or look))
    folder = runs.find_run(name)
    payloads, rings = read_run(folder)
    start = start_of(payloads)
    if is_running(start) and not any(it.get("kind") == "exit" for it in payloads):
        raise NothingRecorded(
            f"The run {os.path.basename(folder)} is still going on.",
            f"Ask again when it has ended; or what it does now:  outlive why {start.get('pid')}",
        )
    # What is private is known to the causes alone, it is not in the stored verdict: to share it, ask them again.
    verdict = _stored(folder) if not (again or share or page or look) else None
    if verdict is None:
        verdict, evidence = judge(os.path.basename(folder), payloads, rings)
    if page or look:
        from outlive.paging import story_of, write_page

        told = story_of(verdict, evidence, payloads, rings, share=share)
        write_page(told, page or os.path.join(folder, runs.PAGE_NAME), look=look)
        sys.exit(1 if verdict.findings else 0)
    around = neighbours_in(_program_folder(payloads), cells_in(rings))
    show(verdict, around, as_json=as_json, share=share)
    sys.exit(1 if verdict.findings else 0)


def _explain_the_living(pid: int, *, as_json: bool, share: bool, page: bool) -> NoReturn:
    if page:
        raise UsageError(
            "A page can be made of a run that has ended, not of a living process.",
            f"Without --html and --open:  outlive why {pid}",
        )
    verdict, evidence = explain_living(pid)
    show(verdict, neighbours_in(evidence.program.folder), as_json=as_json, share=share)
    sys.exit(1 if verdict.findings else 0)


UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def _bytes(context: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    """A size as people write it."""
    if value is None:
        return None
    text = value.strip().upper().removesuffix("B")
    digits = text.rstrip("KMGT")
    try:
        return int(float(digits) * UNITS[text[len(digits) :]])
    except (ValueError, KeyError) as error:
        raise click.BadParameter("write it as 800MB or 2GB") from error


@cli.command(short_help="What runs now: memory, forecast, the hottest line.")
@click.argument("name", metavar="[RUN]", required=False, shell_complete=_complete_run)
@click.option(
    "--interval",
    default=1.0,
    show_default=True,
    type=click.FloatRange(0.1, 3600),
    help="Seconds between looks.",
)
@click.option(
    "--once", is_flag=True, help="Look once (also what happens when stdout is no terminal)."
)
@click.option("--json", "as_json", is_flag=True, help="Look once; one JSON object a run and line.")
def top(name: str | None, interval: float, once: bool, as_json: bool) -> None:
    """Watch the programs that were started with `outlive run` on this machine, or one of them.

    Memory against the limit that will end it first (a control group's, else the machine's), when that is reached if memory goes on
    rising as it does now, the line that was seen most often in the last ten seconds, and what holds memory. It only reads the records:
    the programs do not notice. q or Ctrl-C ends it.
    """
    from outlive.watching import watch

    watch(name, interval, once, as_json)


@cli.command(short_help="Read a data set before a model does.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--labels", metavar="FILE", help="The label map: .pbtxt, JSON, or one name a line.")
@click.option(
    "--budget",
    metavar="SIZE",
    callback=_bytes,
    help="Memory for one picture, as 800MB or 2GB; else half of the effective limit.",
)
@click.option("--jobs", "-j", type=click.IntRange(1), help="Processes; else one for each core.")
@click.option(
    "--no-cache",
    is_flag=True,
    help="Read everything again, also what has not changed since the last scan.",
)
@click.option(
    "--fix",
    is_flag=True,
    help="Mend what can be mended without loss: names that do not fit the format.",
)
@click.option(
    "--quarantine",
    metavar="DIR",
    help="Move the files that would stop a run there, with quarantine.jsonl saying why.",
)
@click.option(
    "--dry-run", is_flag=True, help="With --fix and --quarantine: say what would be done."
)
@click.option(
    "--all", "show_all", is_flag=True, help="List every flaw, not the first five of each kind."
)
@click.option("--json", "as_json", is_flag=True, help="Everything as one JSON object.")
def scan(paths: tuple[str, ...], **options: Any) -> None:
    """Name every file and record that would stop a run, or silently spoil it, before it does.

    \b
      outlive scan photos/                          pictures
      outlive scan 'data/*.tfrecord' --labels map.pbtxt
      outlive scan voc/ coco.json labels/           annotations: Pascal VOC, COCO, YOLO

    Pictures: truncated, empty, corrupt, no picture at all, wrong extension, too large, animated, CMYK, 16-bit, with transparency,
    EXIF-rotated, grey among coloured ones. TFRecord files: checksums, truncation, the offset of the first bad byte, features that
    are missing or of another type. Annotations: boxes outside, inverted, empty, not finite, in the wrong unit; unknown labels; counts
    and sizes that disagree; missing pictures; duplicates. Nothing is changed unless you ask for it.

    Exit status: 0 no flaw, 1 flaws, 2 wrong usage.
    """
    from outlive.scanning import scan_paths

    options["use_cache"] = not options.pop("no_cache")
    sys.exit(scan_paths(paths, **options))


@cli.command(short_help="What in this code will kill it, before it runs.")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path())
@click.option(
    "--fix", is_flag=True, help="Rewrite what is safe to rewrite, and show the difference."
)
@click.option(
    "--unsafe-fixes",
    "unsafe",
    is_flag=True,
    help="Rewrite also what may change results (a float32 for a float64).",
)
@click.option("--diff", is_flag=True, help="Show what would be rewritten, and write nothing.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
    help="How findings are shown.",
)
@click.option("--select", multiple=True, metavar="RULE", help="Ask only this rule (slug or code).")
@click.option("--ignore", multiple=True, metavar="RULE", help="Do not ask this rule.")
@click.option(
    "--confidence",
    "sure",
    type=click.Choice(["likely", "possible"]),
    help="How sure a finding must be to be shown. [default: likely]",
)
@click.option(
    "--config", metavar="FILE", help="This pyproject.toml instead of the nearest one above PATH."
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(0),
    default=0,
    help="How many processes work on the files. [default: one a core]",
)
@click.pass_context
def lint(context: click.Context, /, paths: tuple[str, ...], **options: Any) -> None:
    """Read scripts and notebooks, and say what in them will kill the program. Without PATH, the folder you are in.

    \b
      outlive lint src/ train.ipynb
      outlive lint --diff .                     what --fix would change
      outlive lint --format sarif . > out.sarif

    Nothing is run or imported. A line is allowed with  # outlive: allow SLUG and the reason.  Settings: [tool.outlive.lint] in
    pyproject.toml (select, ignore, exclude, confidence). `outlive explain SLUG` is the manual page of a rule.
    Exit status: 0 nothing found, 1 findings or a file that cannot be read, 2 wrong usage, 3 Outlive failed.
    """
    from outlive.linting.command import lint as look

    context.exit(look(paths or (".",), **options))


@cli.command("runs", short_help="List the recorded runs.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option(
    "-n", "count", default=20, show_default=True, help="How many, the newest first. 0 for all."
)
def list_(as_json: bool, count: int) -> None:
    """List the recorded runs, the newest first: when, how it ended, why, what was run."""
    names = list(reversed(runs.list_runs()))
    rows = [_summary(name) for name in (names[:count] if count else names)]
    if as_json:
        for row in rows:
            print(json.dumps(row))
        return
    if not rows:
        print(f"Nothing has been recorded yet (looked in {runs.runs_folder()}).", file=sys.stderr)
        return
    _print_rows(rows)


def _print_rows(rows: Sequence[dict[str, Any]]) -> None:
    """A line for each run: cut at the edge of a terminal, whole in a pipe."""
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text

    titles = ("run", "ended", "cause", "command")
    cells = [titles, *(tuple(visible(str(row[title] or "")) for title in titles) for row in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    console = console_on(sys.stdout)
    for cell in cells:
        padded = [set_cell_size(text, width) for text, width in zip(cell, widths, strict=True)]
        line = Text("  ".join(padded).rstrip())
        if console.is_terminal:
            line.truncate(console.width, overflow="ellipsis")
        console.print(line, soft_wrap=True)


def _units() -> list[Unit[Any]]:
    """Everything that has a manual page."""
    return [unit for kind in KINDS for unit in discover(kind)]


def _complete_unit(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    return [unit.slug for unit in _units() if unit.slug.startswith(incomplete)]


@cli.command(short_help="The manual page of a cause of death, a check or a rule.")
@click.argument("slug", required=False, shell_complete=_complete_unit)
@click.option("--json", "as_json", is_flag=True, help="The page as JSON.")
def explain(slug: str | None, as_json: bool) -> None:
    """Explain a cause of death, a check of `outlive doctor` or a rule of `outlive lint`: what it is, how Outlive knows, what to do. Without SLUG, list them all."""
    units = _units()
    if slug is None:
        if as_json:
            print(json.dumps([_page(unit) for unit in units], indent=1))
            return
        for unit in units:
            print(f"{unit.slug:<24} {unit.headline}")
        return
    wanted = [unit for unit in units if slug in (unit.slug, unit.code)]
    if not wanted:
        raise UsageError(
            f"There is no cause, check or rule {slug!r}.", "`outlive explain` lists them."
        )
    if as_json:
        print(json.dumps(_page(wanted[0]), indent=1))
        return
    from rich.markdown import Markdown

    console = console_on(sys.stdout)
    console.print(Markdown(f"# {wanted[0].slug} ({wanted[0].code})\n\n{wanted[0].doc}"))


def _complete_check(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    return [unit.slug for unit in discover(check) if unit.slug.startswith(incomplete)]


@cli.command(short_help="Will TensorFlow live on this machine?")
@click.argument("checks", nargs=-1, shell_complete=_complete_check)
@click.option(
    "--python", metavar="PATH", help="The Python to look at, if not the one that runs Outlive."
)
@click.option("--json", "as_json", is_flag=True, help="As JSON (schema outlive.checkup/1).")
@click.option(
    "--facts", is_flag=True, help="Show the facts and their sources for what is fine, too."
)
@click.option(
    "--no-import", is_flag=True, help="Import nothing, not even in a child (faster, tells less)."
)
@click.option("--fix", is_flag=True, help="Mend what is safe to mend, and look again.")
@click.option("--dry-run", is_flag=True, help="With --fix: only say what would be done.")
@click.option(
    "--cluster", is_flag=True, help="Look at the cluster: names, ports, clocks, links, versions."
)
@click.option(
    "--hosts", metavar="LIST", help="Its tasks, HOST:PORT,…; else from TF_CONFIG or Slurm."
)
@click.option("--agent", is_flag=True, help="Be the agent of this host; needs OUTLIVE_TOKEN.")
@click.option(
    "--agent-port",
    type=click.IntRange(1, 65535),
    default=7117,
    show_default=True,
    help="The agents' port.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(1, 3600),
    default=600,
    show_default=True,
    help="An agent lives at most so long.",
)
@click.option(
    "--wait",
    type=click.FloatRange(0, 600),
    default=30,
    show_default=True,
    help="Wait so long for agents.",
)
def doctor(
    checks: tuple[str, ...],
    no_import: bool,
    hosts: str | None,
    agent_port: int,
    seconds: float,
    wait: float,
    **options: Any,
) -> None:
    """Tell whether TensorFlow will live on this machine: processor, memory, disk, limits, installation. With CHECKS, ask only these.

    Everything that touches a library happens in a child that may crash. Nothing is changed without --fix.

    For a cluster, start an agent on each host with your own launcher, then look from one of them:

    \b
      OUTLIVE_TOKEN=SECRET outlive doctor --agent
      OUTLIVE_TOKEN=SECRET outlive doctor --cluster --hosts a:2222,b:2222
      OUTLIVE_TOKEN=SECRET srun outlive doctor --cluster

    Exit status: 0 nothing found, 1 findings, 2 wrong usage, 3 Outlive failed.
    """
    from outlive.clustering import ClusterOptions
    from outlive.doctoring import doctor as run_doctor

    around = ClusterOptions(hosts, agent_port, seconds, wait)
    sys.exit(run_doctor(checks, trials=not no_import, around=around, **options))


cli.add_command(jupyter)


@cli.command(short_help="Print the shell completion script.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script: put  eval "$(outlive completion bash)"  into ~/.bashrc (zsh and fish likewise)."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    if found is None:
        raise UsageError(f"There is no completion for {shell}.")
    print(found(cli, {}, "outlive", "_OUTLIVE_COMPLETE").source())


def run_command_line(arguments: Sequence[str]) -> int:
    """Hand over to click, with our statuses."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # what it cannot show, it writes out
    try:
        status = cli.main(args=list(arguments), prog_name="outlive", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())
        return 2
    except click.ClickException as error:
        error.show()
        return 2
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort:
        return 130
    return status if isinstance(status, int) else 0  # what a command gives to ``context.exit``


def _program_folder(payloads: list[dict[str, Any]]) -> str:
    return str(start_of(payloads).get("folder", ""))


def _stored(folder: str) -> Verdict | None:
    """The verdict that was made when the run ended; none when the disk was full, say, and it was cut off."""
    path = os.path.join(folder, runs.VERDICT_NAME)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return None
    return None if is_torn(text) else from_json(text)


def _summary(name: str) -> dict[str, Any]:
    folder = runs.folder_of(name)
    payloads, _ = read_run(folder)
    run = start_of(payloads)
    try:
        verdict = _stored(folder)
    except Exception as error:  # one unreadable verdict must not hide the others
        return {
            "run": name,
            "ended": f"unreadable: {error}",
            "cause": None,
            "command": None,
            "began": None,
        }
    began = run.get("time")
    return {
        "run": name,
        "ended": verdict.ending.detail if verdict else _without_verdict(run, payloads),
        "cause": verdict.cause.slug if verdict and verdict.cause else None,
        "command": " ".join(str(word) for word in run.get("command", ())),
        "began": time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(began)) if began else None,
    }


def _without_verdict(run: dict[str, Any], payloads: list[dict[str, Any]]) -> str:
    """No verdict was stored: nothing happened, or it still goes on, or the supervisor was ended too."""
    end = next((payload for payload in payloads if payload.get("kind") == "end"), None)
    if end is not None:
        return f"finished after {end.get('at', 0):.1f} s"
    return "still running" if is_running(run) else "not sealed: the supervisor was ended too"


def _page(unit: Unit[Any]) -> dict[str, Any]:
    return {
        "slug": unit.slug,
        "code": unit.code,
        "since": unit.since,
        "needs": list(unit.needs),
        "prevents": list(unit.prevents),
        "page": unit.doc,
    }
