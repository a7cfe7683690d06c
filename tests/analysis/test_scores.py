"""Scores with n and interval."""

import pytest

from react_kit.analysis import scores
from react_kit.analysis.intervals import bootstrap_mean, wilson


def test_em_has_wilsons_interval_and_f1_the_bootstraps(episode):
    told = ["Vienna", "Vienna Austria", "Graz", None]
    runs = [episode(instance=f"q{k}", answer=answer) for k, answer in enumerate(told)]
    found = scores(runs).set_index(["method", "metric"])
    em, f1 = found.loc[("react", "em")], found.loc[("react", "f1")]
    assert tuple(em[["value", "low", "high", "n"]]) == pytest.approx(wilson(1, 4))
    assert tuple(f1[["value", "low", "high", "n"]]) == pytest.approx(bootstrap_mean([1, 2 / 3, 0, 0]))
    assert f1["value"] == pytest.approx((1 + 2 / 3) / 4)


def test_labels_have_accuracy_and_no_f1(episode):
    found = scores([episode(task="fever", answer="SUPPORTS")])
    assert list(found["metric"]) == ["accuracy"]
    assert list(found["n"]) == [1]
