"""The report that pytest could not write: JUnit's XML, with the test that was killed as an error that says why."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from outlive.model.findings import Verdict
from outlive.pytest_plugin.course import OUTCOMES, Case, Course

#: What XML cannot hold, not even escaped.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
TAGS = {"failed": "failure", "error": "error", "skipped": "skipped"}


def report_of(course: Course, verdict: Verdict, told: str) -> bytes:
    """The whole file; ``told`` is the verdict as text."""
    cause = verdict.cause
    why = cause.says if cause else f"{verdict.ending.detail}; cause unknown."
    killed = [(cut.node, f"died during {cut.when}") for cut in course.cut]
    if not killed:
        killed = [(course.collecting or "pytest", course.words())]
    suite = ElementTree.Element("testsuite", {"name": "pytest", **_counts(course, len(killed))})
    for case in course.cases:
        _add(suite, case)
    for node, how in killed:
        test = _test(suite, node, 0.0)
        error = ElementTree.SubElement(test, "error", message=_text(f"{how}: {why}"))
        error.set("type", cause.slug if cause else "unknown")
        error.text = _text(told)
    root = ElementTree.Element("testsuites", name="pytest tests")
    root.append(suite)
    told_all: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return told_all


def _counts(course: Course, killed: int) -> dict[str, str]:
    number = {name: sum(case.outcome == name for case in course.cases) for name in OUTCOMES}
    return {
        "errors": str(number["error"] + killed),
        "failures": str(number["failed"]),
        "skipped": str(number["skipped"]),
        "tests": str(len(course.cases) + killed),
        "time": f"{sum(case.seconds for case in course.cases):.3f}",
    }


def _add(suite: ElementTree.Element, case: Case) -> None:
    test = _test(suite, case.node, case.seconds)
    if case.outcome in TAGS:
        lines = case.text.strip().splitlines() or [case.outcome]
        result = ElementTree.SubElement(test, TAGS[case.outcome], message=_text(lines[-1]))
        result.text = _text(case.text)


def _test(suite: ElementTree.Element, node: str, seconds: float) -> ElementTree.Element:
    """Named as pytest names it: ``a/test_b.py::TestC::test_d[x]`` is ``test_d[x]`` of ``a.test_b.TestC``."""
    address, bracket, parameters = node.partition("[")
    file, *names = address.split("::")
    parts = [file.removesuffix(".py").replace("/", "."), *names]
    return ElementTree.SubElement(
        suite,
        "testcase",
        classname=_text(".".join(parts[:-1])),
        name=_text(parts[-1] + bracket + parameters),
        time=f"{seconds:.3f}",
    )


def _text(text: str) -> str:
    return NOT_XML.sub(lambda found: ascii(found[0])[1:-1], text)
