"""CoT-SC and the hybrids, computed from recorded episodes."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_kit import METHODS, PAPER
from react_kit.errors import KitError
from react_kit.methods.pooled import Choice, Pooled, Recorded, decided
from react_kit.trajectory import Cell, Instance, Trajectory

BACK_OFF = replace(PAPER, tie="back-off")


def told(method: str, sample: int, answer: str | None) -> Trajectory:
    cell = Cell("hotpotqa", "q", method, "p", "m", 0.7 if method == "cot" else 0.0, "paper", sample)
    score = {"em": float(answer is not None and answer.lower() == "gold")}
    stop = "answered" if answer is not None else "unparsable"
    return Trajectory(
        f"{method}{sample}", cell, Instance("q", "hotpotqa", "?", "gold"), (), answer, stop, score
    )


def recorded(answers: list[str | None], react: str | None = "react") -> Recorded:
    return {"cot": [told("cot", k, a) for k, a in enumerate(answers)], "react": [told("react", 0, react)]}


def choose(
    method: str, answers: list[str | None], n: int | None = None, fidelity=PAPER, react: str | None = "react"
) -> Choice:  # type: ignore[no-untyped-def]
    pooled = METHODS[method]
    assert isinstance(pooled, Pooled)
    return pooled(recorded(answers, react), n or len(answers), fidelity)


def test_the_majority_is_over_normalised_answers() -> None:
    choice = choose("cot-sc", ["x", "The Gold", "y", "gold.", "x2", "GOLD"])
    assert (choice.answer, choice.votes, choice.n) == ("The Gold", 3, 6)
    assert choice.sources == ("cot1", "cot3", "cot5")


def test_a_tie_goes_to_the_answer_seen_first() -> None:
    assert choose("cot-sc", ["b", "a", "a", "b"]).answer == "b"


def test_unparsable_samples_count_but_do_not_vote() -> None:
    choice = choose("cot-sc", [None, "a", None])
    assert (choice.answer, choice.votes, choice.n, choice.unparsable) == ("a", 1, 3, 2)
    assert choose("cot-sc", [None, None]).answer is None


def test_only_the_first_n_samples_are_used() -> None:
    assert choose("cot-sc", ["a", "b", "b"], 1).answer == "a"
    assert choose("cot-sc", ["a", "b", "b"], 3).answer == "b"


@pytest.mark.parametrize(
    ("answers", "fidelity", "answer", "rule"),
    [
        (["a", "a", "b"], PAPER, "a", "majority"),
        (["a", "b", "c"], PAPER, "react", "back-off:react"),
        (["a", "a", "b", "c"], PAPER, "a", "majority"),  # exactly n/2: the paper says "less than"
        (["a", "a", "b", "c"], BACK_OFF, "react", "back-off:react"),
        (["a", "a", None, None, None], PAPER, "react", "back-off:react"),
    ],
)
def test_cot_sc_backs_off_to_react_when_unsure(
    answers: list[str | None], fidelity: object, answer: str, rule: str
) -> None:
    choice = choose("cot-sc-then-react", answers, fidelity=fidelity)
    assert (choice.answer, choice.rule) == (answer, rule)


@pytest.mark.parametrize(("react", "answer", "rule"), [("r", "r", "react"), (None, "a", "back-off:cot-sc")])
def test_react_backs_off_to_cot_sc_without_an_answer(react: str | None, answer: str, rule: str) -> None:
    choice = choose("react-then-cot-sc", ["a", "a", "b"], react=react)
    assert (choice.answer, choice.rule) == (answer, rule)


def test_the_score_is_that_of_a_trajectory_that_gave_the_answer() -> None:
    found = recorded(["gold", "Gold", "x"])
    assert choose("cot-sc", ["gold", "Gold", "x"]).score(found, "em") == 1.0
    assert choose("cot-sc", [None]).score(recorded([None]), "em") == 0.0
    assert choose("cot-sc-then-react", ["gold", "x", "y"], react=None).score(found, "em") == 0.0


def test_missing_trajectories_are_asked_for() -> None:
    pooled = METHODS["cot-sc-then-react"]
    assert isinstance(pooled, Pooled)
    with pytest.raises(KitError, match="needs trajectories of react"):
        pooled({"cot": recorded(["a"])["cot"], "react": []}, 1, PAPER)
    with pytest.raises(KitError, match="needs 21 samples and this instance has 2"):
        choose("cot-sc", ["a", "b"], 21)


@given(
    st.lists(st.sampled_from(["a", "b", "c", "gold", None]), min_size=1, max_size=21),
    st.sampled_from([PAPER, BACK_OFF]),
    st.sampled_from(["cot-sc", "cot-sc-then-react", "react-then-cot-sc"]),
    st.sampled_from(["r", None]),
)
def test_stopping_early_changes_no_answer(
    answers: list[str | None], fidelity: object, method: str, react: str | None
) -> None:
    n = len(answers)
    full = choose(method, answers, n, fidelity, react)
    for k in range(1, n + 1):
        if decided(recorded(answers[:k])["cot"], n, fidelity):  # type: ignore[arg-type]
            early = choose(method, answers[:k], n, fidelity, react)
            same = (early.rule, early.answer and early.answer.lower()) == (
                full.rule,
                full.answer and full.answer.lower(),
            )
            assert same, (k, early, full)


@given(st.lists(st.sampled_from(["a", "b", None]), min_size=1, max_size=7), st.integers(1, 3))
def test_it_stops_exactly_when_no_further_sample_can_change_anything(
    answers: list[str | None], more: int
) -> None:
    n = len(answers) + more
    outcomes = {
        (choose("cot-sc", whole).answer, choose("cot-sc-then-react", whole).rule)
        for rest in product(["a", "b", None, "new", "newer"], repeat=more)
        for whole in [[*answers, *rest]]
    }
    assert decided(recorded(answers)["cot"], n, PAPER) == (len(outcomes) == 1)
