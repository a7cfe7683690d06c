"""What is installed, which data are here, which keys are set (never their values)."""

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement

from react_kit.errors import KitError
from react_kit.models import embedded
from react_kit.models.cache import default_path
from react_kit.models.replay import Replay
from react_kit.resources import share
from react_kit.tasks.validate import Problem, check_fable, check_folder
from react_kit.worlds.fable import standard


class Check(NamedTuple):
    what: str
    ok: bool
    found: str
    optional: bool = False


def checks() -> list[Check]:
    """One row a finding; required ones first."""
    return [_python(), *_packages(), *_shipped(), _weights(), _cache(), _key()]


def data_problems() -> list[Problem]:
    """What is wrong with data/tiny and with the standard invented world."""
    return [
        *check_folder(share("data", "tiny")),
        *check_fable(standard("dev")),
        *check_fable(standard("train")),
    ]


def _python() -> Check:
    return Check(
        "Python", sys.version_info >= (3, 11), f"{platform.python_version()} on {platform.platform()}"
    )


def _packages() -> list[Check]:
    """The distributions that pyproject.toml names, without the development tools."""
    rows = []
    for line in requires("react-kit") or []:
        requirement = Requirement(line)
        name, marker = requirement.name, str(requirement.marker or "")
        if name == "react-kit" or "dev" in marker:
            continue
        extra = marker.partition("extra ==")[2].strip(" '\"")
        hint = (
            f"missing: pip install 'react-kit[{extra}]'"
            if extra
            else "missing: pip install --upgrade react-kit"
        )
        try:
            rows.append(Check(name, True, version(name), bool(extra)))
        except PackageNotFoundError:
            rows.append(Check(name, False, hint, bool(extra)))
    return rows


def _shipped() -> list[Check]:
    rows = []
    for parts in (("prompts",), ("data", "tiny"), ("data", "replays")):
        try:
            folder = share(*parts)
            files = [p for p in folder.iterdir() if p.is_file()]
            rows.append(Check("/".join(parts), bool(files), f"{len(files)} files in {folder}"))
        except KitError as e:
            rows.append(Check("/".join(parts), False, str(e)))
    for file in sorted(share("data", "replays").glob("*.jsonl")) if rows[-1].ok else []:
        rows.append(Check(f"replay {file.stem}", True, f"{len(Replay(file).replies):,} replies"))
    return rows


def _weights() -> Check:
    try:
        path, sha = embedded.weights()
        return Check("embedded weights", True, f"{path} (sha256 {sha[:12]}…)", True)
    except KitError as e:
        return Check("embedded weights", False, str(e), True)


def _cache() -> Check:
    path: Path = default_path()
    size = f"{path.stat().st_size / 1e6:.1f} MB" if path.exists() else "not yet made"
    return Check("reply cache", True, f"{path} ({size})", True)


def _key() -> Check:
    is_set = bool(os.environ.get("OPENAI_API_KEY"))
    found = "set" if is_set else "not set; only needed for models at OpenAI or servers that ask for one"
    return Check("OPENAI_API_KEY", is_set, found, True)
