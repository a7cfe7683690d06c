from react_kit.analysis import outcomes


def test_stops_notes_and_costs_are_counted_per_method(episode):
    frame = outcomes(
        [
            episode(instance="q1", notes=("follow_up", "search_miss")),
            episode(instance="q2", notes=("search_miss", "search_miss"), answer="Graz"),
            episode(instance="q3", answer=None),
            episode(instance="q4", answer=None, stop="unavailable", notes=("unavailable",)),
            episode(instance="q1", method="act"),
        ]
    )
    react = frame[frame["method"] == "react"].iloc[0]
    assert (react["n"], react["right"]) == (3, 1)
    assert (react["answered"], react["step_limit"], react["unavailable"]) == (2, 1, 1)
    assert (react["search_miss"], react["follow_up"]) == (3, 1)
    assert (react["steps"], react["prompt_tokens"], react["completion_tokens"]) == (1, 100, 20)
    assert frame[frame["method"] == "act"].iloc[0]["search_miss"] == 0


def test_the_sampled_pool_is_told_apart_from_greedy_cot(episode, pool):
    frame = outcomes([episode(method="cot"), *pool(["Vienna", "Graz", None])])
    assert list(frame["temperature"]) == [0.0, 0.7]
    assert list(frame["n"]) == [1, 3]
    assert list(frame["unparsable"]) == [0, 1]


def test_edited_branches_are_not_the_method_s_own(episode, branch):
    assert list(outcomes([episode(), episode(parent=branch)])["n"]) == [1]
