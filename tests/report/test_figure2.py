from itertools import pairwise

import pytest

from react_kit.errors import KitError
from react_kit.report.figure2 import figure2, spread


@pytest.fixture(autouse=True)
def _agg():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    yield
    plt.close("all")


def boxes(ax):
    from matplotlib.text import Text

    ax.figure.canvas.draw()
    return [Text.get_window_extent(text) for text in ax.texts]  # without the stroke to the line


@pytest.mark.parametrize("n", [1, 2, 60])
def test_five_named_lines_whose_names_do_not_overlap(study, n):
    frame = figure2(study(n, samples=21))
    (ax,) = frame.attrs["figure"].axes
    assert {t.get_text() for t in ax.texts} == {"CoT-SC", "ReAct → CoT-SC", "CoT-SC → ReAct", "CoT", "ReAct"}
    found = sorted(boxes(ax), key=lambda box: box.y0)
    for below, above in pairwise(found):
        assert above.y0 >= below.y1
    assert ax.get_legend() is None


def test_names_stay_inside_the_figure(study):
    frame = figure2([study(9), study(9, task="fever")])
    figure = frame.attrs["figure"]
    for ax in figure.axes:
        for box in boxes(ax):
            assert box.x1 <= figure.bbox.x1
            assert box.y0 >= 0


def test_axes_are_named_as_in_the_paper_and_ticks_are_percent(study):
    figure = figure2([study(5), study(5, task="fever")]).attrs["figure"]
    assert [ax.get_ylabel() for ax in figure.axes] == ["EM", "Acc"]
    assert {ax.get_xlabel() for ax in figure.axes} == {"CoT-SC samples"}
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["HotpotQA (n = 5)", "FEVER (n = 5)"]
    formatter = figure.axes[0].yaxis.get_major_formatter()
    assert [formatter(y) for y in (0.3, 1 + 1e-12, -0.2)] == ["30%", "100%", ""]


def test_the_lines_are_the_frame_s_numbers(study):
    frame = figure2(study(8))
    lines = {tuple(line.get_ydata()) for line in frame.attrs["figure"].axes[0].lines}
    for _, part in frame.groupby("method"):
        assert tuple(part["score"]) in lines


def test_one_task_draws_into_the_given_axes_and_two_do_not_fit(study):
    from matplotlib import pyplot as plt

    _, ax = plt.subplots()
    assert figure2(study(3), ax=ax).attrs["figure"] is ax.figure
    assert ax.lines
    with pytest.raises(KitError, match="2 tasks"):
        figure2([study(3), study(3, task="fever")], ax=ax)


@pytest.mark.parametrize(("width", "wide"), [("neurips", 5.5), ("acl", 3.03), (4.0, 4.0)])
def test_the_width_is_the_venue_s(study, width, wide):
    figure = figure2(study(3), width=width).attrs["figure"]
    assert figure.get_size_inches()[0] == pytest.approx(wide)


def test_an_unknown_venue_is_named_with_those_known(study):
    with pytest.raises(KitError, match=r"'nature'.*neurips"):
        figure2(study(3), width="nature")


def test_no_samples_is_an_error_that_says_what_to_run(episode):
    with pytest.raises(KitError, match="cot-sc"):
        figure2(episode())


def test_the_frame_can_be_worked_with_though_it_holds_a_figure(study):
    frame = figure2(study(3))
    assert frame.head().attrs["figure"] is frame.attrs["figure"]


def test_labels_with_room_stay_where_they_are():
    assert spread([10, 50, 90], 8, 0, 100) == [10, 50, 90]


def test_equal_labels_are_centred_on_their_place_in_order():
    assert spread([50, 50, 50], 8, 0, 100) == [42, 50, 58]


def test_labels_keep_to_the_edges_and_to_each_other():
    placed = spread([0, 1, 2, 100, 99], 8, 0, 100)
    assert placed == [0, 8, 16, 100, 92]


def test_blocks_that_meet_are_joined():
    placed = spread([40, 40, 45, 45, 52], 8, 0, 100)
    gaps = [b - a for a, b in pairwise(placed)]
    assert min(gaps) >= 8 - 1e-9
    assert sum(placed) / 5 == pytest.approx(44.4, abs=1)


def test_too_many_labels_share_the_room_there_is():
    assert spread([5] * 11, 30, 0, 100) == pytest.approx([10 * k for k in range(11)])


@pytest.mark.parametrize("width", [0, -1, 0.5, float("nan")])
def test_a_width_that_leaves_no_room(study, width):
    with pytest.raises(KitError, match="inches; expected at least"):
        figure2(study(2), width=width)
