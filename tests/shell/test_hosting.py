"""The files of .github/hosting, without a container engine, Debian's images, and a systemd that runs.

The Dockerfile's steps run in a fresh directory, but with the Python that runs the tests: to install PyTorch
again would take minutes, so here pip only finds out whether the Dockerfile's packages can be installed.
"""

import json
import os
import re
import runpy
import shlex
import shutil
import ssl
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
import yaml
from websockets.sync.client import connect

from pages.model.link import LONGEST
from pages.room.guesses import PER_VISIT
from pages.room.store import ADDRESS, MAX_PEOPLE, MAX_ROOMS
from pages.shell import unfinished
from tests.support import nginx
from tests.support.programs import ROOT, free_port, missing, running

HOSTING = ROOT / ".github" / "hosting"
COMPOSE = yaml.safe_load((HOSTING / "compose.yml").read_text())["services"]
PROCESSES = {name: service for name, service in COMPOSE.items() if name.startswith("process-")}
IGNORED = shutil.ignore_patterns("__pycache__")


def steps(dockerfile: Path) -> list[list[str]]:
    """Each instruction with its text, in one line as Docker reads it."""
    text = re.sub(r"^#.*\n", "", dockerfile.read_text(), flags=re.M).replace("\\\n", "")
    return [line.split(maxsplit=1) for line in text.splitlines() if line]


class Image:
    """What the Dockerfile makes, in a folder of this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.health, self.command, self.port, self.user = folder, "", [], 0, "root"
        self.environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": "/nonexistent",
        }
        for name, text in steps(HOSTING / "Dockerfile"):
            getattr(self, f"_{name.lower()}")(text)

    def _from(self, text: str) -> None:
        assert re.fullmatch(r"python:3\.\d+-slim", text)

    def _workdir(self, text: str) -> None:
        self.inside = text

    def _arg(self, text: str) -> None:
        self.environment.setdefault(text, "")

    def _env(self, text: str) -> None:
        self.environment |= dict(pair.split("=", 1) for pair in shlex.split(text))

    def _copy(self, text: str) -> None:
        source, target = text.split()
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, self.folder / target, ignore=IGNORED)
        else:
            shutil.copy(ROOT / source, self.folder / target)

    def _run(self, text: str) -> None:
        text = text.replace("pip install", "python -m pip install --dry-run --quiet")
        outside = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        environment = self.environment | outside
        subprocess.run(["sh", "-ec", text], cwd=self.folder, env=environment, check=True)

    def _expose(self, text: str) -> None:
        self.port = int(text)

    def _user(self, text: str) -> None:
        self.user = text

    def _healthcheck(self, text: str) -> None:
        self.health = text.partition(" CMD ")[2]

    def _cmd(self, text: str) -> None:
        self.command = json.loads(text)

    def is_healthy(self, environment: dict[str, str]) -> bool:
        return not subprocess.run(
            ["sh", "-c", self.health], env=environment, stderr=subprocess.DEVNULL
        ).returncode


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    return Image(tmp_path_factory.mktemp("image"))


@pytest.fixture(scope="module", params=["", "/course"])
def container(image, request):
    """The address of a container, which has the path, with its own environment."""
    port = free_port()
    own = {"STREAMLIT_SERVER_PORT": str(port), "STREAMLIT_SERVER_BASE_URL_PATH": request.param.strip("/")}
    environment = image.environment | own
    assert not image.is_healthy(environment)
    address = f"http://127.0.0.1:{port}{request.param}"
    log = image.folder.with_name(f"log-{port}")
    with running(image.command, address, folder=image.folder, environment=environment, log=log):
        yield address, environment
    assert "Traceback" not in log.read_text()


@pytest.mark.slow
def test_the_image_of_the_dockerfile_serves_the_course_and_says_that_it_is_healthy(image, container):
    address, environment = container
    assert image.is_healthy(environment)
    assert "<title>" in requests.get(f"{address}/").text
    assert image.user not in ("root", "0")
    assert int(image.environment["STREAMLIT_SERVER_PORT"]) == image.port


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    if shutil.which("openssl") is None:
        missing("no openssl found, which makes a certificate")
    folder = tmp_path_factory.mktemp("certificate")
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1"
    command += " -addext subjectAltName=IP:127.0.0.1"
    files = ["-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"]
    subprocess.run([*command.split(), *files], check=True, capture_output=True)
    return folder


@pytest.fixture
def secure(container, certificate):
    """The two addresses of tls.conf in front of a container: without TLS, and with it."""
    if nginx.find_nginx() is None:
        missing("no nginx found (Debian: apt-get install nginx)")
    port, _, path = container[0].removeprefix("http://127.0.0.1:").partition("/")
    plain, tls = free_port(), free_port()
    text = (HOSTING / "tls.conf").read_text()
    for before, after in {
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443": f"listen 127.0.0.1:{tls}",
        "/etc/letsencrypt/live/attention.example.org": str(certificate),
        "attention.example.org": "127.0.0.1",
        "127.0.0.1:8080": f"127.0.0.1:{port}",
        "location / {": f"location /{path}/ {{" if path else "location / {",
    }.items():
        assert before in text
        text = text.replace(before, after)
    with nginx.running(text, f"https://127.0.0.1:{tls}{path and '/'}{path}") as address:
        yield f"http://127.0.0.1:{plain}", address


@pytest.mark.slow
def test_with_tls_and_below_a_path_all_addresses_of_the_course_are_passed_on(secure, certificate):
    plain, address = secure
    root = f"https://{urlsplit(address).netloc}"
    trusted = str(certificate / "fullchain.pem")
    moved = requests.get(f"{plain}/softmax?lang=en", allow_redirects=False)
    assert (moved.status_code, moved.headers["Location"]) == (301, "https://127.0.0.1/softmax?lang=en")
    assert "<title>" in requests.get(f"{address}/", verify=trusted).text
    long = requests.get(f"{address}/", params={"x": "1" * LONGEST}, verify=trusted)
    assert long.status_code == 200
    for path in ("/", "/_stcore/metrics", "/_stcore/health", "/no-such-page"):
        answer = requests.get(address + path, verify=trusted)
        assert answer.headers["Strict-Transport-Security"].startswith("max-age=")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'self'"
        assert (answer.status_code == 404) == ("metrics" in path)
    for where, status in ((plain, 301), (address, 421)):
        other = requests.get(where, headers={"Host": "evil.test"}, verify=trusted, allow_redirects=False)
        assert other.status_code == status and "evil" not in other.headers.get("Location", "")
    for method, path in own_addresses():  # Streamlit answers all that it does not know alike
        own, unknown = (
            requests.request(method, where, verify=trusted, stream=True, timeout=10)
            for where in (address + path, f"{address}/nobody-knows-this")
        )
        kind = "Content-Type"
        assert (own.status_code, own.headers.get(kind)) != (unknown.status_code, unknown.headers.get(kind))
    trust = ssl.create_default_context(cafile=trusted)
    stream = f"{address.replace('https', 'wss')}/_stcore/stream"
    with connect(stream, ssl=trust, origin=root, subprotocols=["streamlit"]) as socket:
        assert socket.subprotocol == "streamlit"


def own_addresses() -> list[tuple[str, str]]:
    """The method and the address of all that the course has next to Streamlit's."""
    routes = runpy.run_path(str(ROOT / "app.py"))["routes"]
    assert "/direct" in [route.path for route in routes]
    return [(min(route.methods - {"HEAD"}), route.path) for route in routes]


def test_compose_names_files_services_and_ports_that_exist():
    for name, service in COMPOSE.items():
        assert service["profiles"] in (["one"], ["class"])
        assert "mem_limit" in service and "no-new-privileges:true" in service["security_opt"]
        assert "ports" not in service or "nginx" in name  # strangers reach a process through it
        if "build" in service:
            context = HOSTING / service["build"]["context"]
            assert context.resolve() == ROOT and (context / service["build"]["dockerfile"]).is_file()
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert (HOSTING / source).is_file() or source == "rooms"
        assert set(service.get("depends_on", ())) <= set(COMPOSE), name
    for name, service in PROCESSES.items():
        environment = service["environment"]
        assert name == f"process-{environment['STREAMLIT_SERVER_PORT']}"
        assert environment[ADDRESS] == "redis://redis:6379/0" and "redis" in COMPOSE
    assert COMPOSE["attention"]["networks"]["inside"]["aliases"] == ["process-8501"]


@pytest.mark.parametrize(
    ("service", "names"), [("nginx", set(PROCESSES)), ("nginx-of-one", {"process-8501"})]
)
def test_in_compose_nginx_finds_each_process_at_its_service(tmp_path, service, names):
    """The command that prepares nginx.conf, with the paths of the container in a folder."""
    script = COMPOSE[service]["command"][-1].replace("$$", "$")
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "nginx.conf").write_text("events {\n    worker_connections  1024;\n}\n")
    script = script.replace("/etc/nginx", str(tmp_path)).replace("/attention.conf", str(nginx.RECIPE))
    environment = os.environ | COMPOSE[service]["environment"]
    subprocess.run(["sh", "-ec", script.replace("exec nginx", "true")], check=True, env=environment)
    assert "worker_connections 4096;" in (tmp_path / "nginx.conf").read_text()
    resolver, text = (tmp_path / "conf.d" / "default.conf").read_text().split("\n", 1)
    assert resolver.startswith("resolver 127.0.0.11 ")
    named = {name: text.count(f" {name}:{name.removeprefix('process-')}") for name in PROCESSES}
    assert named == {name: 2 * (name in names) for name in PROCESSES} and "127.0.0.1:8" not in text
    if nginx.find_nginx() is None:
        missing("no nginx found (Debian: apt-get install nginx)")
    known = re.sub(r"process-\d+:", "127.0.0.1:", text).replace(
        "/var/cache/attention", str(tmp_path / "cache")
    )
    with nginx.folder_with(f"{resolver}\n{known}") as folder:
        subprocess.run([nginx.find_nginx(), "-t", *nginx.arguments(folder)], check=True, capture_output=True)


def test_systemd_accepts_the_unit(tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze found")
    text = (HOSTING / "attention@.service").read_text()
    [command] = re.findall(r"^ExecStart=/opt/attention/.venv/bin/(.*)$", text, re.M)
    assert command.startswith("streamlit run app.py --server.address 127.0.0.1 --server.port %i ")
    unit = tmp_path / "attention@.service"
    unit.write_text(text.replace("/opt/attention/.venv/bin/streamlit", sys.executable))
    verified = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert (verified.returncode, verified.stderr) == (0, "")


def test_the_limits_are_those_that_hold():
    text = " ".join((ROOT / ".github" / "HOSTING.md").read_text("utf-8").split())
    assert f"{MAX_ROOMS:,} rooms, with {MAX_PEOPLE} people in each" in text
    assert f"{unfinished.HEAD // 1024} KB for the head" in text
    assert f"{unfinished.SECONDS:.0f} seconds for a request" in text
    assert f"{unfinished.TOGETHER // 1024**2} MB for all" in text
    assert PER_VISIT == 10 and "ten wrong codes of rooms in a minute" in text


def test_each_file_is_named_where_an_administrator_reads():
    text = (ROOT / ".github" / "HOSTING.md").read_text("utf-8")
    assert [path.name for path in HOSTING.iterdir() if f"(hosting/{path.name})" not in text] == []
    [redis] = re.findall(r"^redis.*", (ROOT / "tests" / "requirements.txt").read_text(), re.M)
    assert all(f'"{redis}"' in read for read in (text, (HOSTING / "Dockerfile").read_text()))
    assert f"`{ADDRESS}=redis://" in text and ADDRESS in (HOSTING / "attention@.service").read_text()
    links = re.findall(r"\]\(([^)#]+)\)", text)
    assert [link for link in links if not (ROOT / ".github" / link).exists()] == []
