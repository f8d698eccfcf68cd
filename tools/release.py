"""Make a release: check the tree, set the version everywhere, close the changelog's section, build into dist/.

`make release VERSION=0.2.0`; with `ARGS=--dry-run` in a copy of the tree, which leaves the tree as it is. Nothing is
committed or published: the commands for that are printed at the end.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tomllib
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tools.distributions import ROOT, Distributions

VERSIONS: Final = {
    "pyproject.toml": r'^version = "(.+)"$',
    "javascript/package.json": r'^  "version": "(.+)",$',
    "fakeplat/core/release.py": r'^VERSION: Final = "(.+)"$',
}
"""Where the version stands."""

_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
_SECTION = re.compile(r"^## \[Unreleased\]\n(.*?)(?=^## \[|^\[)", re.MULTILINE | re.DOTALL)
_COMPARISON = re.compile(r"^\[Unreleased\]: (.+)/compare/v(.+)\.\.\.HEAD$", re.MULTILINE)


class ReleaseError(Exception):
    """The tree cannot be released."""


def read_version(root: Path) -> str:
    """Return the version of a tree. ReleaseError if its files name several."""
    versions = {_find(root / file, pattern)[1] for file, pattern in VERSIONS.items()}
    if len(versions) > 1:
        raise ReleaseError(f"the versions differ: {', '.join(sorted(versions))}")
    return versions.pop()


def set_version(root: Path, version: str) -> None:
    """Set the version in all files that have it."""
    for file, pattern in VERSIONS.items():
        match = _find(root / file, pattern)
        text = match.string[: match.start(1)] + version + match.string[match.end(1) :]
        root.joinpath(file).write_text(text, "utf-8")


def _find(file: Path, pattern: str) -> re.Match[str]:
    match = re.search(pattern, file.read_text("utf-8"), re.MULTILINE)
    if match is None:
        raise ReleaseError(f"{file} has no version")
    return match


def close_changelog(text: str, version: str, day: date) -> str:
    """Return the changelog with the unreleased changes in a section of the version."""
    section = _SECTION.search(text)
    if section is None or not section[1].strip():
        raise ReleaseError("CHANGELOG.md has nothing under [Unreleased]")
    head = f"## [Unreleased]\n\n## [{version}] - {day.isoformat()}\n"
    text = text[: section.start()] + head + text[section.start(1) :]
    return _COMPARISON.sub(
        lambda match: (
            f"[Unreleased]: {match[1]}/compare/v{version}...HEAD\n"
            f"[{version}]: {match[1]}/compare/v{match[2]}...v{version}"
        ),
        text,
    )


def check_order(version: str, current: str) -> None:
    """Raise ReleaseError unless the version is one of Semantic Versioning that follows the current one."""
    if not _VERSION.fullmatch(version):
        raise ReleaseError(f"{version} is no version such as 1.2.3")
    major, minor, patch = map(int, current.split("."))
    following = {f"{major + 1}.0.0", f"{major}.{minor + 1}.0", f"{major}.{minor}.{patch + 1}"}
    if version not in following:
        raise ReleaseError(f"{version} does not follow {current}: use {', '.join(sorted(following))}")


def check_tree(root: Path) -> None:
    """Raise ReleaseError unless everything is committed."""
    if changed := _git(root, "status", "--porcelain"):
        raise ReleaseError(f"the tree has changes that are not committed:\n{changed}")


def list_placeholders(root: Path) -> dict[str, str]:
    """Return the addresses that are still to be set, see pyproject.toml."""
    tables = tomllib.loads(root.joinpath("pyproject.toml").read_text("utf-8"))
    placeholders: dict[str, str] = tables["tool"].get("fakeplat", {}).get("placeholders", {})
    return placeholders


def set_address(root: Path, name: str, url: str) -> None:
    """Replace the placeholder of an address in all files, and forget that it was one."""
    placeholder = list_placeholders(root).get(name)
    if placeholder is None:
        raise ReleaseError(f"{name} is no address that is to be set: {', '.join(list_placeholders(root)) or 'none is'}")
    for file in _git(root, "grep", "--files-with-matches", "--fixed-strings", placeholder).splitlines():
        path = root / file
        path.write_text(path.read_text("utf-8").replace(placeholder, url), "utf-8")
    project = root / "pyproject.toml"
    project.write_text(project.read_text("utf-8").replace(f'{name} = "{url}"\n', ""), "utf-8")


def copy_tree(root: Path, into: Path) -> None:
    """Copy the files that git knows."""
    for file in _git(root, "ls-files").splitlines():
        if root.joinpath(file).is_file():
            into.joinpath(file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / file, into / file)


def prepare(root: Path, version: str, day: date) -> None:
    """Set the version, and close the changelog's section."""
    check_order(version, read_version(root))
    changelog = root / "CHANGELOG.md"
    changelog.write_text(close_changelog(changelog.read_text("utf-8"), version, day), "utf-8")
    set_version(root, version)


def _git(root: Path, *words: str) -> str:
    result = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    if result.returncode > 1:
        raise ReleaseError(result.stderr.strip())
    return result.stdout


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("version", nargs="?", help="such as 0.2.0")
    parser.add_argument("--dry-run", action="store_true", help="work in a copy of the tree")
    parser.add_argument("--into", type=Path, default=ROOT / "dist", help="the folder of what is built")
    parser.add_argument("--set", nargs=2, metavar=("ADDRESS", "URL"), help="set documentation or source everywhere")
    return parser.parse_args(arguments)


def _release(version: str, into: Path, *, is_dry: bool) -> None:
    with TemporaryDirectory() as folder:
        root = ROOT
        if is_dry:
            root = Path(folder)
            copy_tree(ROOT, root)
        else:
            check_tree(root)
            if placeholders := list_placeholders(root):
                raise ReleaseError(f"set these addresses first, with --set: {', '.join(placeholders)}")
        prepare(root, version, datetime.now(UTC).date())
        for file in Distributions(root, into.resolve(), version).build_all():
            print(file)
    print(_NEXT.format(version=version, into=into))


_NEXT: Final = """To publish it:
  git commit --all --message "Release {version}" && git tag v{version} && git push --atomic origin HEAD v{version}
  twine upload {into}/*.whl {into}/fakeplat-{version}.tar.gz
  npm publish {into}/fakeplat-{version}.tgz"""


def main(arguments: list[str]) -> int:
    options = _parse(arguments)
    try:
        if options.set:
            set_address(ROOT, *options.set)
        elif options.version is None:
            raise ReleaseError("name the version: make release VERSION=0.2.0")
        else:
            _release(options.version, options.into, is_dry=options.dry_run)
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
