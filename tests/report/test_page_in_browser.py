"""The page about a run in a real browser, from a file, offline: quiet, deaf, and usable by mouse, keyboard and screen reader."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contrast import texts_of, too_faint
from notebook_server import browser, require_browser
from outlive.model.events import Moment, Sample
from outlive.model.findings import Fact
from outlive.report.html_page import page
from outlive.report.story import Story
from outlive.source.rewrite import Rewriting, Row
from tests.report.test_page import HOSTILE, story_with

CHROMIUM = require_browser()

pytestmark = [pytest.mark.browser, pytest.mark.timeout(200)]

MEGABYTE = 1_000_000


def growing() -> Story:
    """A run of forty seconds, whose every text is hostile."""
    story = story_with(HOSTILE)
    place = story.moments[0].place
    assert place is not None
    samples = tuple(
        Sample(at / 2, at * MEGABYTE, 9 * MEGABYTE, at * MEGABYTE, used_bytes=at * MEGABYTE, limit_bytes=90 * MEGABYTE)
        for at in range(1, 81)
    )  # fmt: skip
    facts = {"run time": Fact("run time", 41.5, "clock")}
    return replace(
        story,
        evidence=replace(
            story.evidence, run=replace(story.evidence.run, samples=samples, facts=facts)
        ),
        moments=(
            Moment(0.1, replace(place, file="first.py")),
            Moment(20.2, replace(place, file="second.py")),
        ),
        rewriting=Rewriting(0, HOSTILE, (Row("-", 3, HOSTILE), Row("+", 3, "d.shuffle(95)"))),
    )


class Opened:
    """The page, and everything that it said or asked for."""

    def __init__(self, page: Any, path: Path) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(path.as_uri())
        self.address = path.as_uri()

    @property
    def running(self) -> str:
        return str(self.page.locator("#running").text_content())


def test_the_page_is_usable_by_everybody_and_speaks_to_nobody(tmp_path: Path) -> None:
    """One browser for all of it: it is slow to start, and what it said is asked at the end."""
    path = tmp_path / "page.html"
    path.write_text(page(growing()), encoding="utf-8")
    with browser(CHROMIUM, tmp_path / "chromium") as tab:
        opened = Opened(tab, path)
        the_mouse_tells_what_was_running_and_zooms(opened)
        the_keyboard_does_the_same_and_a_screen_reader_hears_it(opened)
        tab_reaches_everything_in_the_order_of_the_page(opened)
        it_has_landmarks_and_headings_in_order(opened)
        it_is_light_and_dark_and_prints(opened)
        the_new_line_can_be_copied(opened)
        it_is_readable_on_a_phone(opened)
        nothing_was_said_and_nothing_asked_for(opened)


def at_part(opened: Opened, part: float) -> tuple[float, float]:
    opened.page.locator(".u-over").scroll_into_view_if_needed()
    box = opened.page.locator(".u-over").bounding_box()
    return box["x"] + part * box["width"], box["y"] + box["height"] / 2


def point_at(opened: Opened, part: float) -> None:
    opened.page.mouse.move(*at_part(opened, part))
    opened.page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def moment_under(opened: Opened, part: float) -> float:
    """The time under a place of the curve, as the page tells it."""
    point_at(opened, part)
    return float(opened.running.partition(" s")[0])


def the_mouse_tells_what_was_running_and_zooms(opened: Opened) -> None:
    point_at(opened, 0.25)
    assert "first.py:3" in opened.running and "limit 90.0 MB" in opened.running
    point_at(opened, 0.75)
    assert "second.py:3" in opened.running

    whole = moment_under(opened, 0.9) - moment_under(opened, 0.1)
    opened.page.mouse.move(*at_part(opened, 0.4))
    opened.page.mouse.down()
    opened.page.mouse.move(*at_part(opened, 0.6), steps=4)
    opened.page.mouse.up()
    part = moment_under(opened, 0.9) - moment_under(opened, 0.1)
    assert part < whole / 2
    opened.page.mouse.dblclick(*at_part(opened, 0.5))
    assert moment_under(opened, 0.9) - moment_under(opened, 0.1) == pytest.approx(whole, abs=1.0)


def the_keyboard_does_the_same_and_a_screen_reader_hears_it(opened: Opened) -> None:
    curve = opened.page.locator("#curve")
    curve.focus()
    assert curve.get_attribute("role") == "slider"
    assert curve.get_attribute("aria-label")

    opened.page.keyboard.press("Home")
    assert opened.running.startswith("0.5 s")
    opened.page.keyboard.press("ArrowRight")
    assert opened.running.startswith("1.0 s")
    assert curve.get_attribute("aria-valuetext") == opened.running
    opened.page.keyboard.press("End")
    assert opened.running.startswith("40.0 s")
    opened.page.keyboard.press("Home")
    opened.page.keyboard.press("+")
    opened.page.keyboard.press("+")
    near = moment_under(opened, 0.9)
    curve.focus()
    opened.page.keyboard.press("Escape")
    assert near < moment_under(opened, 0.9) / 2


def tab_reaches_everything_in_the_order_of_the_page(opened: Opened) -> None:
    opened.page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
    opened.page.evaluate("() => document.querySelector('.skip').focus()")
    positions = []
    for _ in range(40):
        positions.append(
            opened.page.evaluate(
                "() => [...document.querySelectorAll('*')].indexOf(document.activeElement)"
            )
        )
        opened.page.keyboard.press("Tab")

    reached = list(
        itertools.takewhile(lambda pair: pair[1] > pair[0], itertools.pairwise(positions))
    )
    assert len(reached) > 15
    unnamed = opened.page.evaluate(
        """() => [...document.querySelectorAll('button, a, summary, [tabindex="0"]')].filter(
            (one) => !(one.getAttribute('aria-label') || one.textContent).trim()).length"""
    )
    assert unnamed == 0


def it_has_landmarks_and_headings_in_order(opened: Opened) -> None:
    for landmark in ("header", "nav[aria-label]", "main", "footer"):
        assert opened.page.locator(f"body > {landmark}").count() == 1
    levels = opened.page.evaluate(
        "() => [...document.querySelectorAll('h1,h2,h3')].map((one) => +one.tagName[1])"
    )
    assert levels[0] == 1 and all(b <= a + 1 for a, b in itertools.pairwise(levels))
    for link in opened.page.locator("nav a").all():
        assert opened.page.locator(link.get_attribute("href")).count() == 1


def it_is_light_and_dark_and_prints(opened: Opened) -> None:
    colour = "() => getComputedStyle(document.body).backgroundColor"
    before = opened.page.evaluate(colour)
    opened.page.locator("#theme").click()
    assert opened.page.evaluate(colour) != before
    opened.page.emulate_media(color_scheme="dark", media="print")
    assert opened.page.evaluate(colour) == "rgb(255, 255, 255)"
    closed = "() => document.querySelectorAll('details:not([open])').length"
    folded = opened.page.evaluate(closed)
    opened.page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert opened.page.evaluate(closed) == 0
    opened.page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert opened.page.evaluate(closed) == folded > 0
    opened.page.emulate_media(color_scheme="light", media="screen")


def the_new_line_can_be_copied(opened: Opened) -> None:
    opened.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = opened.page.get_by_role("button", name="Copy the lines as they should be")
    button.click()
    opened.page.wait_for_function(
        "() => document.querySelector('.copied button').textContent === 'Copied'"
    )

    assert opened.page.evaluate("() => navigator.clipboard.readText()") == "d.shuffle(95)"
    assert HOSTILE[:40] in opened.page.locator(".diff .goes").inner_text()


def it_is_readable_on_a_phone(opened: Opened) -> None:
    """With everything unfolded, light and dark: the page does not scroll sideways (its code blocks do), and every text can be read."""
    page = opened.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate(
        "() => document.querySelectorAll('details').forEach((one) => { one.open = true; })"
    )
    page.evaluate("() => { delete document.documentElement.dataset.theme; }")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert 390 == page.evaluate("() => document.documentElement.scrollWidth")
        assert [] == too_faint(page, "body")
        assert 12 <= min(text["size"] for text in texts_of(page, "body"))
    code = page.locator(".source").first
    assert code.evaluate("(one) => one.scrollWidth > one.clientWidth"), (
        "a block of code scrolls by itself"
    )


def nothing_was_said_and_nothing_asked_for(opened: Opened) -> None:
    assert [] == opened.said
    assert {opened.address} == set(opened.asked)
    assert opened.page.locator("img").count() == 0
