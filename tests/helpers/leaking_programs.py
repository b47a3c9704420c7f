"""Real programs that put secrets in one place each, and everything that Outlive says or leaves of them afterwards."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from fake_secrets import Fake, found_in
from outlive.cli.command_line import run_command_line

#: What the program itself writes to stderr is its own affair: it goes nowhere, though the recorder hears it.
HEAD = """\
import json, os, sys, threading, time
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
TEXTS = json.load(open({texts!r}))
SECRETS = json.load(open({secrets!r}))
HALF = len(TEXTS) // 2
"""

PLACES = {
    "message": """
def parts():
    step = max(1, len(TEXTS) // 5)
    return [TEXTS[at : at + step] for at in range(0, len(TEXTS), step)]
def fail(parts):
    if not parts:
        return
    try:
        fail(parts[1:])
    finally:
        raise ValueError("it said: " + " and\\n".join(parts[0]))
fail(parts())
""",
    "quoted": """
raise KeyError(*[{"it": [text]} for text in TEXTS[:HALF]]) from ValueError(json.dumps(TEXTS[HALF:]))
""",
    "stderr": """
for number in range(4000): print("step", number, "went well", file=sys.stderr)
for text in TEXTS:
    print("2026-01-01 INFO", text, file=sys.stderr)
os.write(2, "\\n".join(TEXTS).encode())
sys.exit(3)
""",
    "argv": """
raise RuntimeError("refused: " + " ".join(sys.argv[1:]))
""",
    "env": """
for name, value in sorted(os.environ.items()):
    if name.startswith(("TF_VAR_", "FAKE_")):
        print(name, value, file=sys.stderr)
raise KeyError([value for name, value in os.environ.items() if name.startswith("FAKE_TOKEN")])
""",
    "variables": """
import pathlib
def step(password, rows, path, **settings):
    token, holder, images = SECRETS[0], {text[:60]: text for text in TEXTS}, [pathlib.Path("/data") / text for text in TEXTS]
    names = ["/data/" + text for text in TEXTS]
    return [row for row in rows] + [1 / 0]
step(SECRETS[1], TEXTS, "/data/" + TEXTS[0], **{"k%d" % n: text for n, text in enumerate(TEXTS)})
""",
    "threads": """
def wait(): time.sleep(0.5)
def fail(): raise ValueError("in a thread")
class Fine(threading.Thread): pass
threads = [threading.Thread(target=wait, name=text) for text in TEXTS]
for at in range(0, len(threads), 8):
    some = threads[at : at + 8] + [threading.Thread(target=fail, name=TEXTS[at])]
    for thread in some: thread.start()
    if at < 24: time.sleep(0.1)
raise SystemExit(3)
""",
    "crash": """
import faulthandler, ctypes
libc = ctypes.CDLL(None)
try: libc.prctl(15, SECRETS[2].encode()[:40], 0, 0, 0)
except Exception: pass
print("\\n".join(TEXTS), file=sys.stderr)
def down(texts):
    if texts: return down(texts[1:])
    ctypes.string_at(0)
down(TEXTS[:40])
""",
    "exit": """
class Exit(SystemExit): pass
for text in TEXTS:
    try: sys.exit(f"{'- ' * 130}{text} was not taken")
    except SystemExit: pass
sys.exit("- " * 142 + "; ".join(TEXTS))
""",
    "path": """
threads = [threading.Thread(target=open, args=(f"/nowhere/{text}/x.txt",)) for text in TEXTS]
for thread in threads: thread.start()
for thread in threads: thread.join()
for text in TEXTS:
    try: __import__("missing_" + text)
    except (ImportError, ValueError): pass
open("/nowhere/" + TEXTS[0] + "/" + TEXTS[1])
""",
    "frames": """
def chain(texts, last):
    scope = {"go": last, "wait": time.sleep}
    for number, text in enumerate(texts):
        file = "/srv/" + text.replace(chr(0), "") + "/module.py"
        exec(compile("def f(go=go):\\n wait(0.02)\\n go()", file, "exec"), scope)
        code = scope["f"].__code__
        code = code.replace(co_name=text.replace("\\n", " "))
        scope["go"] = type(chain)(code, scope, "f", (scope["go"],))
    return scope["go"]
def wait(): time.sleep(0.3)
def fail(): raise ValueError("in many files")
threads = [threading.Thread(target=chain(TEXTS[at : at + 9], wait)) for at in range(0, len(TEXTS), 9)]
for at in range(0, len(threads), 6):
    for thread in threads[at : at + 6]: thread.start()
    for thread in threads[at : at + 6]: thread.join()
chain(TEXTS[:40], lambda: None)()
chain(TEXTS[40:], fail)()
""",
    "folder": """
def fail(): open("missing.txt")
threads = [threading.Thread(target=time.sleep, args=(0.3,)), threading.Thread(target=fail)]
for thread in threads: thread.start()
for thread in threads: thread.join()
import ctypes
if os.fork() == 0: ctypes.string_at(0)
os.wait()
fail()
""",
    "crash in files": """
import ctypes
def chain(texts):
    scope = {"go": lambda: ctypes.string_at(0)}
    for text in texts:
        exec(compile("def f(go=go): go()", "/srv/" + text.replace(chr(0), "") + "/module.py", "exec"), scope)
        code = scope["f"].__code__.replace(co_name=text.replace("\\n", " "))
        scope["go"] = type(chain)(code, scope, "f", (scope["go"],))
    return scope["go"]
def wait(): time.sleep(9)
others = [threading.Thread(target=chain(TEXTS[at : at + 40]), daemon=True) for at in (0, 30)]
chain(TEXTS[-45:])()
""",
}  # fmt: skip


#: Of a folder; Linux takes 4096 bytes.
LONGEST_PATH = 3500


def source_of(secrets: Sequence[Fake], fail: str = "1 / 0") -> str:
    """A program with a secret in every line that a traceback, and the page, may show."""
    lines = ["import os", "os.dup2(os.open(os.devnull, os.O_WRONLY), 2)"]
    for number, fake in enumerate(secrets):
        if "\n" in fake.text:
            lines += [f'k{number} = """{fake.text}"""', f"def f{number}(): f{number + 1}()"]
        else:
            lines += [
                f"def f{number}(): f{number + 1}()  # {fake.text}",
                f"t{number} = {json.dumps(fake.text)}",
            ]
    half = len(secrets) // 2
    return "\n".join([*lines, f"def f{len(secrets)}(): {fail}", f"f{half}()", ""])


#: What the exported files hold too, and what differs in form alone: for the long test.
TOLD_ELSEWHERE = (
    "why --again",
    "why --share",
    "page",
    "page --share",
    "why of the export",
    "compare",
)


class Leaks:
    """One run and all that is said of it."""

    def __init__(self, folder: Path, secrets: Sequence[Fake]) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.secrets = list(secrets)
        self.outputs: dict[str, str] = {}

    def run(self, place: str) -> None:
        """Run the program that puts the secrets there, watched, with all that can be asked for."""
        texts, raw = self.folder / "texts.json", self.folder / "raw.json"
        texts.write_text(json.dumps([fake.text for fake in self.secrets]))
        raw.write_text(json.dumps([fake.secret for fake in self.secrets * 3]))
        script = self._folder_of(place) / "it.py"
        script.parent.mkdir(parents=True, exist_ok=True)
        head = HEAD.format(texts=str(texts), secrets=str(raw))
        script.write_text(source_of(self.secrets) if place == "source" else head + PLACES[place])
        arguments = [fake.text for fake in self.secrets] if place == "argv" else []
        command = [
            sys.executable,
            "-m",
            "outlive",
            "run",
            "--on-death",
            f"cat >> {self.folder}/hook",
        ]
        command += ["--metrics", str(self.folder / "metrics"), str(script), *arguments]
        done = subprocess.run(
            command,
            env=self._environment(place),
            cwd=script.parent,
            capture_output=True,
            timeout=100,
            check=False,
        )
        assert done.returncode != 0, place
        self.outputs["terminal"] = (done.stdout + done.stderr).decode("utf-8", "replace")
        for name in ("hook", "metrics"):
            self.outputs[name] = (self.folder / name).read_text()

    def _folder_of(self, place: str) -> Path:
        """Where the program lies: for one place in folders that are named after the secrets, as far as that is possible."""
        found = self.folder / "work"
        for fake in self.secrets if place == "folder" else ():
            alone = len(self.secrets) == 1
            possible = (
                not set(fake.text) & set("/\n" if alone else "/\n =:") and len(fake.text) < 250
            )
            if possible and len(str(found / fake.text)) < LONGEST_PATH:
                found /= fake.text
        return found

    def _environment(self, place: str) -> dict[str, str]:
        found = os.environ | {"OUTLIVE_HOME": str(self.home), "GITHUB_ACTIONS": "true"}
        found["GITHUB_STEP_SUMMARY"] = str(self.folder / "summary")
        if place == "env":
            for number, fake in enumerate(self.secrets):
                found[f"FAKE_TOKEN_{number}"] = fake.secret
                found[f"TF_VAR_db_{number}"] = fake.text
                found[f"FAKE_{number}"] = fake.text
        return found

    def ask(self, everything: bool = False) -> None:
        """What can be asked of the run, in this process: it knows nothing of the program's secrets."""
        os.environ["OUTLIVE_HOME"] = str(self.home)
        shared, whole = self.folder / "shared.zip", self.folder / "whole.zip"
        commands: Mapping[str, Sequence[str]] = {
            "why": ["why"],
            "why --json": ["why", "--json"],
            "why --again": ["why", "--again"],
            "why --share": ["why", "--share"],
            "why --share --json": ["why", "--share", "--json"],
            "page": ["why", "--html", "-"],
            "page --share": ["why", "--html", "-", "--share"],
            "runs": ["runs"],
            "runs --json": ["runs", "--json"],
            "export": ["runs", "export", "last", str(whole)],
            "export --share": ["runs", "export", "last", str(shared), "--share"],
            "why of the export": ["why", str(whole)],
            "compare": ["compare", str(whole)],
            "compare --json": ["compare", str(whole), "--json"],
        }
        told_elsewhere = () if everything else TOLD_ELSEWHERE
        for name, words in commands.items():
            if name not in told_elsewhere:
                self.outputs[name] = said_by(words)
        for path in (shared, whole):
            with zipfile.ZipFile(path) as box:
                for name in box.namelist():
                    self.outputs[f"{path.name}: {name}"] = box.read(name).decode("utf-8", "replace")

    def files(self) -> Iterator[tuple[str, str]]:
        """What lies on the disk."""
        for path in [*self.home.rglob("*"), self.folder / "summary"]:
            if path.is_file():
                yield path.name, path.read_bytes().decode("utf-8", "replace")
            if path.is_symlink():
                yield path.name, os.readlink(path)

    def leaks(self) -> list[tuple[str, str]]:
        """Where a secret, or a piece of one, stands, and of which shape it is."""
        everything = [*self.outputs.items(), *self.files()]
        return [
            (name, shape)
            for name, text in everything
            for shape in found_in(text.replace("\\/", "/"), self.secrets)
        ]


def said_by(words: Sequence[str]) -> str:
    """All that one command says."""
    said = io.StringIO()
    silence = contextlib.suppress(SystemExit)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), silence:
        run_command_line(list(words))
    return said.getvalue()
