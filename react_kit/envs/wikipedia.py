"""The paper's Wikipedia environment (section 3.1) over any corpus.

`search[entity]` shows the first five sentences of the page, or five similar titles; `lookup[string]` the next
sentence that contains the string, like Ctrl+F; `finish[answer]` ends the episode. The API is deliberately
weaker than a good retriever. A malformed action is an observation too, and changes nothing.
"""

from collections.abc import Callable
from typing import Literal

from react_kit.corpora.page import Corpus, Disambiguation, Page
from react_kit.corpora.titles import fold
from react_kit.envs.base import Code, Outcome
from react_kit.errors import Unavailable
from react_kit.trajectory import Action, Instance, Observation, SentenceRef

SHOWN = 5  # sentences of a page that a search shows


class WikipediaEnv:
    """State: the open page and where the last lookup stands. `reward(answer)` scores `finish`."""

    replay: Literal["rerun", "never"] = "rerun"

    def __init__(
        self,
        corpus: Corpus,
        reward: Callable[[Instance, str], float] | None = None,
        page_after_miss: Literal["close", "keep"] = "close",
    ) -> None:
        self.corpus = corpus
        self._reward = reward
        self._keep = page_after_miss == "keep"
        self._instance: Instance | None = None
        self.open(None)
        self.steps, self.done = 0, False

    def reset(self, instance: Instance, seed: int = 0) -> Observation:
        """Forget everything; the observation is the question. Nothing here is random: `seed` is not used."""
        self._instance = instance
        self.open(None)
        self.steps, self.done = 0, False
        return Observation(instance.question, source="task")

    def open(self, page: Page | None) -> None:
        """Make `page` the open one and begin lookups anew."""
        self.page = page
        self._sought = ""
        self._hits: list[int] = []
        self._next = 0

    def place(self, string: str) -> int:
        """How many hits of `string` on the open page a lookup has shown already, where it is the one looked up."""
        return self._next if fold(string) == self._sought else 0

    def step(self, action: Action) -> Outcome:
        """Execute one action. Every action counts as a step, valid or not; after `finish` nothing does."""
        if self.done:
            return self._say("The episode is over.", "refused", done=True)
        self.steps += 1
        argument = action.argument
        if action.name == "think" and argument is not None:
            return self._say("Nice thought.", notes=("think",))
        if action.name not in ("search", "lookup", "finish") or not (argument and argument.strip()):
            return self._say(f"Invalid action: {action.raw}", "invalid", notes=("invalid_action",))
        try:
            return getattr(self, f"_{action.name}")(argument.strip())  # type: ignore[no-any-return]
        except Unavailable as e:
            return Outcome(
                Observation(str(e), source=self.corpus.name),
                code="unavailable",
                retry=True,
                notes=("unavailable",),
            )

    def _search(self, entity: str) -> Outcome:
        found = self.corpus.lookup_title(entity)
        if isinstance(found, Page):
            self.open(found)
            shown = range(min(SHOWN, len(found.sentences)))
            return self._show(" ".join(found.sentences[i] for i in shown), found, list(shown))
        if not self._keep:
            self.open(None)
        if isinstance(found, Disambiguation):
            return self._say(
                f"{found.title} may refer to: {list(found.meanings)}.", "miss", notes=("disambiguation",)
            )
        similar = self.corpus.similar(entity)
        return self._say(f"Could not find {entity}. Similar: {similar}.", "miss", notes=("search_miss",))

    def _lookup(self, string: str) -> Outcome:
        if self.page is None:
            return self._say("No page is open. Search for one first.", "refused", notes=("no_page",))
        if fold(string) != self._sought:
            self._sought = fold(string)
            # A string of nothing but accents folds to nothing, which every sentence would contain.
            found = (i for i, s in enumerate(self.page.sentences) if self._sought in fold(s))
            self._hits = list(found) if self._sought else []
            self._next = 0
        if self._next >= len(self._hits):
            note = "lookup_exhausted" if self._hits else "lookup_miss"
            return self._say("No more results.", "miss", notes=(note,))
        at = self._hits[self._next]
        self._next += 1
        return self._show(
            f"(Result {self._next} / {len(self._hits)}) {self.page.sentences[at]}", self.page, [at]
        )

    def _finish(self, answer: str) -> Outcome:
        self.done = True
        reward = self._reward(self._instance, answer) if self._reward and self._instance else 0.0
        return Outcome(Observation("Episode finished.", source="task"), reward, done=True)

    def _show(self, text: str, page: Page, ids: list[int]) -> Outcome:
        refs = tuple(SentenceRef(page.title, i) for i in ids)
        return Outcome(Observation(text, refs, self.corpus.name))

    def _say(self, text: str, code: Code = "ok", done: bool = False, notes: tuple[str, ...] = ()) -> Outcome:
        return Outcome(Observation(text, source=self.corpus.name), done=done, code=code, notes=notes)
