"""The stepper: read, compare, edit and branch trajectories in a notebook, from the keyboard."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from react_kit.corpora import Corpus
from react_kit.episode import Episode
from react_kit.methods import Method
from react_kit.models.base import Model
from react_kit.prompts import Prompts
from react_kit.report.book import book
from react_kit.run import Run
from react_kit.trajectory import Trajectory
from react_kit.widgets.desk import Desk

HERE = Path(__file__).parent
KEPT = 50  # trajectories that the saved notebook shows without a kernel


class Stepper(anywidget.AnyWidget):
    """`Stepper(run)`, `Stepper(run.where(...))` or `Stepper(episode)`; press ? in it for the keys.

    `model`: to edit and play on, and to see prompts as sent. `corpus`, `prompts` (by task), `methods` (by name): where
    they were not the kit's own. A finished branch of a run is appended to it; nothing recorded is changed.
    A copy of the first trajectories is saved with the notebook as plain HTML and shows where there is no kernel.
    """

    _esm = HERE / "stepper.js"
    _css = HERE / "stepper.css"
    twin = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        trajectories: Run | Sequence[Trajectory] | Trajectory | Episode,
        model: Model | None = None,
        *,
        corpus: Corpus | None = None,
        prompts: Mapping[str, Prompts] | None = None,
        methods: Mapping[str, Method] | None = None,
    ) -> None:
        self.desk = Desk(trajectories, model, corpus, prompts, methods, say=self._say)
        super().__init__()
        self.twin = self.model_id
        self.on_msg(self._asked)

    @property
    def branches(self) -> list[Trajectory]:
        """What was made by editing here, in order."""
        desk = self.desk
        return [
            e.trajectory
            for n, e in sorted(desk.episodes.items())
            if e.parent and desk.catalogue.rows[n].place < 0
        ]

    def _asked(self, _: Any, asked: Any, __: Any) -> None:
        answer = self.desk.answer(asked if isinstance(asked, dict) else {})
        self.send(answer | {"id": asked.get("id") if isinstance(asked, dict) else None})

    def _say(self, message: dict[str, Any]) -> None:
        self.send(message)

    def _repr_html_(self) -> str:
        """The static twin alone."""
        catalogue = self.desk.catalogue
        some = [catalogue[n] for n in range(min(KEPT, len(catalogue)))]
        return book(some, of=len(catalogue), twin=self.twin)

    def _ipython_display_(self) -> None:
        from IPython.display import HTML, display

        bundle = self._repr_mimebundle_()
        data, metadata = bundle if bundle else ({}, {})
        display(data, metadata=metadata, raw=True)
        display(HTML(self._repr_html_()))

    def __repr__(self) -> str:
        return f"<Stepper over {len(self.desk.catalogue)} trajectories>"
