"""The reading pane's data: gold sentences and the answer marked, hostile text made harmless."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from react_kit import Episode, load_task
from react_kit.trajectory import Instance, SentenceRef
from react_kit.widgets.view import LONGEST, segments, view

WHAT = Instance("1", "hotpotqa", "Which letter?", "Beta", evidence=((SentenceRef("Greek letters", 1),),))
REPLIES = (" Look.\nAction 1: Search[Greek letters]", " It is Beta.\nAction 2: Finish[Beta]")


def test_gold_sentences_and_the_answer_are_marked(scripted: Any, greek: Any) -> None:
    t = Episode.start(WHAT, model=scripted(*REPLIES), corpus=greek).run()
    shown = view(t, greek)
    first = shown["steps"][0]
    marked = {part["text"]: part["marks"] for part in first["observation"] if part["marks"]}
    assert marked == {"Beta": ["answer", "gold"], " is second.": ["gold"]}
    assert "".join(part["text"] for part in first["observation"]) == t.steps[0].observation.text  # type: ignore[union-attr]
    assert first["sentences"] == [
        {"title": "Greek letters", "from": 0, "to": 0, "gold": False},
        {"title": "Greek letters", "from": 1, "to": 1, "gold": True},
        {"title": "Greek letters", "from": 2, "to": 2, "gold": False},
    ]
    without = view(msgspec.structs.replace(t, provenance={}))
    assert all("gold" not in part["marks"] for part in without["steps"][0]["observation"])
    assert msgspec.json.encode(shown)


def test_yes_and_parts_of_words_are_not_the_answer(scripted: Any, greek: Any) -> None:
    for answer in ("yes", "eta", "Bet"):
        t = Episode.start(
            WHAT, model=scripted(REPLIES[0], f" .\nAction 2: Finish[{answer}]"), corpus=greek
        ).run()
        marks = [m for part in view(t, greek)["steps"][0]["observation"] for m in part["marks"]]
        assert "answer" not in marks


def test_hostile_and_endless_text_is_shown_and_cut(scripted: Any) -> None:
    hostile = "<script>alert(1)</script>\x1b[31m\u202ex\x00"
    t = Episode.start(
        load_task("hotpotqa")[0], model=scripted(f" {hostile}\nAction 1: Finish[{'y' * 30_000}]")
    ).run()
    step = view(t)["steps"][0]
    assert step["thought"] == "<script>alert(1)</script>\\x1b[31m\\u202ex\\x00"
    assert step["action"].endswith(f"({30_008 - LONGEST:,} more characters)")


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=5))
def test_segments_are_the_text(text: str, pairs: list[tuple[int, int]]) -> None:
    spans = [(min(p), max(p), f"m{k}") for k, p in enumerate(pairs) if max(p) <= len(text)]
    parts = segments(text, spans)
    assert "".join(part["text"] for part in parts) == text
    at = 0
    for part in parts:
        for a, b, mark in spans:
            inside = a <= at and at + len(part["text"]) <= b and part["text"] != ""
            assert not inside or mark in part["marks"]
        at += len(part["text"])
