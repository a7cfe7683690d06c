"""Figures, tables and cards from trajectories: `table1`, `figure2`, `card`, `side_by_side`, `write_report`."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from react_kit.analysis import outcomes, results, sample_curves, scores
from react_kit.analysis.records import Runs, trajectories
from react_kit.errors import KitError
from react_kit.report.book import page
from react_kit.report.card import card, side_by_side
from react_kit.report.figure2 import figure2
from react_kit.report.save import provenance, save_figure, save_json
from react_kit.report.table1 import table1
from react_kit.trajectory import Trajectory

if TYPE_CHECKING:
    import pandas

IN_A_BOOK = 1000  # trajectories, about 5 MB of HTML
_FORMULA = re.compile(r"[=@\t\r]|[+-](?![\d.,]+$)")  # a number with its sign is none

__all__ = ["card", "figure2", "side_by_side", "table1", "write_report"]


def write_report(runs: Runs, folder: str | Path = "figures") -> list[Path]:
    """Write every table and figure that the runs' data allow into `folder`; returns the paths.

    Table 1 (Markdown, LaTeX, CSV); every score with its interval, the results and outcomes behind them (CSV); where
    there are CoT samples Figure 2 (PDF, SVG, PNG) and its numbers; the trajectories to read in one HTML file that needs
    no network. JSON files tell what each was made from.
    """
    place, origin = Path(folder), provenance(runs)
    read = list(trajectories(runs))  # once, for all that follows
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise KitError(f"cannot write to {str(place)!r}: {e.strerror}. Choose another folder.") from e
    paths = [*table1(read).save(place), save_json(origin, place / "table1.json")]
    frames = {"results": results(read), "outcomes": outcomes(read), "scores": scores(read)}
    if len(sample_curves(read)):
        from matplotlib import pyplot as plt

        frames["figure2"] = figure2(read)
        figure = frames["figure2"].attrs["figure"]
        paths += save_figure(figure, place / "figure2", origin)
        plt.close(figure)
    for name, frame in frames.items():
        _no_formulas(frame).to_csv(place / f"{name}.csv", index=False, lineterminator="\n")
        paths.append(place / f"{name}.csv")
    (place / "trajectories.html").write_text(
        page(_to_read(read), "Trajectories", len(read)), encoding="utf-8"
    )
    return [*paths, place / "trajectories.html"]


def _to_read(read: list[Trajectory]) -> list[Trajectory]:
    """Greedy episodes before samples, as many as a browser opens at ease."""
    return sorted(read, key=lambda t: t.cell.temperature > 0)[:IN_A_BOOK]


def _no_formulas(frame: "pandas.DataFrame") -> "pandas.DataFrame":
    """A spreadsheet would run a text that begins like a formula: an apostrophe before it keeps it text."""

    def plain(value: object) -> object:
        formula = isinstance(value, str) and _FORMULA.match(value)
        return f"'{value}" if formula else value

    texts = frame.select_dtypes(include=["object", "string"]).columns
    return frame.assign(**{name: frame[name].map(plain) for name in texts})
