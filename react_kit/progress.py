"""What a run shows while it plays: episodes done, rate, time left, running scores."""

import threading
from typing import Any

from react_kit.trajectory import Trajectory


class Progress:
    """A tqdm bar over episodes, with the task being played and each method's running mean of its score there."""

    def __init__(self, jobs: int, planned: int, episodes: int, visible: bool) -> None:
        self._lock = threading.Lock()
        self._scores: dict[str, dict[str, list[float]]] = {}
        self._bar: Any = None
        self._before = ""
        if visible and jobs:
            from tqdm.auto import tqdm

            skipped = planned - jobs
            self._before = f"{skipped} of {planned} done before, now " if skipped else ""
            self._bar = tqdm(total=episodes, desc=f"{self._before}episodes", unit="ep", smoothing=0.1)

    def episode(self, name: str, trajectory: Trajectory) -> None:
        """Count one recorded episode."""
        with self._lock:
            here = self._scores.setdefault(trajectory.cell.task, {})
            if trajectory.score:
                here.setdefault(name, []).append(next(iter(trajectory.score.values())))
            if self._bar is not None:
                means = {name: f"{sum(v) / len(v):.2f}" for name, v in here.items()}
                self._bar.set_description(f"{self._before}{trajectory.cell.task}", refresh=False)
                self._bar.set_postfix(means, refresh=False)
                self._bar.update()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
