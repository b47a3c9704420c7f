"""What people type leads to the page that explains it."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace

import pytest

from conftest import Outlive
from outlive.__main__ import main
from outlive.units.search import everything, find, is_searched_by, symptoms, words_of
from outlive.units.symptoms import SYMPTOMS, Symptom
from outlive.units.unit import KINDS, Unit, cause, discover

CAUSES = discover(cause)
PAGES = everything(unit for kind in KINDS for unit in discover(kind))
BY_PHRASE: dict[str, list[str]] = defaultdict(list)
for _unit in CAUSES:
    for _phrase in _unit.searched:
        BY_PHRASE[" ".join(words_of(_phrase))].append(_unit.slug)

every_cause = pytest.mark.parametrize("unit", CAUSES, ids=lambda unit: unit.slug)
every_symptom = pytest.mark.parametrize(
    "symptom", symptoms(CAUSES), ids=lambda symptom: symptom.slug
)


def found(query: str) -> list[str]:
    return [page.name for page in find(query, PAGES)]


@every_cause
def test_a_cause_says_what_people_who_meet_it_search_for(unit: Unit) -> None:
    own = [phrase for phrase in unit.searched if 1 == len(BY_PHRASE[" ".join(words_of(phrase))])]

    assert len(unit.searched) >= 2
    assert own, "it has no words of its own"
    assert len(unit.searched) == len({phrase.casefold() for phrase in unit.searched})
    assert all(phrase == phrase.strip() and words_of(phrase) for phrase in unit.searched)


def test_what_several_causes_are_searched_by_has_a_page_that_tells_them_apart() -> None:
    shared = {phrase: slugs for phrase, slugs in BY_PHRASE.items() if len(slugs) > 1}
    pages = symptoms(CAUSES)

    assert shared.keys() == {" ".join(words_of(symptom.phrase)) for symptom in pages}
    assert len(pages) == len({symptom.slug for symptom in pages})
    assert SYMPTOMS == pages[: len(SYMPTOMS)], "a text for a phrase that no causes share"


def test_a_phrase_that_causes_begin_to_share_gets_a_page_that_lists_them() -> None:
    first, second = CAUSES[0], replace(CAUSES[1], searched=(CAUSES[0].searched[-1].upper(), "x y"))
    shared = symptoms((first, second))[len(SYMPTOMS) :]

    assert [first.searched[-1]] == [symptom.phrase for symptom in shared]
    assert all(is_searched_by(unit, shared[0].phrase) for unit in (first, second))
    assert shared[0].slug == find(shared[0].phrase, everything((first, second)))[0].name


@every_symptom
def test_other_words_for_a_symptom_belong_to_no_cause_and_no_other_symptom(
    symptom: Symptom,
) -> None:
    others = {" ".join(words_of(text)) for it in SYMPTOMS if it != symptom for text in it.also}

    for text in symptom.also:
        assert " ".join(words_of(text)) not in BY_PHRASE.keys() | others


@every_cause
def test_each_phrase_leads_to_its_cause_or_to_the_page_of_the_symptom(unit: Unit) -> None:
    overviews = {" ".join(words_of(it.phrase)): it.slug for it in symptoms(CAUSES)}
    for phrase in unit.searched:
        if (words := " ".join(words_of(phrase))) in overviews:
            assert overviews[words] == found(phrase)[0]
        else:
            assert unit.slug in found(phrase)[:2], (phrase, found(phrase))


@every_symptom
def test_each_word_for_a_symptom_leads_to_its_page(symptom: Symptom) -> None:
    for phrase in (symptom.phrase, *symptom.also):
        assert symptom.slug in found(phrase)[:2], (phrase, found(phrase))


@pytest.mark.parametrize(
    ("pasted", "page"),
    [
        ("2026-01-01 00:00:00.1: F tensorflow/core/framework/tensor.cc:733] Check failed: 1 == NumElements() (1 vs. 2)Must have a one element tensor", "tf-check-failed"),
        ("Canceled future for execute_request message before replies were done\nThe Kernel crashed while executing code in the the current cell or a previous cell. Please review the code", "seen-tensorflow-kernel-died"),
        ("the container exited with code 137", "seen-exit-code-137"),
        ("OSError: [Errno 24] Too many open files: '/data/train/0001.jpg'", "too-many-open-files"),
        ("tensorflow.python.framework.errors_impl.DataLossError: corrupted record at 12345 [Op:IteratorGetNext]", "corrupt-record"),
        ("RuntimeError: can't start new thread", "too-many-threads"),
        ("ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject", "numpy-abi-mismatch"),
    ],
)  # fmt: skip
def test_a_whole_message_leads_there_too(pasted: str, page: str) -> None:
    assert page == found(pasted)[0]


def test_what_nobody_knows_finds_nothing() -> None:
    assert [] == found("zxqv") == found("") == found("??? !!!")


def test_explain_finds_by_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["explain", "exit", "code", "137"])

    told = capsys.readouterr().out
    assert "128 + 9" in told
    assert {"memory-limit-reached", "killed-by-process", "worker-out-of-memory"} <= set(
        told.split()
    )


def test_explain_finds_what_belongs_to_one_cause_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["explain", "OOMKilled"])
    assert "memory-limit-reached" == capsys.readouterr().out.split()[0]

    assert 0 == main(["explain", "--json", "double free or corruption"])
    assert "heap-corrupted" == json.loads(capsys.readouterr().out)[0]["slug"]


def test_a_mistyped_name_is_an_error_that_names_the_nearest(outlive: Outlive) -> None:
    done = outlive("explain", "kept-in-containr")

    assert 2 == done.status
    assert "Did you mean kept-in-container?" in done.stderr
