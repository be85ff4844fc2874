"""A Redis server of the tests' own, which keeps what it has confirmed (HOSTING.md has the same options)."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.programs import free_port, missing


def find_redis() -> str:
    """The program; without it the test is skipped, and fails in CI."""
    return shutil.which("redis-server") or missing(
        "no redis-server found (Debian: apt-get install redis-server)"
    )


class RedisServer:
    """The server, which can be stopped and started again with what it has kept."""

    def __init__(self, folder: Path):
        self.folder, self.port = folder, free_port()
        self.address = f"redis://127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder)]
        options += ["--appendonly", "yes", "--save", "", "--loglevel", "warning"]
        self.process = subprocess.Popen([find_redis(), *options], stdout=subprocess.DEVNULL)
        for _ in range(1200):
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=2) as connection:
                    connection.sendall(b"PING\r\n")
                    if connection.recv(16).startswith(b"+PONG"):
                        return
            except OSError:
                pass
            time.sleep(0.05)
        raise RuntimeError("redis-server did not answer within a minute")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(timeout=20)


@contextmanager
def redis_server(folder: Path) -> Iterator[RedisServer]:
    server = RedisServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()
