"""Figures, tables and cards from trajectories: `table1`, `figure2`, `card`, `side_by_side`, `write_report`."""

from pathlib import Path

from react_kit.analysis import outcomes, results, sample_curves
from react_kit.analysis.records import Runs
from react_kit.report.card import card, side_by_side
from react_kit.report.figure2 import figure2
from react_kit.report.save import provenance, save_figure, save_json
from react_kit.report.table1 import table1

__all__ = ["card", "figure2", "side_by_side", "table1", "write_report"]


def write_report(runs: Runs, folder: str | Path = "figures") -> list[Path]:
    """Write every table and figure that the runs' data allow into `folder`; returns the paths.

    Table 1 (Markdown, LaTeX, CSV), the results and outcomes behind it (CSV), and where there are CoT samples
    Figure 2 (PDF, SVG, PNG) and its numbers. JSON files tell what each was made from.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    origin = provenance(runs)
    paths = [*table1(runs).save(place), save_json(origin, place / "table1.json")]
    frames = {"results": results(runs), "outcomes": outcomes(runs)}
    curves = sample_curves(runs)
    if len(curves):
        from matplotlib import pyplot as plt

        figure = figure2(runs).attrs["figure"]
        paths += save_figure(figure, place / "figure2", origin)
        plt.close(figure)
        frames["figure2"] = curves
    for name, frame in frames.items():
        frame.to_csv(place / f"{name}.csv", index=False, lineterminator="\n")
        paths.append(place / f"{name}.csv")
    return paths
