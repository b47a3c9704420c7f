"""From the words that a person has (a message, a status, a complaint) to the page that explains them.

The manual's search box does the same in its few lines of JavaScript, over the same index; a test compares the two.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from outlive.model.quick_dataclass import dataclass
from outlive.units.symptoms import SHARED, SYMPTOMS, Symptom
from outlive.units.unit import AnyUnit

WORD = re.compile(r"[a-z0-9_]+")

#: A word that people search for says more about a page than one of its headline, and that more than one of its text.
SEARCHED, HEADLINE, TEXT = 6, 3, 1

#: Of the pages that know the same words, the one that tells the others apart comes first.
OVERVIEW = SEARCHED + 1

#: A page must know this share of what was asked, weighed by how telling the words are.
ENOUGH = 0.34
#: … and score at least this share of the best page.
NEAR_THE_BEST = 0.4
MOST = 8


@dataclass(frozen=True, slots=True)
class Page:
    """What can be found: its name, its first sentence, and how much each word says of it."""

    name: str
    title: str
    headline: str
    weights: Mapping[str, int]
    phrases: tuple[str, ...]  #: in the form in which they are compared


def words_of(text: str) -> list[str]:
    """The words of a text, as they are compared."""
    return WORD.findall(text.casefold())


def compared(phrases: Iterable[str]) -> tuple[str, ...]:
    """Phrases in the form in which they are found in one another: their words between blanks."""
    return tuple(f" {' '.join(words_of(phrase))} " for phrase in phrases)


def weighed(
    searched: Iterable[str], headline: str, text: str, best: int = SEARCHED
) -> Mapping[str, int]:
    """How much each word says: by the best place where it stands."""
    weights = dict.fromkeys(words_of(text), TEXT)
    weights |= dict.fromkeys(words_of(headline), HEADLINE)
    weights |= dict.fromkeys((word for phrase in searched for word in words_of(phrase)), best)
    return weights


def page_of_unit(unit: AnyUnit) -> Page:
    """A cause, a check, a rule or a remedy."""
    name = unit.slug.replace("-", " ")
    searched = (*unit.searched, name, unit.code)
    weights = weighed(searched, unit.headline, unit.doc)
    return Page(unit.slug, unit.slug, unit.headline, weights, compared(searched))


def is_searched_by(unit: AnyUnit, phrase: str) -> bool:
    """Tell whether people who meet this unit search for the phrase."""
    return words_of(phrase) in map(words_of, unit.searched)


def symptoms(units: Iterable[AnyUnit]) -> tuple[Symptom, ...]:
    """Return what leads to several units: the phrases that have a text of their own, then the others that units share."""
    phrases: dict[tuple[str, ...], list[str]] = {}
    for unit in units:
        for phrase in unit.searched:
            phrases.setdefault(tuple(words_of(phrase)), []).append(phrase)
    written = {tuple(words_of(symptom.phrase)) for symptom in SYMPTOMS}
    shared = [same[0] for words, same in phrases.items() if len(same) > 1 and words not in written]
    return (*SYMPTOMS, *(Symptom(phrase, (), SHARED) for phrase in shared))


def page_of_symptom(symptom: Symptom) -> Page:
    """What several causes look like."""
    searched = (symptom.phrase, *symptom.also)
    headline = symptom.says.partition(". ")[0].rstrip(".") + "."
    weights = weighed(searched, symptom.phrase, symptom.says, OVERVIEW)
    return Page(symptom.slug, symptom.phrase, headline, weights, compared(searched))


def rarity(pages: Sequence[Page]) -> dict[str, float]:
    """How telling a word is: one that every page has tells nothing."""
    seen = Counter(word for page in pages for word in page.weights)
    return {word: math.log(1 + len(pages) / count) for word, count in seen.items()}


def find(query: str, pages: Sequence[Page]) -> list[Page]:
    """The pages that fit best, the best first."""
    telling = rarity(pages)
    asked = set(words_of(query)) & telling.keys()
    all_that_was_asked = sum(telling[word] for word in asked)
    (whole,) = compared((query,))
    found = []
    for page in pages:
        known = [word for word in asked if word in page.weights]
        if sum(telling[word] for word in known) >= ENOUGH * all_that_was_asked and known:
            score = sum(telling[word] * page.weights[word] for word in known)
            # a whole phrase, word for word, counts once more
            phrases = [phrase.split() for phrase in page.phrases if phrase in whole]
            score += max(
                (sum(telling[word] for word in it) * OVERVIEW for it in phrases), default=0
            )
            found.append((-score, page.name, page))
    found.sort(key=lambda entry: entry[:2])
    return [page for score, _, page in found[:MOST] if score <= NEAR_THE_BEST * found[0][0]]


def knows(page: Page, query: str) -> bool:
    """Whether people who search for all of these words look for this page."""
    return all(page.weights.get(word, 0) >= SEARCHED for word in words_of(query))


def everything(units: Iterable[AnyUnit]) -> list[Page]:
    """All that can be found in the manual's own words: symptoms and units."""
    units = tuple(units)
    return [
        *(page_of_symptom(symptom) for symptom in symptoms(units)),
        *(page_of_unit(unit) for unit in units),
    ]
