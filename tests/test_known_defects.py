"""Defects of the first published code's question-answering loop, one test each: this kit does not have them.

The tests play whole episodes or use the environment as a user would. Defects of ALFWorld and WebShop are not here.
"""

import ast
import json
import random
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from react_kit import AUTHORS_CODE, PAPER, TASKS, Episode, Run, load_task, open_wiki
from react_kit.corpora import MemoryCorpus
from react_kit.corpora.memory import Article
from react_kit.envs.base import Outcome
from react_kit.envs.wikipedia import WikipediaEnv
from react_kit.errors import Unavailable
from react_kit.parsing import parse_action, parse_step
from react_kit.prompts import KINDS, ExemplarFile, load_prompts
from react_kit.resources import share
from react_kit.tasks import Instances
from react_kit.trajectory import Action, Instance, Trajectory

SAVED = Path(__file__).parents[2] / "shared" / "data" / "runs" / "fever_outputs.ipynb"
CLAIM = Instance("c", "fever", "Beta is second.", "NOT ENOUGH INFO")
Play = Callable[..., Trajectory]


@pytest.fixture
def play(scripted: Any, greek: Any) -> Play:
    """A ReAct episode on a claim, from what the model replies."""

    def run(*replies: str, instance: Instance = CLAIM, corpus: Any = greek, **settings: Any) -> Trajectory:
        return Episode.start(instance, model=scripted(*replies), corpus=corpus, **settings).run()

    return run


@pytest.fixture
def page(corpus_of: Any) -> Callable[..., WikipediaEnv]:
    """An environment over one article called `Page`, already open."""

    def make(*sentences: str, title: str = "Page", search: bool = True) -> WikipediaEnv:
        env = WikipediaEnv(corpus_of([Article(title, sentences=sentences)]))
        env.reset(CLAIM)
        if search:
            do(env, f"search[{title}]")
        return env

    return make


def do(env: WikipediaEnv, text: str) -> Outcome:
    return env.step(parse_action(text).action or Action("", {}, text))


def said(env: WikipediaEnv, text: str) -> str:
    return do(env, text).observation.text


# --- reading replies ----------------------------------------------------------------------------------------------


def test_blank_lines_before_the_action_do_not_make_it_invalid(play: Play) -> None:
    """Only the first character was made lower case, so a newline before the name made it unknown."""
    t = play(" I am not sure.\nAction 1: \n\nFinish[NOT ENOUGH INFO]")
    assert (t.answer, t.score, len(t.steps)) == ("NOT ENOUGH INFO", {"accuracy": 1.0}, 1)


def test_words_after_the_bracket_do_not_make_it_invalid(play: Play) -> None:
    """An action had to end in `]`: anything written after it made it invalid, again and again."""
    t = play(" Look.\nAction 1: Search[Greek letters]", " On.\nAction 2: Lookup[beta] on another site", " x")
    assert t.steps[1].observation
    assert t.steps[1].observation.text == "(Result 1 / 2) Beta is second."
    assert t.steps[1].notes == ("trailing_text",)


@pytest.mark.parametrize("reply", ["", " \n", " Hm.\nAction 1: ", "\nAction 1:\n", " Hm.\nAction 1: []"])
def test_an_empty_action_is_an_event_and_no_crash(play: Play, reply: str) -> None:
    """The first character of an empty action was asked for: an IndexError."""
    t = play(*[reply] * 20)
    assert t.stop == "step_limit"
    assert all("invalid_action" in s.notes for s in t.steps)


@pytest.mark.parametrize("name", ["Search", "SEARCH", "search", "sEARCH"])
def test_the_case_of_an_actions_name_does_not_matter(page: Any, name: str) -> None:
    """Names were compared with lower-case prefixes, so all capitals were invalid."""
    assert said(page("One.", search=False), f"{name}[Page]") == "One."


def test_several_steps_in_one_reply_are_one_step_and_nothing_made_up_is_kept(play: Play) -> None:
    """Several steps in one reply broke the split, or brought in observations the model made up."""
    t = play(
        " One.\nAction 1: Search[Greek letters]\nObservation 1: No.\nThought 2: So.\nAction 2: Finish[REFUTES]",
        " Two.\nAction 2: Finish[SUPPORTS]\nClaim: Another.\nThought 1: More.",
    )
    assert [s.notes for s in t.steps] == [("ran_on",), ("ran_on",)]
    assert t.steps[0].observation
    assert t.steps[0].observation.text == "Alpha is first. Beta is second. beta is third."
    assert t.answer == "SUPPORTS"


def test_a_failed_parse_gives_a_named_event_rather_than_a_bare_except(play: Play, scripted: Any) -> None:
    """A bare except around the split hid every error and left no trace but a printed word."""
    t = play(" I should finish.", " Finish[SUPPORTS]")
    assert t.steps[0].notes == ("no_action_line", "follow_up")
    assert len(t.steps[0].calls) == 2
    package = Path(__file__).parents[1] / "react_kit"
    for path in sorted(package.rglob("*.py")):
        handlers = (
            n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.ExceptHandler)
        )
        assert all(h.type is not None for h in handlers), path


def test_a_model_that_never_acts_comes_to_an_end(play: Play) -> None:
    """A loop that waits for an action that can be parsed never ends."""
    t = play(*[" Hm."] * 100)
    assert (t.stop, len(t.steps), sum(len(s.calls) for s in t.steps)) == ("step_limit", 5, 10)


# --- searching ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "title", ["AT&T #1 50% C++ café", "a?b=c/d", "C:\\users\\", "[brackets]", "100% [x] y"]
)
def test_a_title_is_taken_as_it_is_written(page: Any, title: str) -> None:
    """Titles went into a URL unquoted: `#`, `&`, `%` and `+` changed or cut what was searched."""
    assert said(page("Found.", title=title, search=False), f"search[{title}]") == "Found."


@pytest.mark.parametrize(
    "text", [r"\u00e9", r"\xe9 and \N{BULLET}", "C:\\users\\new\\table", "It ends in \\", "\\u2013 – \udcff"]
)
def test_backslashes_in_a_page_are_text(page: Any, text: str) -> None:
    """Page text was decoded as escape sequences: a backslash crashed or became a control character."""
    assert said(page(text, search=False), "search[Page]") == text
    assert said(page(text), f"lookup[{text[:3]}]") == f"(Result 1 / 1) {text}"


def test_a_page_is_its_first_sentences_and_no_login_notice() -> None:
    """The login notice of the site was the first sentence of every page and took one of the five places."""
    wiki = open_wiki("tiny")
    assert isinstance(wiki, MemoryCorpus)
    env = WikipediaEnv(wiki)
    for article in (a for a in wiki.articles.values() if a.sentences):
        env.reset(CLAIM)
        assert said(env, f"search[{article.title}]") == " ".join(article.sentences[:5])


def test_full_stops_are_neither_doubled_nor_split_at() -> None:
    """Every piece got a full stop, so a paragraph's last sentence had two."""
    wiki = open_wiki("tiny")
    assert isinstance(wiki, MemoryCorpus)
    for article in wiki.articles.values():
        assert ".." not in " ".join(article.sentences)


def test_a_sentence_with_abbreviations_stays_whole(page: Any) -> None:
    """Sentences were split at each full stop and space, so abbreviations and initials cut them."""
    text = "Al J. Smith Jr. was a U.S. actor (b. 1.5.1900) from St. Louis."
    env = page(text, "He paid 3.5 million.")
    assert said(env, "search[Page]") == f"{text} He paid 3.5 million."
    assert said(env, "lookup[Smith]") == f"(Result 1 / 1) {text}"


def test_no_citation_marks_stand_in_what_an_agent_reads() -> None:
    """Citation marks in brackets stayed in the text."""
    wiki = open_wiki("tiny")
    assert isinstance(wiki, MemoryCorpus)
    assert not [s for a in wiki.articles.values() for s in a.sentences if re.search(r"\[\w+\]", s)]


def test_short_paragraphs_are_not_dropped(page: Any) -> None:
    """Paragraphs of one or two words were left out."""
    env = page("Beta.", "Two words.", "Three short words.")
    assert said(env, "search[Page]") == "Beta. Two words. Three short words."


def test_a_lookup_after_a_failed_search_does_not_answer_from_the_page_before(play: Play) -> None:
    """A failed search left the page before open, and a lookup answered from it."""
    replies = (
        " a\nAction 1: Search[Greek letters]",
        " b\nAction 2: Search[Nothing like it]",
        " c\nAction 3: Lookup[beta]",
    )
    t = play(*replies)
    assert t.steps[1].notes == ("search_miss",)
    assert "no_page" in t.steps[2].notes
    assert t.steps[2].observation
    assert t.steps[2].observation.sentences == ()
    # Whoever wants to compare with the published runs can have it back.
    kept = play(*replies, fidelity=AUTHORS_CODE)
    assert kept.steps[2].observation
    assert kept.steps[2].observation.text == "(Result 1 / 2) Beta is second."


def test_a_disambiguation_page_that_means_itself_is_no_endless_loop(corpus_of: Any) -> None:
    """A disambiguation page was searched again in brackets without a bound: a RecursionError."""
    env = WikipediaEnv(corpus_of([Article("X", meanings=("X", "[X]"))]))
    env.reset(CLAIM)
    assert [said(env, a) for a in ("search[X]", "search[[X]]")] == [
        "X may refer to: ['X', '[X]'].",
        "Could not find [X]. Similar: ['X'].",
    ]


def test_an_article_that_says_may_refer_to_is_an_article(page: Any) -> None:
    """Any article with the words `may refer to:` was taken for a disambiguation page and thrown away."""
    text = "In law, this may refer to: a deed, a bond or a will."
    assert said(page(text, search=False), "search[Page]") == text


def test_similar_titles_carry_no_remarks_of_the_search_engine() -> None:
    """Similar titles came with remarks such as a redirect's or a category's."""
    wiki = open_wiki("tiny")
    assert isinstance(wiki, MemoryCorpus)
    for asked in ("Eifel Towr", "planets", "Mozart opera", "zzz"):
        assert set(wiki.similar(asked)) <= set(wiki.articles)


# --- looking up ---------------------------------------------------------------------------------------------------


def test_the_case_of_a_lookup_does_not_start_it_again(page: Any) -> None:
    """Lookup strings were compared with their case: another case began at the first result again."""
    env = page("Smith sang.", "A smith works.")
    assert said(env, "lookup[smith]") == "(Result 1 / 2) Smith sang."
    assert said(env, "lookup[Smith]") == "(Result 2 / 2) A smith works."


@pytest.mark.parametrize("string", ["", "  ", "\u0301"])
def test_a_lookup_of_nothing_does_not_match_everything(page: Any, string: str) -> None:
    """An empty lookup string was found in every sentence."""
    env = page("One.", "Two.")
    do(env, "lookup[one]")
    outcome = do(env, f"lookup[{string}]")
    assert outcome.code in ("invalid", "miss")
    assert outcome.observation.sentences == ()


def test_no_observation_leaves_blank_lines_in_the_prompt(scripted: Any, greek: Any) -> None:
    """A backslash and an n were removed in place of newlines, so some observations left blank lines."""
    replies = (
        " a\nAction 1: Search[Greek letters]",
        " b\nAction 2: Lookup[zeta]",
        " c\nAction 3: nonsense",
        " d\nAction 4: Search[none]",
    )
    model = scripted(*replies)
    Episode.start(CLAIM, model=model, corpus=greek).run()
    episode = model.prompts[4].rpartition("\nClaim: ")[2]
    assert "\n\n" not in episode
    assert "Observation 2: No more results.\nThought 3:" in episode


# --- the world outside --------------------------------------------------------------------------------------------


class Away:
    """A corpus whose server refuses, e.g. with 403 or 429."""

    name, vintage, sha256 = "away", "", ""

    def lookup_title(self, title: str) -> None:
        raise Unavailable("the encyclopedia answered 403")

    def similar(self, title: str, k: int = 5) -> list[str]:
        raise AssertionError("nothing was found out about this title")


def test_a_refusing_server_is_neither_an_article_nor_a_wrong_answer(play: Play) -> None:
    """A response's status was not looked at: a refusal was read as an article or ended in a TypeError."""
    t = play(" a\nAction 1: Search[Paris]", corpus=Away())
    assert (t.stop, t.score, t.answer) == ("unavailable", {}, None)


def test_an_error_keeps_its_name_instead_of_becoming_a_name_error(
    play: Play, monkeypatch: Any, greek: Any
) -> None:
    """The handler named a module that was not imported: any error became a NameError."""

    def broken(title: str) -> None:
        raise ZeroDivisionError("mine")

    monkeypatch.setattr(greek, "lookup_title", broken)
    with pytest.raises(ZeroDivisionError, match="mine"):
        play(" a\nAction 1: Search[Paris]")


def test_an_episode_over_the_tiny_wiki_opens_no_connection(scripted: Any, monkeypatch: Any) -> None:
    """Every search went to a live site without a time limit, which changes from day to day."""

    def refuse(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    model = scripted(
        " a\nAction 1: Search[Honey bee]", " b\nAction 2: Search[Hony bea]", " c\nAction 3: Finish[x]"
    )
    assert Episode.start(load_task("hotpotqa")[0], model=model).run().stop == "answered"


# --- the end of an episode ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("gold", ["The The", "!!!"])
def test_running_out_of_steps_does_not_score_where_the_gold_normalises_to_nothing(
    play: Play, gold: str
) -> None:
    """The empty answer forced at the limit was right where the gold answer normalises to nothing."""
    question = Instance("q", "hotpotqa", "Which band?", gold)
    t = play(*[" a\nAction 1: Search[none]"] * 9, instance=question)
    assert (t.stop, t.answer, t.score) == ("step_limit", None, {"em": 0.0, "f1": 0.0})
    assert play(f" a\nAction 1: Finish[{gold}]", instance=question).score["em"] == 1.0


def test_no_step_is_added_when_the_limit_is_reached(play: Play) -> None:
    """Finishing by force at the limit was counted as one more step."""
    assert len(play(*[" a\nAction 1: think[x]"] * 9).steps) == 5
    assert len(play(*[" a\nAction 1: think[x]"] * 9, fidelity=AUTHORS_CODE).steps) == 7


def test_the_last_observation_does_not_give_the_gold_answer_away(play: Play) -> None:
    """The last observation told the reward, and elsewhere whether the answer was right."""
    right, wrong = play(" a\nAction 1: Finish[NOT ENOUGH INFO]"), play(" a\nAction 1: Finish[REFUTES]")
    assert right.steps[-1].observation == wrong.steps[-1].observation
    assert (right.score, wrong.score) == ({"accuracy": 1.0}, {"accuracy": 0.0})


def test_a_question_without_a_gold_answer_can_be_played(play: Play, tmp_path: Path) -> None:
    """The test split, which has no answers, was a KeyError."""
    (tmp_path / "test.json").write_text('[{"question": "Which letter?"}]')
    question = load_task("hotpotqa", path=tmp_path / "test.json")[0]
    t = play(" a\nAction 1: Finish[]", " a\nAction 2: Finish[alpha]", instance=question)
    assert (t.answer, t.stop, t.score) == ("alpha", "answered", {})
    assert t.steps[0].notes == ("invalid_action",)


def test_one_question_leaves_nothing_behind_for_the_next(scripted: Any, greek: Any) -> None:
    """An environment shared by questions kept its state from one to the next."""
    model = scripted(" a\nAction 1: Search[Greek letters]", " b\nAction 2: Finish[REFUTES]")
    Episode.start(CLAIM, model=model, corpus=greek).run()
    model.left = [" a\nAction 1: Lookup[beta]"]
    t = Episode.start(CLAIM, model=model, corpus=greek).run()
    assert t.steps[0].observation
    assert t.steps[0].observation.text == "No page is open. Search for one first."
    assert t.answer is None


# --- FEVER --------------------------------------------------------------------------------------------------------


def test_fever_has_the_papers_five_steps() -> None:
    """FEVER was played with the steps of HotpotQA, not with the paper's."""
    assert tuple(TASKS["fever"].limit(f, Instance("1", "fever", "?")) for f in (PAPER, AUTHORS_CODE)) == (
        5,
        7,
    )


def test_the_prompts_own_word_for_the_third_label_is_right(play: Play) -> None:
    """The instruction has a longer word for the third label, which the score did not accept."""
    assert play(" a\nAction 1: Finish[NOT ENOUGH INFORMATION]").score == {"accuracy": 1.0}


def test_every_claim_can_be_drawn() -> None:
    """Claims were drawn from the range of HotpotQA's questions, so the last ones could never be drawn."""
    items = [Instance(str(i), "fever", f"Claim {i}.", "SUPPORTS") for i in range(9_999)]
    claims = Instances(TASKS["fever"], "all", items)
    assert any(int(i.id) >= 7_405 for i in claims.draw(500, seed=233))
    assert list(claims.draw(9_999, seed=0)) == items


def test_drawing_neither_uses_nor_disturbs_the_shared_random_numbers() -> None:
    """A question without a number was drawn from the shared random numbers: not the same one again."""
    claims = load_task("fever")
    random.seed(1)
    first, after = list(claims.draw(5, seed=2)), random.random()
    random.seed(1)
    assert random.random() == after
    assert list(claims.draw(5, seed=2)) == first


# --- prompts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hotpotqa", "fever"])
def test_every_label_in_a_prompt_is_followed_by_one_space(name: str) -> None:
    """Exemplars lacked the space after `Answer:` or `Action:`, or had blanks at the ends of lines."""
    labels = re.compile(r"^(?:Question|Claim|Thought|Action|Observation|Answer)(?: \d+)?:(?! \S)", re.M)
    for head in load_prompts(name).heads.values():
        assert labels.findall(head) == []
        assert re.findall(r"[ \t]+$", head, re.M) == []
        assert ".?" not in head


@pytest.mark.parametrize("kind", KINDS)
def test_exemplars_are_set_apart_in_every_format(kind: Any) -> None:
    """Exemplars followed one another without a blank line, and only some formats opened with a newline."""
    for name in ("hotpotqa", "fever"):
        prompts = load_prompts(name)
        head, count = prompts.heads[kind], {"hotpotqa": 6, "fever": 3}[name]
        assert head.count(f"\n\n{prompts.label}: ") == head.count(f"\n{prompts.label}: ") == count
        assert head == head.lstrip()
        assert "\n\n\n" not in head


def test_the_instruction_names_the_labels_that_score() -> None:
    """The instruction asked for a word that is no label of the data."""
    for head in load_prompts("fever").heads.values():
        instruction = head.partition("\n\n")[0]
        assert set(re.findall(r"SUPPORTS|REFUTES|NOT ENOUGH \w+", instruction)) == {
            "SUPPORTS",
            "REFUTES",
            "NOT ENOUGH INFO",
        }


@pytest.mark.parametrize("name", ["hotpotqa", "fever"])
def test_a_search_in_an_exemplar_shows_as_much_as_the_environment_does(name: str) -> None:
    """Observations in the exemplars were cut by hand to a sentence or two; the environment shows five."""
    file = msgspec.json.decode((share("prompts") / f"{name}.json").read_bytes(), type=ExemplarFile)
    steps = [s for e in file.exemplars for s in e.steps if s.action.startswith("Search[")]
    env = WikipediaEnv(open_wiki("tiny"))
    env.reset(CLAIM)
    assert len(steps) >= 3
    assert [said(env, s.action) for s in steps] == [s.observation for s in steps]


# --- records ------------------------------------------------------------------------------------------------------


def test_every_trajectory_is_on_disk_as_soon_as_it_ends(play: Play, tmp_path: Path) -> None:
    """A trajectory was lost at the next reset; only the last was written, and only on closing."""
    run = Run(tmp_path / "run")
    for k in range(3):
        run.append(play(f" a\nAction 1: Finish[{k}]", sample=k))
        assert [t.answer for t in Run(tmp_path / "run")] == [str(i) for i in range(k + 1)]


def test_samples_of_one_question_are_different_requests(scripted: Any, greek: Any) -> None:
    """Repeated trials were the same request and gave the same reply."""
    model = scripted()
    for sample in (0, 1):
        Episode.start(CLAIM, "cot", model=model, corpus=greek, temperature=0.7, sample=sample).run()
    assert [settings["first"] for _, settings in model.asked] == [0, 1]


def test_the_record_says_which_prompts_model_corpus_and_rules_were_used(play: Play) -> None:
    """Nothing recorded which prompts and environment a number came from: none could be compared."""
    t = play(" a\nAction 1: Finish[x]", fidelity=AUTHORS_CODE)
    assert t.cell.prompt.startswith("fever")
    assert re.search(r"@[0-9a-f]{12}$", t.cell.prompt)
    assert t.provenance["model"] == {"endpoint": "test", "model": "scripted"}
    assert t.provenance["corpus"]["name"] == "test"
    assert t.provenance["fidelity"] == {"fever_steps": 7, "tie": "back-off", "page_after_miss": "keep"}
    assert t.provenance["step_limit"] == 7


def test_the_environment_speaks_todays_gymnasium() -> None:
    """The environment had the interface of the old gym, which its successor refuses."""
    gymnasium = pytest.importorskip("gymnasium", reason="the gym extra is not installed")
    from react_kit.envs.gym import GymEnv

    env = GymEnv(WikipediaEnv(open_wiki("tiny")), [CLAIM])
    assert isinstance(env, gymnasium.Env)
    observation, info = env.reset(seed=1)
    assert (observation, info) == ("Beta is second.", {"instance": "c"})
    assert [type(x) for x in env.step("finish[x]")] == [str, float, bool, bool, dict]


# --- the saved run ------------------------------------------------------------------------------------------------


def saved_steps() -> Iterator[tuple[str, str, str, str]]:
    """Thought, action, observation and step number in the whole steps of the published FEVER run."""
    cells = json.loads(SAVED.read_text(encoding="utf-8"))["cells"]
    shape = re.compile(
        r"^Thought (\d): (.*?)\nAction \1: (.*?)\nObservation \1: (.*?)\n(?=\n|Thought|\{)", re.M | re.S
    )
    for output in cells[0]["outputs"]:
        for number, thought, action, observation in shape.findall("".join(output["text"])):
            if "Thought" not in observation:
                yield thought, action, observation, number


def test_the_replies_of_the_published_run_are_read_as_they_were_meant() -> None:
    """Actions that meant something were refused in the published run."""
    if not SAVED.is_file():
        pytest.skip("needs ../shared/data")
    found = list(saved_steps())
    assert len(found) > 100
    rescued = 0
    for thought, action, observation, number in found:
        parsed = parse_step(f" {thought}\nAction {number}: {action}")
        assert parsed.thought == thought
        assert parsed.action is not None, action
        assert parsed.action.raw == action.strip()
        rescued += observation.startswith("Invalid action")
    assert rescued >= 3  # `\n\nFinish[NOT ENOUGH INFO]`, refused there until the limit
