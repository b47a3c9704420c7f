"""Contrast of all text in a part of a page, from the colours that the browser computed (WCAG 2: 4.5 to 1 for text)."""

from __future__ import annotations

from typing import Any

LEAST = 4.5

MEASURE = """(selector) => {
    const parts = (colour) => {
        const found = colour.match(/[\\d.]+/g).map(Number);
        const scale = colour.startsWith('color(') ? 255 : 1;
        return { rgb: found.slice(0, 3).map((one) => one * scale), alpha: found.length > 3 ? found[3] : 1 };
    };
    const over = (top, below) => below.map((one, at) => one + (top.rgb[at] - one) * top.alpha);
    const light = (rgb) => {
        const [r, g, b] = rgb.map((one) => one / 255).map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (element) => {
        const layers = [];
        for (let at = element; at; at = at.parentElement) layers.unshift(parts(getComputedStyle(at).backgroundColor));
        return layers.reduce((below, top) => over(top, below), [255, 255, 255]);
    };
    const found = [];
    for (const root of document.querySelectorAll(selector)) {
        const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            const element = texts.currentNode.parentElement, text = texts.currentNode.data.trim();
            if (!text || !element.checkVisibility() || ['STYLE', 'SCRIPT'].includes(element.tagName)) continue;
            const ground = behind(element), style = getComputedStyle(element);
            const [a, b] = [light(over(parts(style.color), ground)), light(ground)];
            const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            found.push({ ratio, text: text.slice(0, 60), colour: style.color, ground: ground.map(Math.round).join(), size: parseFloat(style.fontSize) });
        }
    }
    return found;
}"""


def texts_of(page: Any, selector: str) -> list[dict[str, Any]]:
    """Every visible piece of text below the selector: its contrast and its size, the least contrast first."""
    found: list[dict[str, Any]] = page.evaluate(MEASURE, selector)
    assert found, f"{selector} shows no text"
    return sorted(found, key=lambda text: text["ratio"])


def too_faint(page: Any, selector: str) -> list[dict[str, Any]]:
    """The texts whose contrast is too low to be read by everybody."""
    return [text for text in texts_of(page, selector) if text["ratio"] < LEAST]
