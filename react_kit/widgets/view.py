"""A trajectory as plain data for the reading pane: what a card shows, with gold sentences and the answer marked."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from react_kit.corpora import Corpus, recorded
from react_kit.corpora.page import Page
from react_kit.errors import KitError
from react_kit.report.card import column
from react_kit.text import visible
from react_kit.trajectory import SentenceRef, Step, Trajectory

LONGEST = 20_000  # characters of one text that go to the browser; the rest is counted
Span = tuple[int, int, str]  # from, to, mark


def view(t: Trajectory, corpus: Corpus | None = None) -> dict[str, Any]:
    """Plain data. `corpus`: to find the gold sentences in the observations' texts."""
    corpus = corpus or corpus_of(t)
    shown = column(t)
    gold = {ref for group in t.instance.evidence for ref in group}
    answered = False
    for step, data in zip(t.steps, shown["steps"], strict=True):
        data["calls"] = [_call(call) for call in step.calls]
        data["sentences"] = _ranges(step, gold)
        spans = list(_gold_spans(step, gold, corpus))
        if not answered and (span := _answer_span(step, t.answer)):
            spans.append(span)
            answered = True
        data["observation"] = segments(step.observation.text, spans) if step.observation else None
        data["editable"] = {"thought": step.thought, "action": step.action.raw if step.action else None}
    parent = t.parent and {"id": t.parent.id, "step": t.parent.step, "edit": t.parent.edit}
    question, answer = t.instance.question, t.instance.answer
    safe: dict[str, Any] = _safe(
        shown | {"instance": {"id": t.instance.id, "question": question, "answer": answer}, "parent": parent}
    )
    return safe


def corpus_of(t: Trajectory) -> Corpus | None:
    """The corpus it was recorded over, where the kit can open it and it still is the same."""
    identity = t.provenance.get("corpus", {})
    try:
        corpus = recorded(identity)
    except KitError:
        return None
    return corpus if corpus.sha256 == identity.get("sha256") else None


def segments(text: str, spans: Iterable[Span]) -> list[dict[str, Any]]:
    """The text in pieces, each with the marks that lie on it."""
    marks = sorted(spans)
    cuts = sorted({0, len(text), *(at for a, b, _ in marks for at in (a, b))})
    return [
        {"text": text[a:b], "marks": sorted({mark for x, y, mark in marks if x <= a and b <= y})}
        for a, b in pairwise(cuts)
    ]


def _gold_spans(step: Step, gold: set[SentenceRef], corpus: Corpus | None) -> Iterable[Span]:
    if corpus is None or step.observation is None:
        return
    for ref in step.observation.sentences:
        page = corpus.lookup_title(ref.title) if ref in gold else None
        if isinstance(page, Page) and ref.id < len(page.sentences):
            at = step.observation.text.find(page.sentences[ref.id])
            if at >= 0:
                yield at, at + len(page.sentences[ref.id]), "gold"


def _answer_span(step: Step, answer: str | None) -> Span | None:
    """Where the answer first stands in an observation, as a word of its own."""
    text = step.observation.text if step.observation else ""
    if not answer or not answer.strip() or answer.lower() in ("yes", "no"):
        return None
    at = text.casefold().find(answer.casefold())
    whole = at >= 0 and not (
        text[at - 1 : at].isalnum() or text[at + len(answer) : at + len(answer) + 1].isalnum()
    )
    return (at, at + len(answer), "answer") if whole and len(text) == len(text.casefold()) else None


def _ranges(step: Step, gold: set[SentenceRef]) -> list[dict[str, Any]]:
    """The sentences shown, as `James Whale 0–4`, the gold ones one by one."""
    refs = step.observation.sentences if step.observation else ()
    found: list[dict[str, Any]] = []
    for ref in refs:
        last = found[-1] if found else None
        joins = last and (last["title"], last["to"] + 1, last["gold"]) == (ref.title, ref.id, ref in gold)
        if last and joins:
            last["to"] = ref.id
        else:
            found.append({"title": ref.title, "from": ref.id, "to": ref.id, "gold": ref in gold})
    return found


def _call(call: Any) -> dict[str, Any]:
    return {
        "key": call.key,
        "text": call.text,
        "reasoning": call.reasoning,
        "finish": call.finish,
        "prompt_tokens": call.usage.prompt,
        "completion_tokens": call.usage.completion,
        "sent": list(call.sent),
    }


def _safe(value: Any) -> Any:
    """Control characters spelt out, half characters replaced, very long texts cut with a count."""
    if isinstance(value, str):
        cut = (
            value
            if len(value) <= LONGEST
            else f"{value[:LONGEST]} … ({len(value) - LONGEST:,} more characters)"
        )
        return visible(cut).encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: _safe(item) for key, item in value.items()}
    return [_safe(item) for item in value] if isinstance(value, list | tuple) else value
