"""Exact match, F1 and label accuracy, against values worked out by hand from the official formulas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_kit.answers import normalize_answer
from react_kit.tasks.scoring import exact_match, f1, label_score, qa_score
from react_kit.trajectory import Instance


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The Danube.", "danube"),
        ("  A  cat, an owl & the dog ", "cat owl dog"),
        ("U.S.A.", "usa"),
        ("theatre", "theatre"),
        ("Saint-Rémy", "saintrémy"),
        ("The The", ""),
        ("“quoted”", "“quoted”"),  # only ASCII punctuation goes, as officially
        ("NOT ENOUGH INFORMATION", "not enough info"),
        ("not enough info.", "not enough info"),
    ],
)
def test_answers_are_normalised_as_officially(text: str, normal: str) -> None:
    assert normalize_answer(text) == normal


@pytest.mark.parametrize(
    ("answer", "gold", "em", "score"),
    [
        ("Paris", "paris", 1, 1.0),
        ("the city of Paris", "Paris", 0, 2 * (1 / 3) * 1 / (1 / 3 + 1)),
        ("Paris France", "Paris Texas", 0, 0.5),
        ("yes", "yes", 1, 1.0),
        ("yes it is", "yes", 0, 0.0),  # yes and no are all or nothing
        ("no", "yes", 0, 0.0),
        ("London", "Paris", 0, 0.0),
        ("a a b", "a b b", 0, 1.0),  # articles vanish: `b` against `b b`
    ],
)
def test_em_and_f1(answer: str, gold: str, em: int, score: float) -> None:
    if answer == "a a b":
        score = 2 * 1 * 0.5 / 1.5
    assert exact_match(answer, gold) == em
    assert f1(answer, gold) == pytest.approx(score)


words = st.lists(st.sampled_from(["x", "y", "z", "the", "yes", "no", "Paris!"]), max_size=5).map(" ".join)


@given(words, words)
def test_f1_is_symmetric_within_bounds_and_one_for_equals(answer: str, gold: str) -> None:
    assert f1(answer, gold) == pytest.approx(f1(gold, answer))
    assert 0.0 <= f1(answer, gold) <= 1.0
    if exact_match(answer, gold) and normalize_answer(gold):
        assert f1(answer, gold) == 1.0


def test_no_answer_never_scores() -> None:
    assert qa_score(Instance("1", "hotpotqa", "q", "The The"), None) == {"em": 0.0, "f1": 0.0}
    assert label_score(Instance("1", "fever", "q", "NOT ENOUGH INFO"), None) == {"accuracy": 0.0}


@pytest.mark.parametrize("answer", ["NOT ENOUGH INFO", "not enough information", "Not enough info."])
def test_both_names_of_the_third_label_count(answer: str) -> None:
    assert label_score(Instance("1", "fever", "q", "NOT ENOUGH INFO"), answer) == {"accuracy": 1.0}


def test_without_gold_there_is_no_score() -> None:
    assert qa_score(Instance("1", "hotpotqa", "Q"), "a") == {}
    assert label_score(Instance("1", "fever", "C"), None) == {}
