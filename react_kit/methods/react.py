"""ReAct (section 2 and 3): thought, action, observation, in turn."""

from collections.abc import Iterator

from react_kit.methods.base import Context, observed, unreadable
from react_kit.parsing import parse_action, parse_step
from react_kit.trajectory import Call, Step


def react(ctx: Context) -> Iterator[Step]:
    """At each step one call after `Thought i:`; a second one after `Action i:` if the first brought no action."""
    prompt = ctx.prompts.start("react", ctx.instance.question)
    steps: list[Step] = []
    for i in range(1, ctx.limit + 1):
        reply = ctx.ask(f"{prompt}Thought {i}:", stop=ctx.stops(i))
        parsed = parse_step(reply.text)
        thought, action = parsed.thought, parsed.action
        calls: tuple[Call, ...] = (reply.call,)
        notes = reply.notes + parsed.notes
        if action is None:
            again = ctx.ask(f"{prompt}Thought {i}: {thought}\nAction {i}:", stop=("\n",))
            forced = parse_action(again.text)
            action = forced.action or unreadable(again.text)
            calls += (again.call,)
            notes += (*parsed.problems, "follow_up", *again.notes, *forced.notes, *forced.problems)
        step, done = ctx.act(steps, thought, action, calls, notes)
        steps.append(step)
        yield step
        if done:
            return
        prompt += f"Thought {i}: {thought}\nAction {i}: {action.raw}\nObservation {i}: {observed(step.observation)}\n"
