"""Many trajectories in one HTML text that needs no kernel, no script and no network: to save, mail or print."""

from collections.abc import Sequence

from react_kit.report.card import column, template
from react_kit.trajectory import Trajectory


def book(trajectories: Sequence[Trajectory], of: int | None = None, twin: str = "") -> str:
    """Cards to unfold, the first one open. `of`: how many there are in all; `twin`: the widget this stands in for."""
    columns = [column(t) for t in trajectories]
    return str(template("book.html").render(columns=columns, of=of or len(columns), twin=twin))


def page(trajectories: Sequence[Trajectory], title: str, of: int | None = None) -> str:
    """A whole document, as `react-kit report` writes it."""
    return str(template("page.html").render(body=book(trajectories, of), title=title))
