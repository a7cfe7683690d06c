"""What the README shows is what the kit does."""

import contextlib
import io
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import react_kit
from react_kit import METHODS, TASKS, Run
from react_kit.analysis import scores
from react_kit.methods import CONTROLS
from react_kit.models.cache import Cache
from react_kit.report.style import label
from react_kit.trajectory import Call

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_readme_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shown = re.search(r"```python\n(.*?)```\s+```text\n(.*?)```", README, re.DOTALL)
    assert shown, "the README shows no example followed by its output"
    code, output = shown.groups()
    recorded = partial(react_kit.open_model, replay="tiny", replay_only=True, cache=tmp_path / "none.sqlite")
    monkeypatch.setattr(react_kit, "open_model", recorded)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue() == output
    assert len(code.strip().splitlines()) <= 6


def test_every_file_it_links_to_exists() -> None:
    links = re.findall(r"\]\((?!http|#)([^)]+)\)", README) + re.findall(r'src="(?!http)([^"]+)"', README)
    assert links
    for link in links:
        assert (ROOT / link.split("#")[0]).exists(), link


def test_every_notebook_is_on_the_map() -> None:
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        assert f"notebooks/{path.name}" in README


def test_every_command_it_names_is_known() -> None:
    from react_kit.__main__ import _parser

    help_text = _parser().format_help()
    for command in set(re.findall(r"^react-kit (\w+)", README, re.MULTILINE)):
        assert f"    {command}" in help_text


def test_its_counts_are_those_of_the_shipped_data() -> None:
    from react_kit import load_task, open_wiki
    from react_kit.models.replay import Replay
    from react_kit.resources import share

    articles = [a for a in open_wiki("tiny").articles.values() if a.sentences]  # type: ignore[attr-defined]
    counts = (
        f"{len(load_task('hotpotqa'))} questions, {len(load_task('fever'))} claims, {len(articles)} articles"
    )
    assert counts in README
    replies = [len(Replay(share("data", "replays", f"{name}.jsonl")).replies) for name in ("tiny", "fable")]
    assert f"{sum(replies):,} real replies" in README


def test_its_baselines_are_what_the_recorded_runs_give(recorded: Callable[[str], Run]) -> None:
    assert baselines(recorded) in README


def baselines(recorded: Callable[[str], Run]) -> str:
    """Percent right with the interval, a column a task and set, methods before controls."""
    columns = {}
    for split in ("tiny", "fable"):
        for (task, method), row in _scores(recorded(split)).items():
            columns.setdefault((task, split), {})[method] = row
    head = ["", *(f"{TASKS[task].title}, {split}" for task, split in columns)]
    rows = [head, ["---", *["---:"] * len(columns)]]
    for method in [*METHODS, *CONTROLS]:
        if any(method in column for column in columns.values()):
            rows.append([label(method), *(column.get(method, "–") for column in columns.values())])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _scores(run: Run) -> dict[tuple[str, str], str]:
    frame = scores(run).query("metric != 'f1'")
    return {
        (row.task, row.method): f"{100 * row.value:.0f} ({100 * row.low:.0f}–{100 * row.high:.0f})"
        for row in frame.itertuples()
    }


def test_its_method_of_ones_own_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    block = next(b for b in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "def terse" in b)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"open_model": lambda name: Cache(Word(), tmp_path / "c.sqlite")}
    exec(block, names)
    assert [t.answer for t in names["run"].where(method="terse")] == ["Dijon"] * 5


class Word:
    """Always gives one answer."""

    name, identity = "word", {"endpoint": "test", "model": "word"}

    def sample(self, prompt: str, *, n: int = 1, **_: Any) -> list[Call]:
        return [Call("", " Dijon.") for _ in range(n)]
