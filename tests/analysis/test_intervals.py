from math import isnan

import pytest

from react_kit.analysis.intervals import bootstrap_band, bootstrap_mean, paired_difference, wilson
from react_kit.errors import KitError


def test_wilson_gives_the_published_interval():
    # Newcombe (1998), table I: 81 of 263 and 15 of 148
    assert wilson(81, 263)[1:3] == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(15, 148)[1:3] == pytest.approx((0.0624, 0.1605), abs=1e-4)


def test_wilson_has_a_width_and_exact_ends_where_all_or_none_are_right():
    none, every = wilson(0, 20), wilson(20, 20)
    assert none.low == 0.0
    assert none.high == pytest.approx(0.1611, abs=1e-4)
    assert every.high == 1.0
    assert every.low == pytest.approx(1 - none.high)


def test_no_questions_give_no_number_and_impossible_counts_an_error():
    assert isnan(wilson(0, 0).value)
    assert isnan(bootstrap_mean([]).value)
    with pytest.raises(KitError, match="3 in 2"):
        wilson(3, 2)


def test_the_bootstrap_is_seeded_and_holds_the_mean():
    scores = [0.0, 0.2, 0.5, 1.0, 1.0, 0.7]
    first = bootstrap_mean(scores)
    assert first == bootstrap_mean(scores)
    assert first[1:] != bootstrap_mean(scores, seed=1)[1:]
    assert first.value == pytest.approx(sum(scores) / 6)
    assert first.low < first.value < first.high
    assert first.n == 6


def test_the_bootstrap_is_about_as_wide_as_the_normal_interval():
    scores = [0.0, 1.0] * 200
    low, high = bootstrap_mean(scores)[1:3]
    assert (low, high) == pytest.approx((0.5 - 1.96 * 0.025, 0.5 + 1.96 * 0.025), abs=0.005)


def test_one_question_has_a_mean_but_no_interval():
    only = bootstrap_mean([1.0])
    assert only.value == 1.0
    assert isnan(only.low)
    assert isnan(only.high)


def test_a_constant_difference_is_certain_however_noisy_the_scores():
    a = [0.1, 0.9, 0.4, 0.6]
    difference = paired_difference(a, [x - 0.1 for x in a])
    assert difference[:3] == pytest.approx((0.1, 0.1, 0.1))


def test_a_paired_difference_needs_as_many_scores_on_both_sides():
    with pytest.raises(KitError, match="2 and 1"):
        paired_difference([1, 0], [1])


def test_a_band_resamples_questions_and_not_cells():
    # In every question the second column is the first plus 0.25, so it is in every resample too.
    rows = [[x, x + 0.25] for x in (0.0, 0.5, 0.25, 0.75)]
    mean, low, high = bootstrap_band(rows)
    assert [c[1] - c[0] for c in (mean, low, high)] == pytest.approx([0.25] * 3)
    assert low[0] < mean[0] < high[0]
