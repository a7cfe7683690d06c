"""Writing a figure: PDF, SVG and PNG, the same bytes each time, and beside them where the numbers come from."""

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from react_kit.analysis.records import Runs, gather
from react_kit.report.style import RC
from react_kit.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Left out, or matplotlib would write the date, or its own version, into the file.
_METADATA: dict[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None, "ModDate": None},
    "svg": {"Date": None},
    "png": {"Software": None},
}


def save_figure(figure: "Figure", stem: str | Path, provenance: dict[str, Any] | None = None) -> list[Path]:
    """`stem`.pdf, .svg and .png (300 dpi), and the provenance as `stem`.json; returns the paths."""
    import matplotlib as mpl

    place = Path(stem)
    place.parent.mkdir(parents=True, exist_ok=True)
    paths = [place.with_name(f"{place.name}.{suffix}") for suffix in _METADATA]
    with mpl.rc_context(RC):
        for path, metadata in zip(paths, _METADATA.values(), strict=True):
            figure.savefig(path, dpi=300, metadata=metadata)
    if provenance is not None:
        paths.append(save_json(provenance, place.with_name(f"{place.name}.json")))
    return paths


def save_json(value: object, path: Path) -> Path:
    """Indented JSON with sorted keys."""
    text = msgspec.json.format(msgspec.json.encode(value, order="deterministic"))
    path.write_bytes(text + b"\n")
    return path


def provenance(runs: Runs) -> dict[str, Any]:
    """What a figure or table was made from: run folders, a digest of the trajectories, models, versions."""
    records = gather(runs)
    ids = sorted(t.id for t in records.every)
    tasks = dict.fromkeys(t.cell.task for t in records.every)
    return {
        "runs": _names(runs),
        "trajectories": len(ids),
        "trajectory_ids_sha256": hashlib.sha256("\n".join(ids).encode()).hexdigest(),
        "models": records.models,
        "prompts": {t.cell.task: t.cell.prompt for t in records.every},
        "fidelity": {task: records.fidelity(task).name for task in tasks},
        "left_out": records.left_out,
        "versions": {name: version(name) for name in ("react-kit", "matplotlib", "numpy", "pandas")},
    }


def _names(runs: Runs) -> list[str]:
    """The run folders' names, without the rest of the path, which belongs to one computer."""
    if isinstance(runs, Run):
        return [runs.path.name]
    if isinstance(runs, str | Path):
        return [Path(runs).name]
    try:
        return [name for part in runs for name in _names(part)]  # type: ignore[union-attr]
    except TypeError:
        return []  # a trajectory
