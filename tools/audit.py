"""Ask the registries for known vulnerabilities of the dependencies: pip-audit for Python, `npm audit` for JavaScript.

The exit status is 1 if there are any, and 3 if nothing is known because a registry gives no advisories, as mirrors do
not; what it is that failed is named.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".cache" / "audit"
PIP_AUDIT = "pip-audit==2.10.1"
NOT_AUDITED = 3
UNREACHABLE = ("not found on PyPI", "Connection", "ConnectionError", "audit endpoint returned an error", "ENOTFOUND")


def main() -> int:
    statuses = []
    for audit in (audit_python, audit_javascript):
        try:
            failure = audit()
        except Unreachable as error:
            failure, status = str(error), NOT_AUDITED
        else:
            status = 1 if failure else 0
        statuses.append(status)
        if failure:
            print(f"audit: {failure}", file=sys.stderr)
    return 1 if 1 in statuses else max(statuses)


class Unreachable(Exception):
    """A registry does not answer, or gives no advisories."""


def audit_python() -> str:
    """Return what is wrong with the installed packages; empty if nothing is."""
    python = CACHE / "bin" / "python"
    if not python.exists():
        run(sys.executable, "-m", "venv", CACHE)
    installed = run(python, "-m", "pip", "install", "--quiet", PIP_AUDIT)
    if installed.returncode:
        raise Unreachable(f"{PIP_AUDIT} could not be installed from PyPI")
    # With --strict, a package that PyPI says nothing about is a failure, except this one, which is not published.
    options = ("--strict", "--skip-editable", "--progress-spinner", "off")
    found = run(python, "-m", "pip_audit", *options, "--path", Path(sys.prefix, "lib", version(), "site-packages"))
    return explain("pip-audit", "PyPI", found)


def version() -> str:
    return f"python{sys.version_info.major}.{sys.version_info.minor}"


def audit_javascript() -> str:
    """Return what is wrong with the packages that javascript/ is built and tested with; empty if nothing is."""
    npm = shutil.which("npm")
    if npm is None:
        return "npm is missing"
    with TemporaryDirectory() as folder:
        shutil.copy(ROOT / "javascript" / "package.json", folder)
        locked = run(npm, "install", "--package-lock-only", "--silent", "--no-audit", "--no-fund", folder=folder)
        if locked.returncode:
            raise Unreachable("the registry of npm is unreachable: the dependencies could not be resolved")
        return explain("npm audit", "the registry of npm", run(npm, "audit", folder=folder))


def explain(program: str, registry: str, result: "subprocess.CompletedProcess[str]") -> str:
    """Return what a program found; empty if nothing. Unreachable if it could not ask."""
    if result.returncode == 0:
        return ""
    output = f"{result.stdout}{result.stderr}"
    if any(sign in output for sign in UNREACHABLE):
        raise Unreachable(f"{registry} is unreachable, or gives {program} no advisories")
    return f"{program} found vulnerabilities:\n{output}"


def run(*command: str | Path, folder: str | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)


if __name__ == "__main__":
    sys.exit(main())
