"""The rules of the house that a test can read: imports point one way, importing costs little, no list can drift."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "react_kit"

# Layer of each room (see README, "How it is built"); a module imports from its own layer or an earlier one.
LAYERS = [
    {"errors", "trajectory", "store", "run", "fidelity", "resources", "text"},
    {"worlds"},
    {"answers", "parsing", "prompts", "models", "corpora", "envs", "guards"},
    {"methods", "tasks", "episode"},
    {"experiment", "background", "progress"},
    {"analysis", "report", "study"},
    {"widgets", "finetune", "interop", "doctor", "__main__"},
]
HEAVY = {
    "pydantic",
    "numpy",
    "pandas",
    "matplotlib",
    "ipywidgets",
    "openai",
    "requests",
    "gymnasium",
    "jinja2",
}
CONTRACT = (
    "Trajectory, Step, Action, Run, read_trajectories, open_model, open_wiki, load_task, "
    "Episode, METHODS, TASKS, Experiment, Fidelity, PAPER, AUTHORS_CODE"
)


def modules() -> dict[str, Path]:
    """Dotted name within the package → file."""
    files = (p for p in PACKAGE.rglob("*.py") if "_share" not in p.parts)
    return {
        ".".join(p.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): p for p in files
    }


def imported(path: Path) -> set[str]:
    """The modules of this package that a file imports, anywhere in it, as dotted names without `react_kit.`."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    known = set(modules())
    short = {name.removeprefix("react_kit.") for name in found if name.startswith("react_kit.")}
    return short & known


def layer(module: str) -> int:
    room = module.split(".")[0]
    return next(i for i, rooms in enumerate(LAYERS) if room in rooms)


@pytest.mark.parametrize("module", sorted(set(modules()) - {"__init__", ""}))
def test_a_module_imports_only_from_its_layer_or_an_earlier_one(module: str) -> None:
    for other in imported(modules()[module]):
        assert layer(other) <= layer(module), f"{module} imports {other}"


def test_imports_have_no_cycle() -> None:
    graph = {
        name: imported(path) - {name} for name, path in modules().items() if name not in ("__init__", "")
    }
    # A package and its own modules count as one room where the package only gathers them.
    for name, others in graph.items():
        graph[name] = {o for o in others if not name.startswith(f"{o}.")}
    while graph:
        leaves = [name for name, others in graph.items() if not others & set(graph)]
        assert leaves, f"cycle among {sorted(graph)}"
        for name in leaves:
            del graph[name]


def test_modules_are_thin() -> None:
    sizes = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in modules().items()}
    assert max(sizes.values()) <= 300, sizes


@pytest.mark.parametrize("statement", ["import react_kit", f"from react_kit import {CONTRACT}"])
def test_importing_loads_nothing_heavy(statement: str) -> None:
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert HEAVY & set(out.stdout.split()) == set()


def test_environment_yml_holds_python_pip_and_the_kit_itself() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lowest = project["requires-python"].removeprefix(">=")
    assert environment["channels"] == ["conda-forge"]
    python, pip, kit = environment["dependencies"]
    assert (python, pip) == (f"python={lowest}", "pip")
    (line,) = kit["pip"]
    extras = re.fullmatch(r"-e \.\[([a-z,]+)\]", line)
    assert extras
    assert set(extras[1].split(",")) == set(project["optional-dependencies"]) - {"dev"}


def test_constraints_are_names_and_versions_and_cover_what_the_kit_needs() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()[1:]
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.!+]+", line)] == []
    pinned = {line.split("==")[0].lower().replace("_", "-") for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        *project["dependencies"],
        *(d for extra in project["optional-dependencies"].values() for d in extra),
    ]
    names = {re.split(r"[\[<>=]", d)[0].lower() for d in wanted} - {"react-kit"}
    assert names - pinned == set()


def test_every_exported_name_exists_and_no_other_does() -> None:
    import react_kit

    for name in react_kit.__all__:
        assert getattr(react_kit, name) is not None
    assert set(CONTRACT.split(", ")) <= set(react_kit.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = react_kit.nonsense
