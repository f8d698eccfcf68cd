"""What a release consists of: the wheel, the sdist, the npm package, the single file, the site and their lists.

`python -m tools.distributions zipapp` builds the single file only.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import venv
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
EXTRAS = "certificates,console,signatures"
SUMS = "SHA256SUMS"


@dataclass(frozen=True)
class Distributions:
    """Builds the parts of a release from a source tree into a folder."""

    root: Path
    into: Path
    version: str

    def build_all(self) -> list[Path]:
        """Build everything, and return the files."""
        self.into.mkdir(parents=True, exist_ok=True)
        if any(self.into.iterdir()):
            sys.exit(f"{self.into} is not empty")
        self.build_python_packages()
        self.build_npm_package()
        with TemporaryDirectory() as folder:
            environment = self.install(Path(folder))
            self.build_zipapp(environment)
            self.write_components(environment)
        self.build_site()
        return self.write_sums()

    def build_python_packages(self) -> None:
        """Build the sdist, and the wheel from it."""
        call(sys.executable, "-m", "build", "--no-isolation", "--outdir", self.into, self.root)

    def build_npm_package(self) -> None:
        """Build the npm package, with the compiler that it names."""
        folder = self.root / "javascript"
        npm = shutil.which("npm")
        if npm is None:
            sys.exit("npm is missing: install Node.js")
        call(npm, "install", "--silent", "--no-audit", "--no-fund", "--no-package-lock", cwd=folder)
        call(npm, "pack", "--silent", "--pack-destination", self.into, cwd=folder)

    def install(self, folder: Path) -> Path:
        """Install the wheel into a new environment, and return its interpreter."""
        venv.create(folder, with_pip=False)
        python = folder / "bin" / "python"
        (wheel,) = self.into.glob("*.whl")
        call(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", f"{wheel}[{EXTRAS}]")
        return python

    def build_zipapp(self, python: Path) -> None:
        """Build one file that Python runs, for the system and the release of Python of this machine."""
        (packages,) = python.parents[1].glob("lib/python*/site-packages")
        options = ("--compressed", "--reproducible", "--console-script", "fakeplat", "--output-file")
        call(find_tool("shiv"), "--site-packages", packages, *options, self.into / "fakeplat.pyz")

    def write_components(self, python: Path) -> None:
        """Write the list of what is installed along (SBOM, CycloneDX)."""
        options = ("--output-reproducible", "--pyproject", self.root / "pyproject.toml", "--output-file")
        file = self.into / f"fakeplat-{self.version}.cdx.json"
        call(find_tool("cyclonedx-py"), "environment", *options, file, python)

    def build_site(self) -> None:
        """Build the documentation, in a folder of its version."""
        site = self.root / ".cache/site"
        call(find_tool("mkdocs"), "build", "--quiet", "--strict", "--site-dir", site, cwd=self.root)
        with tarfile.open(self.into / f"fakeplat-{self.version}-site.tar.gz", "w:gz") as archive:
            archive.add(site, self.version)

    def write_sums(self) -> list[Path]:
        """Write the digests of all files, and return the files."""
        files = sorted(path for path in self.into.iterdir() if path.name != SUMS)
        lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
        self.into.joinpath(SUMS).write_text("".join(lines), "utf-8")
        return [*files, self.into / SUMS]


def call(*command: str | Path, cwd: Path | None = None) -> None:
    """Run a command; end with its output if it fails."""
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    result = subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}: status {result.returncode}\n{result.stdout}")


def find_tool(name: str) -> Path:
    """Return a program of the environment that runs this."""
    return Path(sys.executable).with_name(name)


def build_zipapp(into: Path) -> None:
    """Build the single file from the working tree."""
    with TemporaryDirectory() as folder:
        distributions = Distributions(ROOT, Path(folder), "")
        distributions.build_python_packages()
        distributions.build_zipapp(distributions.install(Path(folder) / "environment"))
        into.mkdir(parents=True, exist_ok=True)
        shutil.move(Path(folder) / "fakeplat.pyz", into / "fakeplat.pyz")


if __name__ == "__main__":
    if sys.argv[1:2] != ["zipapp"] or len(sys.argv) > 3:
        sys.exit("usage: python -m tools.distributions zipapp [FOLDER]")
    build_zipapp(Path(*sys.argv[2:] or ("dist",)))
