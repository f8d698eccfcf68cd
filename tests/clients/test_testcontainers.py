"""testcontainers starts the image, which podman builds, by the API of Docker.

No registry of images is asked: a file system made of this machine's Python takes the place of the base image. All that
the container file says besides is used as it is.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.architecture.sources import ROOT
from tests.clients.environments import PythonClient
from tests.clients.programs import get_program, podman_command
from tests.docs.pages import list_blocks
from tests.packaging.container_files import DOCKERFILE, get_instruction

pytestmark = pytest.mark.clients

TESTCONTAINERS = PythonClient("testcontainers", "4.15.0")
LEFT_OUT = shutil.ignore_patterns("site-packages", "dist-packages", "test", "__pycache__", "*.a", "config-*")
LIBRARY = re.compile(r"(?:=> )?(/\S+) \(0x")
SECONDS = 20
# A container may not raise the limits of whoever starts it.
CONFIGURATION = """\
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
[engine.runtimes]
runc = ["{runc}"]
"""


class Podman:
    """podman with storage of its own, whose containers run without a manager of services."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "podman.sock"
        configuration = CONFIGURATION.format(runc=get_program("runc"))
        (folder / "containers.conf").write_text(configuration, "utf-8")
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(folder),
            "STORAGE_DRIVER": "vfs",
            "CONTAINERS_CONF": str(folder / "containers.conf"),
        }
        self.command = podman_command(folder)

    def run(self, *arguments: str | Path) -> None:
        result = subprocess.run([*self.command, *arguments], env=self.environment, capture_output=True, check=False)
        assert 0 == result.returncode, result.stderr.decode()

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Serve the API of Docker, and yield its address."""
        url = f"unix://{self.socket}"
        with subprocess.Popen([*self.command, "system", "service", "--time=0", url], env=self.environment) as service:
            try:
                end = time.monotonic() + SECONDS
                while not self.socket.exists() and time.monotonic() < end:
                    assert service.poll() is None
                yield url
            finally:
                service.terminate()
        self.run("system", "reset", "--force")


def write_root(folder: Path) -> None:
    """Write a file system with this Python, the wheel with its extras, and the libraries that they need."""
    python = Path(sys.base_prefix, "bin", f"python{sysconfig.get_python_version()}")
    standard = Path(sysconfig.get_path("stdlib"))
    shutil.copytree(standard, folder / standard.relative_to("/"), ignore=LEFT_OUT)
    copy_file(python, folder)
    install_wheel(folder / "app")
    program = folder / "usr/local/bin/fakeplat"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f"#!{python}\nfrom fakeplat.cli import main\n\nmain()\n", "utf-8")
    program.chmod(0o755)
    for library in {path for file in (python, *folder.rglob("*.so*")) for path in list_libraries(file)}:
        copy_file(library, folder)
    (folder / "tmp").mkdir()


def install_wheel(folder: Path) -> None:
    build: list[str | Path] = [
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--wheel",
        "--outdir",
        folder.with_name("dist"),
        ROOT,
    ]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.with_name("dist").glob("*.whl")
    extras = re.findall(r"\[[a-z,]+\]", get_instruction("RUN").arguments)[0]
    pip: list[str | Path] = [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder, f"{wheel}{extras}"]
    subprocess.run(pip, check=True, capture_output=True)


def list_libraries(file: Path) -> list[Path]:
    printed = subprocess.run(["ldd", file], capture_output=True, text=True, check=False).stdout
    # Packages bring some libraries with them, which are found beside those that need them.
    return [path for path in map(Path, LIBRARY.findall(printed)) if ".libs" not in str(path)]


def copy_file(file: Path, folder: Path) -> None:
    target = folder / file.relative_to("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        shutil.copy2(file.resolve(), target)


def build_image(podman: Podman) -> None:
    """Build the image from the container file, with the file system in place of its base and its installation."""
    write_root(podman.folder / "image/root")
    text = DOCKERFILE.read_text("utf-8")
    for keyword, replacement in (
        ("FROM", "FROM scratch\nCOPY root /\nENV PYTHONPATH=/app PATH=/usr/local/bin"),
        ("RUN", ""),
    ):
        text = re.sub(rf"(?m)^{keyword} .*$", replacement, text)
    (podman.folder / "image/Dockerfile").write_text(text, "utf-8")
    tag = "docker.io/library/fakeplat"
    podman.run(
        "build", "--format=docker", "--isolation=chroot", "--layers=false", f"--tag={tag}", podman.folder / "image"
    )


@pytest.fixture
def podman() -> Iterator[Podman]:
    """A new podman below a short path: longer ones it refuses."""
    with TemporaryDirectory(prefix="podman-") as folder:
        yield Podman(Path(folder))


def test_testcontainers_starts_the_image(podman: Podman) -> None:
    """The recipe in Python starts the image on a free port, with a key, resets the world, and is known there."""
    build_image(podman)
    TESTCONTAINERS.make()
    (recipe,) = [block for block in list_blocks("docs/containers.md") if block.title == "testcontainers"]
    with podman.serving() as url:
        environment = {
            "DOCKER_HOST": url,
            # Ports are published on this machine, which may itself be a container; nothing else cleans up.
            "TESTCONTAINERS_CONNECTION_MODE": "docker_host",
            "TESTCONTAINERS_RYUK_DISABLED": "true",
        }
        command: list[str | Path] = [TESTCONTAINERS.program("python"), "-c", recipe.code]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert 0 == result.returncode, result.stderr
    assert "ada" == json.loads(result.stdout)["username"]
