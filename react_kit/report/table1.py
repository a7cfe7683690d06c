"""Table 1: every method's score with interval and n, beside the paper's, for documents and notebooks."""

import html
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from react_kit.analysis.records import Runs, metric_of, title_of
from react_kit.analysis.results import place, results
from react_kit.analysis.scores import summary
from react_kit.fidelity import Fidelity
from react_kit.methods import METHODS
from react_kit.report.numbers import PAPER_MODEL, PAPER_SUPERVISED, PAPER_TABLE1
from react_kit.report.style import label

if TYPE_CHECKING:
    import pandas

COLUMNS = ("score", "low", "high", "n", "paper")
SUPERVISED = "supervised SoTA"
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "→": r"$\rightarrow$", "–": "--",
}  # fmt: skip


class Table:
    """`frame`: methods in the paper's order; per task `score`, `low`, `high` and `paper` in percent, and `n`."""

    def __init__(self, frame: "pandas.DataFrame", metrics: dict[str, str], notes: list[str]) -> None:
        self.frame, self.metrics, self.notes = frame, metrics, notes

    @property
    def note(self) -> str:
        """What must be said with the numbers: model, n live and replayed, intervals, what is missing."""
        return " ".join(self.notes)

    def markdown(self) -> str:
        head, *rows = [[_pipe(cell) for cell in row] for row in self._cells()]
        lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines) + f"\n\n{self.note}\n"

    def latex(self) -> str:
        """A table for a paper; needs `\\usepackage{booktabs}`, and `table*` where the page has two columns."""
        head, *rows = self._cells()
        spans = range(2, 2 + 4 * len(self.metrics), 4)
        titles = [rf"\multicolumn{{4}}{{c}}{{{latex_escape(title_of(task))}}}" for task in self.metrics]
        rules = "".join(rf"\cmidrule(lr){{{at}-{at + 3}}}" for at in spans)
        units = [c for metric in self.metrics.values() for c in (metric, r"95\,\%", "$n$", "paper")]
        body = [" & ".join(map(latex_escape, row)) + r" \\" for row in rows]
        body.insert(len(body) - 1, r"\midrule")
        return "\n".join(
            [
                r"\begin{table}[t]",
                r"\centering\small\setlength{\tabcolsep}{4pt}",
                rf"\caption{{{latex_escape(self.note)}}}",
                rf"\begin{{tabular}}{{l{'rrrr' * len(self.metrics)}}}",
                r"\toprule",
                " & ".join(["", *titles]) + r" \\",
                rules,
                " & ".join([latex_escape(head[0]), *units]) + r" \\",
                r"\midrule",
                *body,
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
                "",
            ]
        )

    def csv(self) -> str:
        """Plain numbers, one row a task and method."""
        long = self.frame.stack(level=0, future_stack=True).reset_index()
        return str(long.rename(columns={"level_1": "task"}).to_csv(index=False, lineterminator="\n"))

    def save(self, folder: str | Path) -> list[Path]:
        """table1.md, table1.tex and table1.csv."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        texts = {"md": self.markdown(), "tex": self.latex(), "csv": self.csv()}
        for suffix, text in texts.items():
            (place / f"table1.{suffix}").write_bytes(text.encode())
        return [place / f"table1.{suffix}" for suffix in texts]

    def _cells(self) -> list[list[str]]:
        """Head and rows as text."""
        head = ["method"]
        for task, metric in self.metrics.items():
            head += [f"{title_of(task)} {metric}", "95 %", "n", "paper"]
        return [head, *([label(method), *self._row(method)] for method in self.frame.index)]

    def _row(self, method: str) -> Iterable[str]:
        for task in self.metrics:
            at = self.frame.loc[method, task]
            interval = "–" if at["low"] != at["low"] else f"{at['low']:.1f}–{at['high']:.1f}"
            yield from (
                _number(at["score"]),
                interval,
                str(int(at["n"])) if at["n"] else "–",
                _number(at["paper"]),
            )

    def _repr_html_(self) -> str:
        head, *rows = self._cells()
        top = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
        )
        return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table><p>{html.escape(self.note)}</p>"

    def __repr__(self) -> str:
        return self.markdown()


def table1(runs: Runs, n: int | None = None, fidelity: Fidelity | None = None) -> Table:
    """The paper's Table 1 from one run or several; methods without data stay empty.

    `n`: samples of CoT-SC and the hybrids, by default all there are.
    """
    import pandas as pd

    found = results(runs, n, fidelity)
    tasks = list(found["task"].unique())
    methods = sorted({*METHODS, *found["method"]}, key=place)
    cells: dict[tuple[str, str], list[Any]] = {(task, column): [] for task in tasks for column in COLUMNS}
    for task in tasks:
        for method in methods:
            scores = found[(found["task"] == task) & (found["method"] == method)]["score"].dropna()
            ours = summary(list(scores))
            paper = PAPER_TABLE1.get(task, {}).get(method, float("nan"))
            for column, value in zip(COLUMNS, (*(100 * v for v in ours[:3]), ours.n, paper), strict=True):
                cells[task, column].append(value)
        for column in COLUMNS:
            empty = {"n": 0, "paper": PAPER_SUPERVISED.get(task, float("nan"))}
            cells[task, column].append(empty.get(column, float("nan")))
    frame = pd.DataFrame(cells, index=pd.Index([*methods, SUPERVISED], name="method"))
    metrics = {task: metric_of(task)[1] for task in tasks}
    return Table(frame, metrics, list(_notes(found)))


def _notes(found: "pandas.DataFrame") -> Iterable[str]:
    for task, here in found.groupby("task", sort=False):
        old = int(here.dropna(subset="replayed").groupby("instance")["replayed"].all().sum())
        live = here["instance"].nunique() - old
        samples = here["samples"].dropna()
        pool = f", CoT-SC with {samples.max()} samples" if len(samples) else ""
        model, fidelity = found.attrs["models"][task], found.attrs["fidelity"][task]
        yield f"{title_of(str(task))}: {model}, n = {counted(live, old)}{pool}, fidelity {fidelity}."
    yield f"95 % intervals: Wilson; bootstrap over questions where scores are partial. Paper: {PAPER_MODEL}."
    if left := [f"{k} {why}" for why, k in found.attrs["left_out"].items()]:
        yield f"Left out: {', '.join(left)}."
    for task, k in found.attrs["short_pools"].items():
        yield f"{title_of(task)}: {k} questions have fewer CoT samples and are missing from CoT-SC and the hybrids."


def counted(live: int, replayed: int) -> str:
    """`3 live + 30 replayed`."""
    return " + ".join(f"{k} {what}" for k, what in ((live, "live"), (replayed, "replayed")) if k)


def latex_escape(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return "".join(_LATEX.get(character, character) for character in text)


def _pipe(cell: str) -> str:
    return cell.replace("|", "\\|")


def _number(value: float) -> str:
    return "–" if value != value else f"{value:.1f}"
