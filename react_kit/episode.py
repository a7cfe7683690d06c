"""Drives a method over one instance: step by step, to the end, or on from an edited step (the paper's Figure 5)."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import NoneType
from typing import Any

import msgspec

from react_kit.corpora import Corpus, identity, open_wiki, recorded
from react_kit.envs.base import Env
from react_kit.errors import KitError, expect, unknown
from react_kit.fidelity import PAPER, Fidelity
from react_kit.methods import Context, Method, Pooled, resolve
from react_kit.models.base import Model
from react_kit.models.scripted import Scripted
from react_kit.prompts import Prompts
from react_kit.tasks import TASKS, Task
from react_kit.text import writable
from react_kit.trajectory import Call, Cell, Instance, Parent, Step, Stop, Trajectory, digest, trajectory_id


class Episode:
    """One method on one instance. `differences` lists observations that a replay found changed."""

    def __init__(
        self,
        context: Context,
        make_env: Callable[[], Env],
        method: Method,
        task: Task,
        cell: Cell,
        provenance: dict[str, Any],
    ) -> None:
        self.context, self.make_env, self.method, self.task, self.cell = context, make_env, method, task, cell
        self.provenance = provenance
        self.parent: Parent | None = None
        self.steps: list[Step] = []
        self.differences: list[str] = []
        self.over = False
        self.seconds = 0.0
        self._script: list[Call] = []  # replies that a branch begins with
        self._generator = self._drive([])

    @classmethod
    def start(
        cls,
        instance: Instance | str,
        method: str | Method = "react",
        *,
        model: Model,
        corpus: Corpus | None = None,
        task: Task | None = None,
        prompts: Prompts | None = None,
        fidelity: Fidelity = PAPER,
        temperature: float = 0.0,
        sample: int = 0,
    ) -> "Episode":
        """A new episode, by default over the tiny corpus with the task's prompts. The first `step` asks the model.

        A question of your own may be plain text: it has no gold answer, so it is not scored.
        """
        if isinstance(instance, str):
            instance = _own(instance, task or TASKS["hotpotqa"])
        expect("the instance", instance, Instance, "one of load_task(...), or a question as text")
        expect("model", model, Model, 'a model, e.g. open_model("embedded")')
        expect("corpus", corpus, (Corpus, NoneType), 'a corpus, e.g. open_wiki("tiny")')
        expect("prompts", prompts, (Prompts, NoneType), 'prompts, e.g. load_prompts("hotpotqa")')
        expect("fidelity", fidelity, Fidelity, "PAPER, AUTHORS_CODE or a Fidelity of your own")
        name, play = _single(method)
        task = task or TASKS.get(instance.task)
        if task is None:
            raise unknown("task of this instance", instance.task, TASKS, "Or pass task=.")
        corpus = corpus or open_wiki("tiny")
        prompts = prompts or task.prompts()
        cell = Cell(
            task.name, instance.id, name, prompts.name, model.name, float(temperature), fidelity.name, sample
        )
        provenance = {
            "model": model.identity,
            "prompts": {"id": prompts.id, "sha256": prompts.sha256},
            "corpus": identity(corpus),
            "fidelity": fidelity.differences(),
            "step_limit": task.limit(fidelity, instance),
        }
        make_env = partial(task.make_env, corpus, fidelity)
        context = Context(
            instance, prompts, model, make_env(), task.limit(fidelity, instance), temperature, sample
        )
        return cls(context, make_env, play, task, cell, provenance)

    @classmethod
    def resume(
        cls,
        trajectory: Trajectory,
        *,
        model: Model,
        method: Method | None = None,
        corpus: Corpus | None = None,
        task: Task | None = None,
        prompts: Prompts | None = None,
        fidelity: Fidelity | None = None,
    ) -> "Episode":
        """The episode of a recorded trajectory, brought to its last step, to `edit` or to play on.

        Recorded replies are repeated and actions executed again; where the environment now answers otherwise,
        `differences` says so. Raises `KitError` where model, prompts or rules are others than the recorded ones.
        """
        expect("the trajectory", trajectory, Trajectory, "a trajectory, e.g. run[0]")
        cell = trajectory.cell
        episode = cls.start(
            trajectory.instance,
            method or cell.method,
            model=model,
            corpus=corpus or recorded(trajectory.provenance.get("corpus", {})),
            task=task,
            prompts=prompts,
            fidelity=fidelity or Fidelity(**trajectory.provenance.get("fidelity", {})),
            temperature=cell.temperature,
            sample=cell.sample,
        )
        for name in ("method", "prompt", "model", "fidelity"):
            before, now = getattr(cell, name), getattr(episode.cell, name)
            if before != now:
                raise KitError(
                    f"the trajectory was recorded with {name} {before!r}, this is {now!r}; pass the recorded one."
                )
        episode.parent = trajectory.parent
        episode._script = [call for step in trajectory.steps for call in step.calls]
        episode._generator = episode._drive(episode._script)
        episode._advance(trajectory.steps)
        episode.over = trajectory.stop != "unfinished"
        return episode

    def step(self) -> Step | None:
        """Play one step; None when the episode is over.

        Raises `Unavailable` when the model's server fails; call `step` again once it is back.
        """
        if self.over:
            return None
        began = time.perf_counter()
        try:
            step = next(self._generator, None)
        except BaseException:
            # A generator that raised is spent: bring a new one to the same place, so that the user can go on.
            done, self.steps = self.steps, []
            calls = [call for s in done for call in s.calls]
            self._generator = self._drive([*calls, *self._script[len(calls) :]])
            self._advance(done)
            raise
        finally:
            self.seconds += time.perf_counter() - began
        expect(f"what {self.cell.method} yielded", step, (Step, NoneType), "a Step")
        self._check(step)
        if step is None or "unavailable" in step.notes:
            self.over = True
        if step is not None:
            self.steps.append(step)
            self.over = self.over or self._answer() is not None or len(self.steps) >= self.context.limit
        return step

    def run(self) -> Trajectory:
        """Play to the end."""
        while not self.over:
            self.step()
        return self.trajectory

    @property
    def trajectory(self) -> Trajectory:
        """What happened so far; scored once the episode is over, unless infrastructure failed."""
        stop, answer, instance = self._stop(), self._answer(), self.context.instance
        scored = stop in ("answered", "step_limit", "unparsable")
        return Trajectory(
            trajectory_id(self.cell, self.parent),
            self.cell,
            instance,
            tuple(self.steps),
            answer,
            stop,
            self.task.score(instance, answer) if scored else {},
            self.provenance,
            self.parent,
            {"seconds": round(self.seconds, 3)},
        )

    def edit(self, step: int, thought: str | None = None, action: str | None = None) -> "Episode":
        """A branch: the same steps before number `step` (from 1), there the new thought or action, then on.

        A new thought alone is a reply without an action line, so the model is asked for the action.
        """
        if not 1 <= step <= len(self.steps):
            raise KitError(f"there is no step {step} to edit; this episode has steps 1 to {len(self.steps)}.")
        if thought is None and action is None:
            raise KitError("nothing to edit: pass thought=, action= or both.")
        if thought is not None and self.steps[step - 1].thought is None:
            raise KitError(f"step {step} of {self.cell.method} has no thought to edit; pass action=.")
        if step > 1 and self.context.env.replay == "never":
            raise KitError(
                "this environment has effects outside, so its actions cannot be repeated: edit step 1 only."
            )
        edit = {k: v for k, v in {"thought": thought, "action": action}.items() if v is not None}
        reply = Call("edited", _edited(self.steps[step - 1], thought, action), finish="edited")
        branch = Episode(self.context, self.make_env, self.method, self.task, self.cell, self.provenance)
        branch.parent = Parent(trajectory_id(self.cell, self.parent), step, edit)
        kept = self.steps[: step - 1]
        branch._script = [*(call for s in kept for call in s.calls), reply]
        branch._generator = branch._drive(branch._script)
        branch._advance(kept)
        return branch

    def _check(self, step: Step | None) -> None:
        """What cannot be recorded, or not read again, must not end up in a run."""
        try:
            msgspec.json.decode(msgspec.json.encode(step), type=Step | None)
        except (msgspec.MsgspecError, TypeError, UnicodeEncodeError, RecursionError) as e:
            raise KitError(f"a step of {self.cell.method} cannot be recorded ({e}): {step!r:.200}") from e

    def _drive(self, recorded: Sequence[Call]) -> Iterator[Step]:
        """The method's generator, begun anew in a fresh environment; `recorded` replies come before the model's own."""
        model, env = Scripted(self.context.model, recorded), self.make_env()
        env.reset(self.context.instance)
        steps = self.method(msgspec.structs.replace(self.context, model=model, env=env))
        expect(
            f"what {self.cell.method} returned",
            steps,
            Iterator,
            "a generator: the method must `yield` its steps",
        )
        return steps

    def _advance(self, recorded: Sequence[Step]) -> None:
        """Play recorded steps again, and note where the environment now answers otherwise."""
        for number, before in enumerate(recorded, 1):
            now = next(self._generator, None)
            if now is None:
                raise KitError(
                    f"{self.cell.method} now ends after {number - 1} steps, {len(recorded)} were recorded: it is "
                    "another version of the method."
                )
            if now.observation != before.observation:
                self.differences.append(
                    f"observation {number} was {before.observation and before.observation.text!r}, "
                    f"is now {now.observation and now.observation.text!r}"
                )
                now = msgspec.structs.replace(now, notes=(*now.notes, "replay_differs"))
            self.steps.append(now)

    def _answer(self) -> str | None:
        action = self.steps[-1].action if self.steps else None
        return action.argument if action and action.name == "finish" and action.argument else None

    def _stop(self) -> Stop:
        if not self.over:
            return "unfinished"
        if self.steps and "unavailable" in self.steps[-1].notes:
            return "unavailable"
        if self._answer() is not None:
            return "answered"
        return "step_limit" if self.steps and self.steps[-1].observation else "unparsable"

    def _repr_html_(self) -> str | None:
        return self.trajectory._repr_html_()

    def __repr__(self) -> str:
        return f"<Episode {self.cell.method} on {self.cell.task}: {len(self.steps)} steps, {self._stop()}>"


def _own(question: str, task: Task) -> Instance:
    if not question.strip() or not writable(question):
        raise KitError(f"the question is {question!r}; expected text.")
    return Instance(digest(question.strip())[:24], task.name, question.strip())


def _single(method: str | Method) -> tuple[str, Method]:
    name, found = resolve(method)
    if isinstance(found, Pooled):
        raise KitError(
            f"{name!r} is computed from several episodes ({', '.join(found.needs)}); "
            "use Experiment, or start one of those."
        )
    return name, found


def _edited(step: Step, thought: str | None, action: str | None) -> str:
    """The reply that a person puts in the model's place. A thought stays on one line, as the follow-up call needs."""
    said = " ".join((thought if thought is not None else step.thought or "").split())
    if step.thought is None:
        return action or ""
    if action is None:
        return said
    return (
        f"{said}\n{action}" if step.observation is None else f"{said}\nAction: {action}"
    )  # CoT: Answer: ...
