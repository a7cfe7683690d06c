"""Chain of thought (Wei et al., 2022): reason from the model's own knowledge, then answer. Sampled at
temperature 0.7 its trajectories are the pool of CoT-SC and the hybrids."""

from collections.abc import Iterator

from react_kit.methods.base import Context
from react_kit.parsing import parse_answer
from react_kit.trajectory import Call, Step


def cot(ctx: Context) -> Iterator[Step]:
    """One call after `Let's think step by step.`; the answer stands after `Answer:`."""
    yield from reason(ctx)


def reason(ctx: Context, given: str = "") -> Iterator[Step]:
    """CoT's step; `given`: a line between question and thought."""
    label = ctx.prompts.label
    start = ctx.prompts.start("cot", ctx.instance.question) + given
    prompt = start + "Thought: Let's think step by step."
    reply = ctx.ask(prompt, stop=(f"\n{label}:",), max_tokens=120)
    parsed = parse_answer(reply.text)
    calls: tuple[Call, ...] = (reply.call,)
    action, notes = parsed.action, reply.notes + parsed.notes + parsed.problems
    if action is None and "edited" in notes:  # a person's thought states no answer: ask what follows from it
        again = ctx.ask(f"{prompt} {parsed.thought}\nAnswer:", stop=("\n",))
        action = parse_answer(f"Answer:{again.text}").action
        calls, notes = (*calls, again.call), (*reply.notes, "follow_up", *again.notes)
    yield Step(parsed.thought, action, None, calls, notes)
