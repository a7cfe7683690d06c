"""From a model's reply to a thought, an action, or a named reason. Never raises; linear in the reply's length.

Models add blank lines, forget step numbers, change case, write on after the action, or invent the
observation. All of that is taken as well as it can be, and named in `notes`.
"""

import re

from msgspec import Struct

from react_kit.trajectory import Action

# The argument's name of each action that the question-answering prompts teach (section 3.1).
ARGUMENTS = {"search": "entity", "lookup": "string", "finish": "answer", "think": "thought"}

_ACTION = re.compile(r"^[ \t]*action(?:[ \t]*\d+)?[ \t]*[:：][ \t]*", re.IGNORECASE | re.MULTILINE)
_THOUGHT = re.compile(r"\s*thought(?:[ \t]*\d+)?[ \t]*[:：][ \t]*", re.IGNORECASE)
_ANSWER = re.compile(r"^[ \t]*answer[ \t]*[:：]", re.IGNORECASE | re.MULTILINE)
_NEXT = re.compile(r"^[ \t]*(?:observation|thought|question|claim)(?:[ \t]*\d+)?[ \t]*[:：]", re.I | re.M)
_NAME = re.compile(r"[ \t]*([A-Za-z_][\w-]*)[ \t]*\[")
_WIDE = str.maketrans("［］【】", "[][]")


class Parsed(Struct, frozen=True):
    """`problem` names why there is no action; `notes` what was tolerated."""

    thought: str
    action: Action | None = None
    problem: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """The problem as notes: one, or none."""
        return (self.problem,) if self.problem else ()


def parse_step(reply: str) -> Parsed:
    """The first thought and action of a reply to `Thought i:`."""
    text = reply.strip()
    text = text[_end(_THOUGHT.match(text)) :]
    found = _ACTION.search(text)
    invented = _NEXT.search(text)
    if found and not (invented and invented.start() < found.start()):
        # As the authors' split does, keep the thought up to the newline before `Action`.
        thought = text[: found.start()].removesuffix("\n")
        body = parse_action(text[found.end() :])
        return Parsed(thought, body.action, body.problem, body.notes)
    answer = _ANSWER.search(text)
    if answer and not (invented and invented.start() < answer.start()):
        value = _first_line(text[answer.end() :])
        if value:
            thought = text[: answer.start()].strip()
            return Parsed(
                thought, make_action("finish", value, f"Finish[{value}]"), None, ("answer_for_finish",)
            )
    # The follow-up call repeats this line as the authors' does, blanks at its end too.
    thought = text.lstrip().partition("\n")[0]
    return Parsed(thought, None, "no_action_line" if text else "empty_reply")


def parse_action(text: str) -> Parsed:
    """The action at the start of `text`, as in `Search[Danube]`; the rest of a longer reply is left out."""
    text = text.strip()
    text = text[_end(_ACTION.match(text)) :]
    if not text:
        return Parsed("", None, "empty_reply")
    line, _, rest = text.partition("\n")
    plain = line.translate(_WIDE)
    name = _NAME.match(plain)
    close = _closing(plain, name.end()) if name else -1
    if not name or close < 0:
        return Parsed("", None, "unclosed_bracket" if name else "not_an_action", _more(rest))
    notes = ("trailing_text",) if plain[close + 1 :].strip() else ()
    raw = line[name.start(1) : close + 1]
    return Parsed("", make_action(name[1], plain[name.end() : close], raw), None, notes + _more(rest))


def parse_answer(reply: str) -> Parsed:
    """The chain of thought and the answer of a CoT reply: `... Answer: Paris`; also `Finish[Paris]`."""
    text = reply.strip()
    text = text[_end(_THOUGHT.match(text)) :]
    answer = re.search(r"(?:^|\s)answer[ \t]*[:：]", text, re.IGNORECASE)
    if answer:
        value = _first_line(text[answer.end() :])
        thought = text[: answer.start()].strip()
        if not value:
            return Parsed(thought, None, "empty_answer")
        return Parsed(thought, make_action("finish", value, f"Answer: {value}"))
    finish = re.search(r"finish[ \t]*\[", text, re.IGNORECASE)
    body = parse_action(text[finish.start() :]) if finish else None
    if finish and body and body.action and body.action.argument:
        return Parsed(text[: finish.start()].strip(), body.action, None, ("finish_for_answer",))
    return Parsed(text, None, "no_answer" if text else "empty_reply")


def make_action(name: str, argument: str, raw: str) -> Action:
    """A typed action from its name in any case and its bracketed text."""
    name = name.lower()
    return Action(name, {ARGUMENTS.get(name, "argument"): argument.strip()}, raw)


def cut(text: str, stop: tuple[str, ...]) -> str:
    """`text` up to the first stop string, whatever the server did about it."""
    return text[: min((at for s in stop if (at := text.find(s)) >= 0), default=len(text))]


def _closing(text: str, start: int) -> int:
    """Index of the bracket that closes the one before `start`; brackets inside may nest. -1 if none."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"[": 1, "]": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return text.find("]", start)  # an unbalanced `[` inside the argument: the first `]` must do


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0].strip()


def _more(rest: str) -> tuple[str, ...]:
    """Names what a reply holds beyond its first action."""
    return ("extra_steps",) if rest.strip() else ()


def _end(match: re.Match[str] | None) -> int:
    return match.end() if match else 0
