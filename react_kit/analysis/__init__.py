"""Numbers from trajectories: scores, curves, counts of what happened, intervals.

Every function takes `runs`: a run, the path of one, some trajectories, or a list of any of these.
"""

from react_kit.analysis.behind import behind
from react_kit.analysis.curves import sample_curves
from react_kit.analysis.outcomes import outcomes
from react_kit.analysis.records import Runs
from react_kit.analysis.results import compare, results
from react_kit.analysis.scores import scores

__all__ = ["Runs", "behind", "compare", "outcomes", "results", "sample_curves", "scores"]
