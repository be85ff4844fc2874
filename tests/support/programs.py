"""What the browser tests and the benchmarks share: the app on a free port, and Chromium."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn

import pytest

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def find_browser() -> str | None:
    """Debian's Chromium, or another one on the path; None if there is none."""
    if os.path.exists("/usr/bin/chromium"):
        return "/usr/bin/chromium"
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def serving(
    script: Path,
    *,
    port: int | None = None,
    log: Path | None = None,
    base: str = "",
    environment: Mapping[str, str] = MappingProxyType({}),
):
    """Runs a Streamlit script as README does, on 127.0.0.1 and a free port; yields (address, process id).

    app.py has the project's own configuration, which lies next to it; any other script has Streamlit's.

    log: the file that gets what the server writes, where a test reads it. base: the path that all addresses
    begin with, such as /course. environment: variables to be added.
    """
    port = free_port() if port is None else port
    command = [sys.executable, "-m", "streamlit", "run", script.name, "--server.headless", "true"]
    command += ["--server.port", str(port), "--server.address", "127.0.0.1"]
    command += ["--server.baseUrlPath", base]
    address = f"http://127.0.0.1:{port}{base}"
    with running(
        command, address, folder=script.parent, log=log, environment=os.environ | environment
    ) as process:
        yield address, process


@contextmanager
def running(
    command: Sequence[str],
    address: str,
    *,
    folder: Path,
    environment: Mapping[str, str],
    log: Path | None = None,
):
    """Runs a server with its own process group; yields its process id once the address is healthy."""
    with log.open("w+b") if log else tempfile.TemporaryFile() as written:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=environment,
        )
        try:
            _wait_until_healthy(address, process, written)
            yield process.pid
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise


def _wait_until_healthy(address: str, process: subprocess.Popen, log) -> None:
    for _ in range(300):
        if process.poll() is not None:
            log.seek(0)
            raise RuntimeError(f"the app ended at once:\n{log.read().decode()}")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
                if answer.read() == b"ok":
                    return
        except OSError:
            pass
        time.sleep(0.2)
    raise RuntimeError("the app did not become healthy within a minute")


def missing(reason: str) -> NoReturn:
    """The program that a test needs is not there: skipped with the reason, and in CI a failure."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
