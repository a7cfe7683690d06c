"""Standard prompting: the answer and nothing else."""

from collections.abc import Iterator

from react_kit.methods.base import Context
from react_kit.parsing import make_action
from react_kit.trajectory import Step


def standard(ctx: Context) -> Iterator[Step]:
    """One call after `Answer:`; the answer is the rest of the line."""
    prompt = ctx.prompts.start("standard", ctx.instance.question) + "Answer:"
    reply = ctx.ask(prompt, stop=("\n",), max_tokens=50)
    # Chat models open with a newline or repeat the label.
    line = reply.text.strip() or reply.call.text.strip().partition("\n")[0]
    answer = line.removeprefix("Answer:").strip()
    action = make_action("finish", answer, f"Answer: {answer}") if answer else None
    yield Step(None, action, None, (reply.call,), reply.notes + (() if answer else ("empty_reply",)))
