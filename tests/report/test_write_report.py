import csv
import json

import pytest

from react_kit.errors import KitError
from react_kit.report import write_report
from react_kit.run import Run


def test_everything_is_written_and_named(study, tmp_path):
    run = Run(tmp_path / "demo")
    for t in study(3):
        run.append(t)
    paths = write_report(run, tmp_path / "out")
    assert sorted(p.name for p in paths) == sorted(p.name for p in (tmp_path / "out").iterdir())
    assert {p.name for p in paths} == {
        "trajectories.html",
        *(f"table1.{s}" for s in ("md", "tex", "csv", "json")),
        *(f"figure2.{s}" for s in ("pdf", "svg", "png", "json", "csv")),
        "results.csv",
        "outcomes.csv",
        "scores.csv",
    }
    assert json.loads((tmp_path / "out" / "figure2.json").read_text())["runs"] == ["demo"]
    with (tmp_path / "out" / "results.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 21


def test_the_same_runs_give_the_same_bytes(study, tmp_path):
    made = study(3)
    for one, two in zip(write_report(made, tmp_path / "a"), write_report(made, tmp_path / "b"), strict=True):
        assert one.read_bytes() == two.read_bytes(), one.name


def test_without_samples_there_is_a_table_and_no_figure(episode, tmp_path):
    names = {p.name for p in write_report(episode(), tmp_path)}
    assert "table1.tex" in names
    assert "figure2.pdf" not in names


def test_no_figure_stays_open(study, tmp_path):
    from matplotlib import pyplot as plt

    write_report(study(2), tmp_path)
    assert plt.get_fignums() == []


def test_a_folder_that_cannot_be_made_is_a_plain_message(episode, tmp_path):
    (tmp_path / "taken").write_text("x")
    with pytest.raises(KitError, match="another folder"):
        write_report(episode(), tmp_path / "taken")


def test_a_spreadsheet_gets_no_formula(episode, tmp_path):
    write_report(
        [episode(answer=answer, instance=answer) for answer in ("=HYPERLINK(1)", "-2+3", "-5")], tmp_path
    )
    text = (tmp_path / "results.csv").read_text()
    assert ",'=HYPERLINK(1)," in text
    assert ",'-2+3," in text
    assert ",-5," in text


def test_nothing_but_unscored_episodes_still_gives_a_report(episode, tmp_path):
    write_report(episode(judged=False), tmp_path)
    assert "1 without gold answer" in (tmp_path / "table1.md").read_text()
