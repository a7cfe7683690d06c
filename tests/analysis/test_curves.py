from dataclasses import replace
from itertools import permutations

import pytest

from react_kit.analysis.curves import expected, sample_curves
from react_kit.fidelity import PAPER
from react_kit.methods.pooled import cot_sc, cot_sc_then_react, react_then_cot_sc

RULES = {
    "cot-sc": cot_sc,
    "react-then-cot-sc": react_then_cot_sc,
    "cot-sc-then-react": cot_sc_then_react,
}
G, A, B, C, N = "Vienna", "Graz", "Linz", "Wels", None
POOLS = [
    [G],
    [N],
    [G, A],
    [G, A, N],
    [G, G, A, A],
    [A, G, B, C, G],
    [G, A, A, N, N],
    [N, N, N, N],
    [G, A, B, C, A, N],
    [G, G, G, A, A, A],
    ["the Vienna", "vienna.", A, A, B, G],
]


def by_enumeration(pool, react, fidelity):
    """The mean over every ordered draw of the rule that Table 1 uses."""
    curves = {name: [] for name in RULES}
    for m in range(1, len(pool) + 1):
        draws = list(permutations(pool, m))
        for name, rule in RULES.items():
            recorded = [{"cot": draw, "react": [react]} for draw in draws]
            scores = [rule(r, m, fidelity).score(r, "em") for r in recorded]
            curves[name].append(sum(scores) / len(draws))
    return curves


@pytest.mark.parametrize("tie", ["keep", "back-off"])
@pytest.mark.parametrize("said", [G, A, None])
@pytest.mark.parametrize("answers", POOLS)
def test_counting_agrees_with_enumerating_all_ordered_draws(pool, episode, answers, said, tie):
    fidelity = replace(PAPER, tie=tie)
    drawn, react = pool(answers), episode(answer=said)
    exact = expected(drawn, react, "em", fidelity)
    assert exact.keys() == RULES.keys()
    for name, curve in by_enumeration(drawn, react, fidelity).items():
        assert exact[name] == pytest.approx(curve), name


def test_the_paper_s_pool_size_is_counted_and_not_enumerated(pool, episode):
    answers = [G] * 6 + [A] * 5 + [B] * 4 + [N] * 2 + [f"other {k}" for k in range(4)]
    curve = expected(pool(answers), episode(answer=A), "em", PAPER)["cot-sc"]
    assert len(curve) == 21
    assert curve[0] == pytest.approx(6 / 21)
    assert curve[-1] == pytest.approx(1.0)
    assert all(0 <= y <= 1 + 1e-9 for y in curve)


def test_without_react_there_are_no_hybrids(pool):
    assert list(expected(pool([G]), None, "em", PAPER)) == ["cot-sc"]


def test_every_method_has_a_row_for_every_sample_count(study):
    frame = sample_curves(study(6, samples=5))
    assert set(frame["method"]) == {"cot-sc", "react-then-cot-sc", "cot-sc-then-react", "cot", "react"}
    for _, part in frame.groupby("method"):
        assert list(part["samples"]) == [1, 2, 3, 4, 5]
    assert (frame["n"] == 6).all()
    assert (frame["low"] <= frame["score"] + 1e-9).all()
    assert (frame["score"] <= frame["high"] + 1e-9).all()


def test_react_and_greedy_cot_are_flat(study):
    frame = sample_curves(study(6))
    for method in ("react", "cot"):
        assert frame[frame["method"] == method]["score"].nunique() == 1


def test_each_task_has_its_own_curve(study):
    frame = sample_curves([study(3), study(4, task="fever", seed=2)])
    assert frame.groupby("task")["n"].first().to_dict() == {"hotpotqa": 3, "fever": 4}


def test_a_question_with_an_unfinished_pool_is_left_out_and_counted(pool):
    runs = [pool([G, A, B, C, N], instance="q1"), pool([G], instance="q2")]
    frame = sample_curves(runs)
    assert frame["samples"].max() == 5
    assert (frame["n"] == 1).all()
    assert frame.attrs["short_pools"] == {"hotpotqa": 1}


def test_pools_that_ended_early_because_decided_cut_all_others(pool):
    runs = [pool([G, A, B, C, N], instance="q1"), pool([G, G, G], instance="q2")]
    frame = sample_curves(runs)
    assert frame["samples"].max() == 3
    assert (frame["n"] == 2).all()
    assert frame.attrs["cut_to"] == {"hotpotqa": 3}
    # The first three samples of q1, not any three of its five: they hold the right answer once.
    assert frame["score"].iloc[0] == pytest.approx((1 / 3 + 1) / 2)


def test_runs_without_samples_give_an_empty_frame(episode):
    assert len(sample_curves(episode())) == 0


def test_questions_that_all_score_alike_still_have_a_band(pool):
    made = [t for k in range(4) for t in pool(["Graz"] * 3, instance=f"q{k}")]
    frame = sample_curves(made)
    assert (frame["low"] == 0).all()
    assert (frame["high"] > 0.4).all()  # Wilson's for 0 of 4
