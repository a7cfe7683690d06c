"""What the stepper does when the reader asks for something; knows nothing of browsers and can be tested without."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from react_kit.corpora import Corpus
from react_kit.episode import Episode
from react_kit.errors import KitError, Unavailable
from react_kit.methods import Method
from react_kit.models.base import Model
from react_kit.prompts import Prompts
from react_kit.run import Run
from react_kit.trajectory import Trajectory
from react_kit.widgets.catalogue import Catalogue, plain
from react_kit.widgets.view import view

MOST = 200  # rows of one answer
Say = Callable[[dict[str, Any]], None]  # a message to the reader's browser


class Desk:
    """Answers the reader's questions one by one; what takes long goes on in a thread and is told by `say`."""

    def __init__(
        self,
        source: Run | Sequence[Trajectory] | Trajectory | Episode,
        model: Model | None = None,
        corpus: Corpus | None = None,
        prompts: Mapping[str, Prompts] | None = None,
        methods: Mapping[str, Method] | None = None,
        say: Say = lambda message: None,
    ) -> None:
        self.model, self.corpus, self._say = model, corpus, say
        self.prompts, self.methods = dict(prompts or {}), dict(methods or {})
        self.run = source if isinstance(source, Run) else None
        self.episodes: dict[int, Episode] = {}  # by row: those that can be played on
        self._halt: dict[int, threading.Event] = {}
        self.lock = threading.Lock()
        if isinstance(source, Episode):
            self.catalogue = Catalogue([source.trajectory])
            self.episodes[0] = source
        else:
            self.catalogue = Catalogue(source)

    def answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one question; a mistake is answered with `problem`, in words."""
        what = asked.get("ask")
        known = {
            f.__name__: f
            for f in (self.rows, self.open, self.prompt, self.follow, self.edit, self.play, self.halt)
        }
        try:
            if what not in known:
                raise KitError(f"the stepper does not know {what!r}; reload the page, its two halves differ.")
            arguments = {k: v for k, v in asked.items() if k not in ("ask", "id")}
            return known[what](**arguments)
        except (KitError, Unavailable) as e:
            return {"problem": str(e)}
        except (TypeError, IndexError, ValueError) as e:
            return {"problem": f"that could not be done ({e}); reload the page and try again."}

    def rows(
        self, chosen: Mapping[str, str], text: str = "", start: int = 0, count: int = MOST
    ) -> dict[str, Any]:
        """Rows `start` to `start + count` of those that fit, and how many fit; facets count all rows."""
        with self.lock:
            found = self.catalogue.find(chosen, text)
            some = found[start : start + min(count, MOST)]
            rows = [plain(self.catalogue.rows[n]) | {"n": n} for n in some]
            return {
                "rows": rows,
                "start": start,
                "fit": len(found),
                "of": len(self.catalogue),
                "facets": self.catalogue.facets(),
                "problems": self.catalogue.problems[:5],
                "growing": self.run is not None,
            }

    def open(self, n: int) -> dict[str, Any]:
        """The trajectory of row `n`, with what can be done with it."""
        with self.lock:
            t = self._trajectory(n)
            row = self.catalogue.rows[n]
            at = {other.id: k for k, other in enumerate(self.catalogue.rows)}
            return view(t, self.corpus) | {
                "n": n,
                "can_edit": self.model is not None or n in self.episodes,
                "unfinished": t.stop == "unfinished",
                "branches": self.catalogue.children(row.id),
                "parent_n": at.get(row.parent),
                "same": [
                    k
                    for k, other in enumerate(self.catalogue.rows)
                    if other.question == row.question and k != n
                ],
            }

    def prompt(self, n: int, key: str) -> dict[str, Any]:
        """The prompt as it was sent."""
        finder = getattr(self.model, "prompt", None)
        text = finder(key) if finder else None
        if text is None:
            raise KitError(
                "this prompt is not in the reply cache here: pass the model that played, e.g. "
                'Stepper(run, model=open_model("embedded")), on the machine where it played or with its replay.'
            )
        return {"prompt": text}

    def follow(self) -> dict[str, Any]:
        """How many rows the run has grown by since the last time."""
        with self.lock:
            return {"new": self.catalogue.refresh(), "of": len(self.catalogue)}

    def edit(
        self, n: int, step: int, thought: str | None = None, action: str | None = None
    ) -> dict[str, Any]:
        """Begin a branch with another thought or action at `step` (from 1); it plays on in the background."""
        episode = self._episode(n).edit(step, thought, action)
        with self.lock:
            id = episode.trajectory.id
            if (
                known := next((k for k, row in enumerate(self.catalogue.rows) if row.id == id), None)
            ) is not None:
                return {"n": known, "differences": [], "known": True}  # the same edit was made before
            number = self.catalogue.add(episode.trajectory)
            self.episodes[number] = episode
        return {"n": number, "differences": episode.differences} | self.play(number)

    def play(self, n: int, steps: int | None = None) -> dict[str, Any]:
        """Play on in the background, `steps` steps or to the end; each step is told as `{"played": n}`."""
        episode = self._episode(n)
        if n in self._halt:
            raise KitError("this episode is being played already; wait for it, or stop it first.")
        self._halt[n] = threading.Event()
        threading.Thread(target=self._play, args=(n, episode, steps), daemon=True).start()
        return {"n": n}

    def halt(self, n: int) -> dict[str, Any]:
        """Stop playing after the step that is under way."""
        if n in self._halt:
            self._halt[n].set()
        return {"n": n}

    def _play(self, n: int, episode: Episode, steps: int | None) -> None:
        problem = ""
        try:
            while not episode.over and not self._halt[n].is_set() and steps != 0:
                episode.step()
                steps = steps - 1 if steps is not None else None
                self._told(n, episode, playing=True)
        except Exception as e:  # in a thread nobody else would hear of it
            problem = f"{e} Nothing recorded is lost; play on when that is mended."
        finally:
            del self._halt[n]
        self._told(n, episode, playing=False, problem=problem)

    def _told(self, n: int, episode: Episode, playing: bool, problem: str = "") -> None:
        t = episode.trajectory
        with self.lock:
            if self.catalogue.rows[n].place < 0:
                self.catalogue.update(n, t)
            if episode.over and self.run is not None and t.parent is not None:
                self.run.append(t)
        self._say(
            {"played": n, "playing": playing, "steps": len(t.steps), "stop": t.stop, "problem": problem}
        )

    def _trajectory(self, n: int) -> Trajectory:
        return self.episodes[n].trajectory if n in self.episodes else self.catalogue[n]

    def _episode(self, n: int) -> Episode:
        if n not in self.episodes:
            if self.model is None:
                raise KitError(
                    "to edit or play on, the stepper needs the model that played: "
                    'Stepper(run, model=open_model("embedded")).'
                )
            t = self.catalogue[n]
            self.episodes[n] = Episode.resume(
                t,
                model=self.model,
                corpus=self.corpus,
                method=self.methods.get(t.cell.method),
                prompts=self.prompts.get(t.cell.task),
            )
        return self.episodes[n]
