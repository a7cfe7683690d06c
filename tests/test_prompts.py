"""Prompts: what each format leaves out, and the authors' own files used to the byte."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from react_kit import AUTHORS_CODE, Episode
from react_kit.errors import KitError
from react_kit.prompts import (
    KINDS,
    Exemplar,
    ExemplarFile,
    ExemplarStep,
    Prompts,
    from_exemplars,
    load_prompts,
    render,
)
from react_kit.resources import share
from react_kit.trajectory import Instance

PUBLIC = Path(__file__).parents[2] / "shared" / "data"
QUESTION = "Which letter is second?"
SHOT = Exemplar(
    "Where is the tower of Ann?",
    "Paris",
    (
        ExemplarStep("I need the tower of Ann.", "Search[Ann]", "Ann built a tower.", ("decompose",)),
        ExemplarStep("I look for its place.", "Lookup[tower]", "(Result 1 / 1) It is in Paris.", ("reformulate",)),
        ExemplarStep("So it is in Paris.", "Finish[Paris]", None, ("extract", "conclude")),
    ),
)  # fmt: skip
FILE = ExemplarFile(
    "mini", "Question", {"standard": "S.", "cot": "C.", "act": "A.", "react": "R."}, (SHOT, SHOT)
)

STANDARD = "Question: Where is the tower of Ann?\nAnswer: Paris\n"
COT = (
    "Question: Where is the tower of Ann?\n"
    "Thought: Let's think step by step. I need the tower of Ann. So it is in Paris.\n"
    "Answer: Paris\n"
)
ACT = (
    "Question: Where is the tower of Ann?\n"
    "Action 1: Search[Ann]\nObservation 1: Ann built a tower.\n"
    "Action 2: Lookup[tower]\nObservation 2: (Result 1 / 1) It is in Paris.\n"
    "Action 3: Finish[Paris]\n"
)
REACT = (
    "Question: Where is the tower of Ann?\n"
    "Thought 1: I need the tower of Ann.\nAction 1: Search[Ann]\nObservation 1: Ann built a tower.\n"
    "Thought 2: I look for its place.\nAction 2: Lookup[tower]\n"
    "Observation 2: (Result 1 / 1) It is in Paris.\n"
    "Thought 3: So it is in Paris.\nAction 3: Finish[Paris]\n"
)


@pytest.mark.parametrize(
    ("kind", "text"), [("standard", STANDARD), ("cot", COT), ("act", ACT), ("react", REACT)]
)
def test_each_format_leaves_out_what_it_must(kind: Any, text: str) -> None:
    assert render(SHOT, kind, "Question") == text
    head = FILE.instructions[kind]
    start = from_exemplars(FILE).start(kind, QUESTION)
    assert start == f"{head}\n\n{text}\n{text}\nQuestion: {QUESTION}\n"


def test_a_claim_is_called_a_claim() -> None:
    assert render(SHOT, "standard", "Claim").startswith("Claim: Where")


def test_the_name_holds_a_checksum_of_every_word() -> None:
    one, other = (
        from_exemplars(FILE),
        from_exemplars(ExemplarFile("mini", "Claim", FILE.instructions, (SHOT,))),
    )
    assert one.name.startswith("mini@")
    assert len({one.name, other.name}) == 2
    assert from_exemplars(FILE).name == one.name


@pytest.mark.parametrize("new", ["", "\u00a0"], ids=["removed", "replaced"])
def test_the_checksum_changes_with_any_character(new: str) -> None:
    prompts = from_exemplars(FILE)
    for kind, head in prompts.heads.items():
        for at in range(len(head)):
            heads = {**prompts.heads, kind: head[:at] + new + head[at + 1 :]}
            assert Prompts("mini", "Question", heads).sha256 != prompts.sha256, (kind, at)
    assert Prompts("mini", "question", prompts.heads).sha256 != prompts.sha256


@pytest.mark.parametrize("name", ["hotpotqa", "fever"])
def test_shipped_prompts_load_by_name_and_by_path(name: str) -> None:
    path = share("prompts") / f"{name}.json"
    by_name = load_prompts(name)
    assert by_name == load_prompts(path) == load_prompts(str(path))
    assert by_name == from_exemplars(msgspec.json.decode(path.read_bytes(), type=ExemplarFile))
    assert by_name.label == {"hotpotqa": "Question", "fever": "Claim"}[name]
    assert tuple(by_name.heads) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_the_prompts_before_the_question_are_under_2000_tokens(kind: Any) -> None:
    # At 3.5 characters a token. The question itself comes on top, see test_shipped_replay.
    assert 0 < len(load_prompts("hotpotqa").heads[kind]) / 3.5 < 2000


def test_other_numbers_of_exemplars_can_be_had_and_drawn() -> None:
    file = msgspec.json.decode(share("prompts", "hotpotqa.json").read_bytes(), type=ExemplarFile)
    pool = [e.question for e in (*file.exemplars, *file.spare)]

    def asked(**choice: int) -> list[str]:
        head = load_prompts("hotpotqa", **choice).heads["standard"]
        return [
            line.removeprefix("Question: ") for line in head.splitlines() if line.startswith("Question: ")
        ]

    assert [asked(n=n) for n in (1, 3, 9)] == [pool[:1], pool[:3], pool]
    one, other = asked(n=3, seed=1), asked(n=3, seed=2)
    assert one == asked(n=3, seed=1) != other
    assert set(one) | set(other) <= set(pool)
    assert len(asked(seed=1)) == 6
    names = {load_prompts("hotpotqa", **c).name.split("@")[0] for c in ({}, {"n": 3}, {"n": 3, "seed": 1})}
    assert names == {"hotpotqa-tiny", "hotpotqa-tiny 3", "hotpotqa-tiny 3 seed 1"}
    for n in (0, 10, -1):
        with pytest.raises(KitError, match=f"holds 9 exemplars, spare ones included, so n={n}"):
            load_prompts("hotpotqa", n=n)


# --- the authors' files ---------------------------------------------------------------------------------------


def notebook_prompts(
    head: str, opening: str, replies: Sequence[str], observations: Sequence[str]
) -> list[str]:
    """What the published notebook sends, its second call after a reply without an action line included."""
    prompt, sent, left = head + opening + "\n", [], list(replies)
    for i, observation in enumerate(observations, 1):
        sent.append(prompt + f"Thought {i}:")
        thought, found, action = left.pop(0).strip().partition(f"\nAction {i}: ")
        if not found:
            thought = thought.partition("\n")[0]
            sent.append(prompt + f"Thought {i}: {thought}\nAction {i}:")
            action = left.pop(0).strip()
        prompt += f"Thought {i}: {thought}\nAction {i}: {action}\nObservation {i}: {observation}\n"
    assert left == []
    return sent


REPLIES = (
    " I look for Greek letters.\nAction 1: Search[Greek letters]",
    ' It says "first",  twice.\nAction 2: Lookup[beta]',
    " Second line\nhere, then a blank one.\n\nAction 3: Search[Greek Letter]",
    " No action here, and a blank at the end. \nBut a second line.",  # asked again for its action
    " Lookup[alpha]",
    " So: it is beta.\nAction 5: Finish[beta]",
)


def sent(path: Path, instruction: str, task: str, scripted: Any, greek: Any) -> tuple[list[str], list[str]]:
    """Prompts of an episode under the authors' file, and the observations it met."""
    model = scripted(*REPLIES)
    prompts = load_prompts(path, instruction)
    instance = Instance("1", task, QUESTION, "beta")
    t = Episode.start(instance, model=model, corpus=greek, prompts=prompts, fidelity=AUTHORS_CODE).run()
    assert t.answer == "beta"
    return model.prompts, [s.observation.text for s in t.steps if s.observation]


AUTHORS_SHAPES = {
    "prompts_naive.json": {
        "webthink_simple": "\nQuestion: old\n",
        "webthink_simple6": "\nQuestion: é?\nThought 1: a\nAction 1: Search[b]\nObservation 1: c\n",
        "webact_simple6": "Question: é?\nAction 1: Search[b]\nObservation 1: c\n",
        "cotqa_simple6": "Question: é?\nThought: Let's think step by step. a\nAnswer: b\n",
        "webqa_simple6": "Question: é?\nAnswer: b\n\n",
    },
    "fever.json": {
        "webthink_simple3": "\nSay which. \nClaim: x\nThought 1: a\nAction 1: Finish[b]\n\n",
        "webact_simple3": "\nSay which. \nClaim: x\nAction 1: Finish[b]\n\n",
        "cotqa_simple3": "Say which. \nClaim: x\nThought: a\nAnswer:b\n",
        "webqa_simple3": "Say which. \nClaim: x\nAnswer:b\n",
    },
}


@pytest.fixture(params=AUTHORS_SHAPES)
def shaped(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of the shape of the authors', with other words."""
    path = tmp_path / request.param
    path.write_text(json.dumps(AUTHORS_SHAPES[request.param]), encoding="utf-8")
    return path


def opening(path: Path) -> tuple[str, str, str]:
    """Task, label and instruction that go with one of the two files."""
    if path.stem == "fever":
        return "fever", "Claim", ""
    return "hotpotqa", "Question", "Four lines\nof instruction.\n"


def check(path: Path, instruction: str, scripted: Any, greek: Any) -> None:
    task, label, _ = opening(path)
    raw = json.loads(path.read_text(encoding="utf-8"))
    key = "webthink_simple6" if task == "hotpotqa" else "webthink_simple3"
    prompts, observations = sent(path, instruction, task, scripted, greek)
    expected = notebook_prompts(instruction + raw[key], f"{label}: {QUESTION}", REPLIES, observations)
    assert len(expected) == len(REPLIES)
    assert [p.encode() for p in prompts] == [p.encode() for p in expected]


def test_react_sends_what_the_notebook_sends(shaped: Path, scripted: Any, greek: Any) -> None:
    check(shaped, opening(shaped)[2], scripted, greek)


def test_only_act_and_react_take_the_notebooks_instruction(shaped: Path) -> None:
    raw, prompts = json.loads(shaped.read_text()), load_prompts(shaped, "Do it.\n")
    label = opening(shaped)[1]
    keys = {"standard": "webqa", "cot": "cotqa", "act": "webact", "react": "webthink"}
    for kind, key in keys.items():
        text = raw.get(f"{key}_simple6") or raw[f"{key}_simple3"]
        instruction = "Do it.\n" if kind in ("act", "react") else ""
        assert prompts.start(kind, "q") == f"{instruction}{text}{label}: q\n"  # type: ignore[arg-type]
    assert prompts.id == f"authors/{shaped.stem}"


@pytest.mark.parametrize("name", AUTHORS_SHAPES)
def test_the_published_files_are_used_to_the_byte(name: str, scripted: Any, greek: Any) -> None:
    files = sorted(PUBLIC.rglob(name)) if PUBLIC.is_dir() else []
    if not files:
        pytest.skip("needs ../shared/data")
    check(files[0], opening(files[0])[2], scripted, greek)


def test_a_format_that_a_file_lacks_is_named(tmp_path: Path) -> None:
    path = tmp_path / "fever.json"
    path.write_text(json.dumps({"webthink_simple3": "x"}))
    with pytest.raises(KitError, match=r"authors/fever.*'cot'.*react"):
        load_prompts(path).start("cot", "q")


# --- files that are neither -----------------------------------------------------------------------------------

GOOD = {
    "id": "x", "label": "Question", "instructions": {"standard": "", "cot": "", "act": "", "react": ""},
    "exemplars": [{"question": "q", "answer": "a", "steps": [{"thought": "t", "action": "Finish[a]"}]}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"", "truncated"),
        (b"{", "truncated"),
        (b'\xff\xfe{"id": 1}', "malformed"),
        (b'"text"', "none of the keys"),
        (b"[]", "none of the keys"),
        (b'{"webthink": "x"}', "none of the keys"),
        (b'{"webthink_simple6": 3}', "none of the keys"),
        (json.dumps({**GOOD, "label": 3}).encode(), r"\$\.label"),
        (json.dumps({k: v for k, v in GOOD.items() if k != "label"}).encode(), "label"),
        (json.dumps({**GOOD, "instructions": {"react": "R."}}).encode(), "instructions.*standard, cot, act"),
        (json.dumps({**GOOD, "instructions": {"reakt": "R."}}).encode(), "reakt"),
        (json.dumps({**GOOD, "exemplars": {}}).encode(), r"\$\.exemplars"),
        (json.dumps({**GOOD, "exemplars": [{"question": "q"}]}).encode(), r"exemplars\[0\]"),
    ],
)
def test_a_broken_file_is_named_with_what_is_wrong(tmp_path: Path, content: bytes, wrong: str) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(KitError, match=rf"(?s)broken\.json' is not a prompt file: .*{wrong}"):
        load_prompts(path)
    with pytest.raises(
        KitError, match=r"Expected the shape of .*id, label, instructions, exemplars.*authors'"
    ):
        load_prompts(path)


def test_the_good_file_of_these_is_good(tmp_path: Path) -> None:
    path = tmp_path / "good.json"
    path.write_text(json.dumps(GOOD))
    assert load_prompts(path).start("standard", "why?").endswith("Question: q\nAnswer: a\n\nQuestion: why?\n")


def test_a_missing_file_and_an_unknown_name_are_named(tmp_path: Path) -> None:
    with pytest.raises(KitError, match=r"cannot read the prompt file '.*none\.json': No such file"):
        load_prompts(tmp_path / "none.json")
    with pytest.raises(KitError, match=r"unknown prompts 'hotpot'; expected one of: fever, hotpotqa"):
        load_prompts("hotpot")
