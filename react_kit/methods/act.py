"""Act: the same actions and observations as ReAct, without thoughts (section 3.2)."""

from collections.abc import Iterator

from react_kit.methods.base import Context, observed, unreadable
from react_kit.parsing import parse_action
from react_kit.trajectory import Step


def act(ctx: Context) -> Iterator[Step]:
    """At each step one call after `Action i:`."""
    prompt = ctx.prompts.start("act", ctx.instance.question)
    steps: list[Step] = []
    for i in range(1, ctx.limit + 1):
        reply = ctx.ask(f"{prompt}Action {i}:", stop=ctx.stops(i))
        parsed = parse_action(reply.text)
        action = parsed.action or unreadable(reply.text.strip().partition("\n")[0])
        notes = reply.notes + parsed.notes + parsed.problems
        step, done = ctx.act(steps, None, action, (reply.call,), notes)
        steps.append(step)
        yield step
        if done:
            return
        prompt += f"Action {i}: {action.raw}\nObservation {i}: {observed(step.observation)}\n"
