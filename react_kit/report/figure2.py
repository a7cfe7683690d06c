"""Figure 2: CoT-SC and both hybrids against the number of samples, with ReAct and greedy CoT as flat lines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from react_kit.analysis.curves import FLAT, sample_curves
from react_kit.analysis.records import Runs, metric_of, title_of
from react_kit.errors import KitError
from react_kit.fidelity import Fidelity
from react_kit.report.style import RC, inches, label, look

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEFT, LABELS, BOTTOM, TOP, HEIGHT = 0.52, 0.92, 0.40, 0.24, 1.65  # inches around and of a panel
STACK_BELOW = 4.5  # inches: narrower figures put their panels one above the other
LINE = 7.5  # points from one label to the next
FONT = 7.0


def figure2(
    runs: Runs, ax: "Axes | None" = None, width: str | float = "neurips", fidelity: Fidelity | None = None
) -> "pandas.DataFrame":
    """Draw, and return what was drawn, with the figure in `.attrs["figure"]`.

    One panel per task; or, with one task, into `ax` (the names of the lines stand right of it: make room, e.g. with
    `plt.subplots(layout="constrained")`). `width`: a venue's name or inches.
    """
    import matplotlib as mpl

    frame = sample_curves(runs, fidelity)
    tasks = list(frame["task"].unique())
    if not tasks:
        raise KitError(
            "no CoT samples in these runs, so there is no curve to draw; run an experiment with method cot-sc."
        )
    if ax is not None and len(tasks) > 1:
        raise KitError(
            f"one axis cannot show {len(tasks)} tasks ({', '.join(tasks)}); pass the runs of one, or no ax."
        )
    with mpl.rc_context(RC):
        panels = [ax] if ax is not None else _panels(len(tasks), inches(width))
        for task, panel in zip(tasks, panels, strict=True):
            _draw(panel, frame[frame["task"] == task], task)
        interactive = mpl.is_interactive()
    # A notebook's backend, loaded by the first figure, switches this on for later ones.
    mpl.interactive(interactive)
    figure: Any = panels[0].figure
    # pandas copies attrs with every result; a figure must not follow.
    figure.__deepcopy__ = lambda memo: figure
    frame.attrs["figure"] = figure
    return frame


def _panels(count: int, width: float) -> "list[Axes]":
    """Axes placed in inches, so that type and labels have the same size in every width."""
    from matplotlib import pyplot as plt

    rows = count if width < STACK_BELOW else 1
    across, high = count // rows, BOTTOM + HEIGHT + TOP
    figure: Figure = plt.figure(figsize=(width, rows * high))
    cell = width / across
    return [
        figure.add_axes(
            (
                (k % across * cell + LEFT) / width,
                1 - ((k // across + 1) * high - BOTTOM) / (rows * high),
                (cell - LEFT - LABELS) / width,
                HEIGHT / (rows * high),
            )
        )
        for k in range(count)
    ]


def _draw(ax: "Axes", frame: "pandas.DataFrame", task: str) -> None:
    lines = {str(m): part for m, part in frame.groupby("method", sort=False)}
    for method, part in lines.items():
        _line(ax, method, part)
    last = int(frame["samples"].max())
    ax.set_xlim(1 - 0.02 * last, last + 0.02 * last)
    ax.set_xticks([m for m in (1, 5, 10, 15, 20, 30, 40) if m <= last] if last > 5 else range(1, last + 1))
    ax.set_ylim(*_limits(frame))
    ax.yaxis.set_major_formatter(lambda y, _: f"{100 * y:.0f}%" if -1e-9 < y < 1 + 1e-9 else "")
    ax.yaxis.grid(True, color="0.9", linewidth=0.5)
    ax.set_axisbelow(True)
    ax.set_xlabel("CoT-SC samples")
    ax.set_ylabel(metric_of(task)[1])
    ax.set_title(f"{title_of(task)} (n = {_span(frame['n'])})", loc="left")
    _name_lines(ax, {method: float(part["score"].iloc[-1]) for method, part in lines.items()}, last)


def _line(ax: "Axes", method: str, part: "pandas.DataFrame") -> None:
    color, marker, style = look(method)
    x, y = list(part["samples"]), list(part["score"])
    if method in FLAT:  # on top: where a hybrid lies on its baseline, both are seen through the gaps
        ax.plot(x, y, color=color, linestyle=style, linewidth=1.0, zorder=4)
        return
    ax.fill_between(
        x,
        list(part["low"]),
        list(part["high"]),
        facecolor=(color, 0.10),
        edgecolor=(color, 0.35),
        linewidth=0.4,
        zorder=1,
    )
    every = max(1, len(x) // 7)
    ax.plot(x, y, color=color, linestyle=style, marker=marker, markevery=every, markeredgewidth=0, zorder=3)


def _limits(frame: "pandas.DataFrame") -> tuple[float, float]:
    """Room for lines and bands; at least twelve points, so that noise does not fill the panel."""
    banded = frame[~frame["method"].isin(FLAT)]
    low = min(frame["score"].min(), banded["low"].fillna(banded["score"]).min())
    high = max(frame["score"].max(), banded["high"].fillna(banded["score"]).max())
    pad = max(0.04 * (high - low), 0.02)
    top = min(max(high + pad, low - pad + 0.12), 1.02)
    return max(min(low - pad, top - 0.12), -0.02), top


def _name_lines(ax: "Axes", ends: dict[str, float], last: int) -> None:
    """Each line's name at its right end, moved apart where needed and tied to the line by a thin stroke."""
    low, high = ax.get_ylim()
    tall = ax.get_window_extent().height / ax.figure.dpi * 72  # points
    unit = (high - low) / tall
    wanted = [(y - low) / unit for y in ends.values()]
    for (method, y), at in zip(ends.items(), spread(wanted, LINE, 0.0, tall), strict=True):
        ax.annotate(
            label(method),
            xy=(last, y),
            xytext=(1.05, at / tall),
            xycoords="data",
            textcoords="axes fraction",
            color=look(method).color,
            fontsize=FONT,
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": look(method).color, "linewidth": 0.5, "relpos": (0, 0.5)}
            | {"shrinkA": 1, "shrinkB": 1},
        )


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places as near to the wanted ones as a gap between neighbours allows, in the same order, from low to high.

    Neighbours that are too close form a block around their mean; blocks that touch are joined.
    """
    gap = min(gap, (high - low) / max(len(wanted) - 1, 1))
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    blocks: list[list[int]] = []
    for i in order:
        blocks.append([i])
        while len(blocks) > 1 and _start(blocks[-1], wanted, gap, low, high) < _end(
            blocks[-2], wanted, gap, low, high
        ):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    placed = [0.0] * len(wanted)
    for block in blocks:
        start = _start(block, wanted, gap, low, high)
        for k, i in enumerate(block):
            placed[i] = start + k * gap
    return placed


def _start(block: list[int], wanted: Sequence[float], gap: float, low: float, high: float) -> float:
    """Where a block's first place is."""
    length = gap * (len(block) - 1)
    middle = sum(wanted[i] for i in block) / len(block)
    return float(max(low, min(middle - length / 2, high - length)))


def _end(block: list[int], wanted: Sequence[float], gap: float, low: float, high: float) -> float:
    """Where the next block may start."""
    return _start(block, wanted, gap, low, high) + gap * len(block)


def _span(counts: Any) -> str:
    """`33`, or `30–33` where the methods differ."""
    low, high = int(counts.min()), int(counts.max())
    return f"{low}" if low == high else f"{low}–{high}"
