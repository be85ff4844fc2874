"""Several Streamlit processes behind nginx, with the configuration that HOSTING.md names."""

import os
import re
import shutil
import ssl
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.programs import ROOT, free_port

RECIPE = ROOT / ".github" / "nginx.conf"
# What Debian's /etc/nginx/nginx.conf puts around the recipe, in a folder of its own.
AROUND = """
daemon off;
error_log stderr crit;
pid nginx.pid;
worker_processes auto;
worker_rlimit_nofile 8192;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    {recipe}
}}
"""


def find_nginx() -> str | None:
    """The program; Debian keeps it where only root looks."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def recipe(listen: int, ports: Sequence[int]) -> str:
    """The recipe with these ports: what it says of its first process is said of each."""
    lines = []
    for line in RECIPE.read_text().replace("listen 8080", f"listen 127.0.0.1:{listen}").splitlines():
        if "8501" in line:
            lines += [line.replace("8501", str(port)) for port in ports]
        elif "8502" not in line:
            lines.append(line)
    text, count = re.subn("/var/cache/attention", "cache", "\n".join(lines))
    assert count == 1
    return text


@contextmanager
def nginx(ports: Sequence[int]) -> Iterator[str]:
    """Nginx in front of the processes at these ports; yields its address."""
    listen = free_port()
    with running(recipe(listen, ports), f"http://127.0.0.1:{listen}") as address:
        yield address


@contextmanager
def running(text: str, address: str) -> Iterator[str]:
    """Nginx with the text in its http block; yields the address once a process answers there."""
    with folder_with(text) as folder:
        process = subprocess.Popen([find_nginx(), *arguments(folder)])
        try:
            _wait_until_healthy(address, process)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=20)


def arguments(folder: str) -> list[str]:
    return ["-e", "stderr", "-p", folder, "-c", str(Path(folder, "nginx.conf"))]


@contextmanager
def folder_with(text: str) -> Iterator[str]:
    """A folder for nginx, with the text in the http block of its configuration."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # where root starts nginx, another user works in it
        Path(folder, "nginx.conf").write_text(AROUND.format(recipe=text))
        yield folder


def _wait_until_healthy(address: str, process: subprocess.Popen) -> None:
    anybody = ssl._create_unverified_context()  # a test's certificate
    for _ in range(600):
        if process.poll() is not None:
            raise RuntimeError("nginx ended at once; what it said stands above")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2, context=anybody) as answer:
                if answer.read() == b"ok":
                    return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("no process answered through nginx within a minute")
