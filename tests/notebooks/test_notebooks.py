"""Every notebook runs top to bottom, and what it states is what the recorded run gives."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import papermill
import pytest

from react_kit import METHODS, Episode, Run, load_task, open_model
from react_kit.analysis.curves import sample_curves
from react_kit.analysis.outcomes import outcomes
from react_kit.analysis.results import results
from react_kit.report.style import label

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
TASKS = ("hotpotqa", "fever")


@pytest.fixture(scope="module")
def run(recorded: Callable[[str], Run]) -> Run:
    return recorded("tiny")


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Each notebook as it comes out of a kernel that has only the recorded replies."""
    folder, found = tmp_path_factory.mktemp("executed"), {}
    for path in NOTEBOOKS:
        wanted = {"REPLAY": "tiny", "RECORDED": True, "REPLAY_ONLY": True, "OUT": str(folder / "runs")}
        known = papermill.inspect_notebook(str(path))
        found[path.stem] = papermill.execute_notebook(
            str(path),
            str(folder / path.name),
            {k: v for k, v in wanted.items() if k in known},
            cwd=str(path.parent),
            progress_bar=False,
            log_output=False,
        )
    return found


def outputs(notebook: Any, kind: str) -> list[Any]:
    return [o.data[kind] for c in notebook.cells for o in c.get("outputs", ()) if kind in o.get("data", {})]


def test_there_are_three() -> None:
    assert [p.stem for p in NOTEBOOKS] == ["00_start_here", "01_methods_table1", "02_sample_counts_figure2"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_it_names_the_one_line_to_change_and_its_parameters(path: Path) -> None:
    notebook = nbformat.read(path, 4)
    assert "`MODEL = ...`" in notebook.cells[0].source
    first = next(c for c in notebook.cells if c.cell_type == "code")
    assert first.metadata.tags == ["parameters"]
    assert 'MODEL = "embedded"' in first.source
    assert all(not c.outputs and c.execution_count is None for c in notebook.cells if c.cell_type == "code")


def test_they_run_and_show_card_table_and_figure(executed: dict[str, Any]) -> None:
    start, table, figure = (executed[p.stem] for p in NOTEBOOKS)
    assert any("Emil Zátopek" in h and "<style" in h for h in outputs(start, "text/html"))
    assert any("supervised SoTA" in h for h in outputs(table, "text/html"))
    assert len(outputs(figure, "image/png")) == 2


def stated(stem: str, executed: dict[str, Any]) -> dict[str, list[str]]:
    """The table in the notebook's conclusion: first column → the others."""
    text = next(c.source for c in reversed(executed[stem].cells) if "What to conclude" in c.source)
    rows = [
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    ]
    return {row[0]: row[1:] for row in rows[2:]}


def test_figure_1s_answers(executed: dict[str, Any]) -> None:
    model = open_model("embedded", replay="tiny", replay_only=True)
    question = load_task("hotpotqa")[31]
    for method in ("standard", "cot", "act", "react"):
        t = Episode.start(question, method, model=model).run()
        assert stated("00_start_here", executed)[label(method)] == [
            t.answer,
            "yes" if t.score["em"] else "no",
        ]
    act, react = (Episode.start(question, method, model=model).run() for method in ("act", "react"))
    pages = [[step.action.argument for step in t.steps if step.action][:2] for t in (act, react)]
    assert pages == [["Abebe Bikila", "Emil Zátopek"]] * 2
    assert react.steps[1].thought is not None
    assert react.steps[1].thought.endswith("is Emil Zátopek.")  # before its page was read
    assert question.answer == "Emil Zátopek"


def table_1s_facts(run: Run) -> dict[str, list[str]]:
    found, counts = results(run), outcomes(run)
    expected: dict[str, list[str]] = {}

    def of(part: float, whole: float) -> str:
        return f"{int(part)} of {int(whole)}"

    def here(frame: pd.DataFrame, task: str, method: str) -> pd.DataFrame:
        return frame[(frame["task"] == task) & (frame["method"] == method)]

    for method in METHODS:
        scores = [here(found, task, method)["score"] for task in TASKS]
        expected[f"{label(method)}: right"] = [of(s.sum(), len(s)) for s in scores]
    for method in ("standard", "act", "react"):
        answers = [
            here(found, task, method)["answer"].str.lower().value_counts(dropna=False) for task in TASKS
        ]
        expected[f"{label(method)}: most frequent answer"] = [of(a.iloc[0], a.sum()) for a in answers]
    pools = [counts[(counts["task"] == task) & (counts["temperature"] > 0)].iloc[0] for task in TASKS]
    expected["CoT samples without an answer"] = [of(p["unparsable"], p["n"]) for p in pools]
    notes = {"whose search missed": "search_miss", "that repeat an action": "repeated_action"}
    for method in ("act", "react"):
        for words, note in [
            *notes.items(),
            *([("without an action line", "no_action_line")] if method == "react" else []),
        ]:
            episodes = [run.where(task=task, method=method) for task in TASKS]
            expected[f"{label(method)}: steps {words}"] = [
                of(sum(note in s.notes for t in ts for s in t.steps), sum(len(t.steps) for t in ts))
                for ts in episodes
            ]
    for method, other in (("cot-sc-then-react", "react"), ("react-then-cot-sc", "cot-sc")):
        rules = [here(found, task, method)["rule"] for task in TASKS]
        expected[f"{label(method)}: handed to {label(other)}"] = [
            of((r == f"back-off:{other}").sum(), len(r)) for r in rules
        ]
    return expected


def test_table_1s_conclusions(run: Run, executed: dict[str, Any]) -> None:
    assert stated("01_methods_table1", executed) == table_1s_facts(run)


def test_what_is_said_of_the_exemplars(
    axis: dict[tuple[int, int | None], Run], executed: dict[str, Any]
) -> None:
    right = {key: sum(t.score["em"] == 1 for t in run) for key, run in axis.items()}
    assert right == {(1, None): 5, (3, 1): 0, (3, 2): 1, (6, None): 1, (9, None): 0}
    text = next(
        c.source for c in reversed(executed["01_methods_table1"].cells) if "What to conclude" in c.source
    )
    assert (
        "right on 5 of 40 questions with one exemplar, on 1 of 40 with six and on 0 of 40 with nine; "
        "the two draws of three give 0 and 1 of 40."
    ) in text


def test_table_1s_one_sure_difference(run: Run) -> None:
    from react_kit.analysis.results import compare

    assert compare(results(run), "cot-sc", "cot", "hotpotqa").low > 0
    answers = results(run).query("task == 'fever' and method in ['standard', 'react']")["answer"]
    assert set(answers.str.upper()) == {"NOT ENOUGH INFO"}


def figure_2s_fact(curves: pd.DataFrame, row: str) -> list[str]:
    """What the frame holds for a row such as `CoT-SC, 5 samples` or `ReAct`, in percent."""
    name, _, count = row.partition(", ")
    m = int(count.split()[0]) if count else 21
    method = next(m for m in METHODS if label(m) == name)
    at = curves[(curves["method"] == method) & (curves["samples"] == m)].set_index("task")["score"]
    return [f"{100 * at[task]:.1f}" for task in TASKS]


def test_figure_2s_conclusions(run: Run, executed: dict[str, Any]) -> None:
    curves = sample_curves(run)
    table = stated("02_sample_counts_figure2", executed)
    assert table == {row: figure_2s_fact(curves, row) for row in table}
    assert len(table) == 9


def test_figure_2_draws_what_the_frame_holds(run: Run) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from react_kit.report import figure2

    frame = figure2(run)
    figure = frame.attrs["figure"]
    drawn = [
        tuple(round(y, 9) for y in line.get_ydata())
        for ax in figure.axes
        for line in ax.lines
        if len(line.get_ydata()) == 21
    ]
    for task in TASKS:
        for method in ("cot-sc", "cot-sc-then-react", "react-then-cot-sc"):
            part = frame[(frame["task"] == task) & (frame["method"] == method)].sort_values("samples")
            wanted = tuple(round(y, 9) for y in part["score"])
            percent = tuple(round(100 * y, 9) for y in part["score"])
            assert wanted in drawn or percent in drawn, (task, method)


def test_larger_majorities_are_right_more_often_on_hotpotqa(run: Run) -> None:
    pools = results(run).query("task == 'hotpotqa' and method == 'cot-sc'")
    large = pools["votes"] >= 6
    assert pools[large]["score"].mean() > 2 * pools[~large]["score"].mean()
