"""What a method is: a generator of steps over a context. `Episode` drives it."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

from msgspec import Struct

from react_kit.corpora.memory import MemoryCorpus
from react_kit.envs.base import Env
from react_kit.errors import KitError, expect
from react_kit.models.base import Model
from react_kit.parsing import cut
from react_kit.prompts import Prompts
from react_kit.text import one_line
from react_kit.trajectory import Action, Call, Instance, Observation, Step, is_repeat


class Reply(Struct, frozen=True):
    """`text` is cut at the stop string; `call` keeps what the server really sent."""

    text: str
    call: Call
    notes: tuple[str, ...]


class Context(Struct):
    """Everything a method may use. `limit`: steps; `sample`: number of this sample, for temperature > 0."""

    instance: Instance
    prompts: Prompts
    model: Model
    env: Env
    limit: int
    temperature: float = 0.0
    sample: int = 0

    def ask(self, prompt: str, stop: tuple[str, ...], max_tokens: int = 100) -> Reply:
        """One reply, cut at the stop string on our side whatever the server does."""
        call = self.model.sample(
            prompt, first=self.sample, stop=stop, temperature=self.temperature, max_tokens=max_tokens
        )[0]
        said = call.text.replace("\r\n", "\n")
        text = cut(said, stop)
        noted = {
            "edited": call.finish == "edited",  # written by a person, see Episode.edit
            "cut_off": call.finish == "length" and text == said,
            "ran_on": text != said,  # wrote past the stop string
        }
        return Reply(text, call, tuple(note for note, holds in noted.items() if holds))

    def stops(self, i: int) -> tuple[str, ...]:
        """Where step `i` ends: at its observation (the authors' stop string), or after Finish at the next instance."""
        return f"\nObservation {i}:", f"\n{self.prompts.label}:"

    def act(
        self,
        before: list[Step],
        thought: str | None,
        action: Action,
        calls: tuple[Call, ...],
        notes: tuple[str, ...],
    ) -> tuple[Step, bool]:
        """Execute an action: the step it makes, and whether the episode is over."""
        outcome = self.env.step(action)
        repeated = ("repeated_action",) if is_repeat(before, action, outcome.observation) else ()
        step = Step(thought, action, outcome.observation, calls, notes + outcome.notes + repeated)
        return step, outcome.done or outcome.code == "unavailable"


Method: TypeAlias = Callable[[Context], Iterator[Step]]


def name_of(method: Method) -> str:
    """The name in the record of a method of one's own: its function's, or its class's."""
    name = str(getattr(method, "__name__", type(method).__name__))
    if not callable(method) or isinstance(method, partial) or not name.isidentifier():
        raise KitError(
            f"a method of your own is {method!r}, which has no name for the record; expected a function: "
            "def my_method(context): yield Step(...)."
        )
    return name


def unreadable(line: str) -> Action:
    """What stands in for an action that no rule can read; the environment answers `Invalid action: ...`."""
    return Action("", {}, line.strip())


def whole(ctx: Context) -> MemoryCorpus:
    """The environment's corpus, for the controls that read all of it."""
    corpus = getattr(ctx.env, "corpus", None)
    expect("the corpus", corpus, MemoryCorpus, "one that is held in memory: this method reads all of it")
    assert isinstance(corpus, MemoryCorpus)
    return corpus


def observed(observation: Observation | None) -> str:
    """Observation text for the prompt, on one line, so that it cannot open a step of its own."""
    return one_line(observation.text) if observation else ""
