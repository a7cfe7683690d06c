from dataclasses import replace
from math import isnan

import msgspec
import pytest

from react_kit.analysis import compare, results
from react_kit.errors import KitError
from react_kit.fidelity import PAPER
from react_kit.run import Run

SEVEN = ["standard", "cot", "cot-sc", "act", "react", "cot-sc-then-react", "react-then-cot-sc"]


def rows(frame, method):
    return frame[frame["method"] == method].to_dict("records")


def test_one_question_gives_one_row_for_each_of_the_seven_methods(study):
    frame = results(study(1))
    assert list(frame["method"]) == SEVEN
    assert set(frame["instance"]) == {"q0"}
    assert frame.attrs["models"] == {"hotpotqa": "tiny-model"}
    assert frame.attrs["samples"] == {"hotpotqa": 5}


def test_the_majority_is_told_with_votes_sources_and_score(pool):
    made = pool(["Graz", "Vienna", None, "vienna"])
    (row,) = rows(results(made), "cot-sc")
    assert (row["answer"], row["score"], row["f1"]) == ("Vienna", 1.0, 1.0)
    assert (row["rule"], row["votes"], row["unparsable"], row["samples"]) == ("majority", 2, 1, 4)
    assert row["sources"] == (made[1].id, made[3].id)
    assert row["stop"] == "answered"


def test_a_thin_majority_gives_way_to_react_and_a_silent_react_to_the_majority(pool, episode):
    thin = [*pool(["Graz", "Vienna", "Linz"]), episode(answer="Vienna")]
    assert rows(results(thin), "cot-sc-then-react")[0]["rule"] == "back-off:react"
    assert rows(results(thin), "cot-sc-then-react")[0]["score"] == 1.0
    silent = [*pool(["Vienna", "Vienna", "Graz"]), episode(answer=None)]
    assert rows(results(silent), "react-then-cot-sc")[0]["rule"] == "back-off:cot-sc"
    assert rows(results(silent), "react-then-cot-sc")[0]["score"] == 1.0


def test_without_an_answer_the_score_is_zero_and_the_stop_is_that_of_the_silent_one(pool, episode):
    frame = results([*pool([None, None]), episode(answer=None)])
    assert set(frame["score"]) == {0.0}
    assert rows(frame, "cot-sc")[0]["stop"] == "unparsable"
    assert rows(frame, "cot-sc-then-react")[0]["stop"] == "step_limit"


def test_n_takes_the_first_samples(pool):
    made = pool(["Graz", "Vienna", "Vienna"])
    assert rows(results(made, n=1), "cot-sc")[0]["answer"] == "Graz"
    assert rows(results(made), "cot-sc")[0]["answer"] == "Vienna"


def test_the_tie_rule_is_the_runs_own_unless_given(pool, episode):
    def made(fidelity):
        pooled = pool(["Graz", "Linz", "Graz", "Wels"], fidelity=fidelity)
        return [*pooled, episode(answer="Vienna", fidelity=fidelity)]

    authors = replace(PAPER, tie="back-off")
    assert rows(results(made("paper")), "cot-sc-then-react")[0]["answer"] == "Graz"
    assert rows(results(made("authors-code")), "cot-sc-then-react")[0]["answer"] == "Vienna"
    assert rows(results(made("paper"), fidelity=authors), "cot-sc-then-react")[0]["answer"] == "Vienna"


def test_a_pool_that_cannot_decide_yet_is_left_out_of_the_pooled_methods_and_counted(pool, episode):
    short = [*pool(["Vienna"], instance="q2"), episode(instance="q2")]
    frame = results([*pool(["Vienna"] * 5), episode(), *short])
    assert [row["instance"] for row in rows(frame, "cot-sc")] == ["q1"]
    assert [row["instance"] for row in rows(frame, "react")] == ["q1", "q2"]
    assert frame.attrs["short_pools"] == {"hotpotqa": 1}


def test_infrastructure_failures_branches_and_stray_samples_are_left_out_and_counted(episode, branch):
    frame = results(
        [
            episode(instance="q1"),
            episode(instance="q2", answer=None, stop="unavailable"),
            episode(instance="q3", answer=None, stop="unfinished"),
            episode(instance="q1", parent=branch, answer="Graz"),
            episode(instance="q1", temperature=0.7, answer="Graz"),
        ]
    )
    assert list(frame["answer"]) == ["Vienna"]
    assert frame.attrs["left_out"] == {"unavailable": 1, "unfinished": 1, "edited": 1, "sampled": 1}


def test_a_failure_that_another_run_made_good_is_not_left_out(episode):
    frame = results([episode(answer=None, stop="unavailable"), episode()])
    assert list(frame["answer"]) == ["Vienna"]
    assert frame.attrs["left_out"] == {}


def test_the_same_trajectory_in_two_runs_counts_once_and_the_first_run_wins(episode, tmp_path):
    first, second = Run(tmp_path / "first"), Run(tmp_path / "second")
    first.append(episode(answer="Vienna"))
    second.append(episode(answer="Graz"))
    second.append(episode(instance="q2", answer="Graz"))
    frame = results([first, str(tmp_path / "second")])
    assert list(frame["answer"]) == ["Vienna", "Graz"]
    assert list(results([tmp_path / "second", first])["answer"]) == ["Graz", "Graz"]


@pytest.mark.parametrize(
    ("setting", "names"), [("model", ("a", "b")), ("prompt", ("p@1", "p@2")), ("fidelity", ("paper", "x"))]
)
def test_runs_that_cannot_be_averaged_are_refused_by_name(episode, setting, names):
    mixed = [episode(instance=f"q{k}", **{setting: name}) for k, name in enumerate(names)]
    with pytest.raises(KitError) as caught:
        results(mixed)
    for word in (setting, *names, "hotpotqa", "run.where"):
        assert word in str(caught.value)


def test_another_model_on_another_task_is_fine(episode):
    frame = results([episode(model="a"), episode("fever", model="b", answer="SUPPORTS")])
    assert frame.attrs["models"] == {"hotpotqa": "a", "fever": "b"}
    assert list(frame["score"]) == [1.0, 1.0]
    assert isnan(frame["f1"].iloc[1])


def test_two_sampling_temperatures_are_refused(pool):
    warm = [msgspec.structs.replace(t, id=t.id + "x") for t in pool(["Vienna"], instance="q2")]
    warm = [msgspec.structs.replace(t, cell=msgspec.structs.replace(t.cell, temperature=1.0)) for t in warm]
    with pytest.raises(KitError, match=r"temperature.*0\.7, 1\.0"):
        results([*pool(["Vienna"]), *warm])


def test_replayed_means_every_reply_that_the_row_rests_on(pool, episode):
    frame = results([*pool(["Vienna"] * 2, replayed=1), episode(replayed=0)])
    told = dict(zip(frame["method"], frame["replayed"], strict=True))
    assert told["cot-sc"]
    assert not told["react"]
    assert not told["react-then-cot-sc"]


def test_a_method_of_one_s_own_comes_after_the_paper_s(episode):
    frame = results([episode(method="mine"), episode()])
    assert list(frame["method"]) == ["react", "mine"]


def test_no_trajectories_is_an_error_that_says_what_to_do():
    with pytest.raises(KitError, match="run an experiment"):
        results([])


def test_methods_are_compared_on_the_questions_that_both_have(episode):
    made = [episode(instance=f"q{k}", answer="Vienna") for k in range(3)]
    made += [episode(instance=f"q{k}", method="act", answer="Graz") for k in range(2)]
    assert compare(results(made), "react", "act") == (1.0, 1.0, 1.0, 2)
    with pytest.raises(KitError, match=r"'cot'.*react, act|'cot'.*act, react"):
        compare(results(made), "react", "cot")


def test_the_same_episode_over_two_corpora_is_no_duplicate_but_a_mix(episode):
    over = [
        msgspec.structs.replace(episode(instance="q1"), provenance={"corpus": {"name": "tiny", "vintage": v}})
        for v in ("2026-11", "2027-01")
    ]
    assert len(results(over[0])) == 1
    with pytest.raises(KitError, match=r"2 values of corpus.*'tiny 2026-11', 'tiny 2027-01'.*Pass only"):
        results(over)


def test_what_has_no_gold_is_left_out_and_said(episode):
    found = results([episode(instance="a"), episode(instance="b", judged=False)])
    assert list(found["instance"]) == ["a"]
    assert found.attrs["left_out"] == {"without gold answer": 1}


def test_an_impossible_question_to_the_results(episode):
    with pytest.raises(KitError, match="runs is None; expected a run"):
        results(None)
    with pytest.raises(KitError, match="n is -1"):
        results(episode(), n=-1)
    with pytest.raises(KitError, match="with itself"):
        compare(results(episode()), "react", "react")
