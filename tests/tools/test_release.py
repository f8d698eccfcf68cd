"""Making a release: versions, the changelog, addresses, and what is built."""

import json
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tools.release import (
    VERSIONS,
    ReleaseError,
    check_order,
    check_tree,
    close_changelog,
    list_placeholders,
    main,
    prepare,
    read_version,
    set_address,
)

DAY = date(2027, 1, 31)
CHANGELOG = """# Changelog

## [Unreleased]

### Added

- More.

## [0.1.0] - 2026-11-23

The first release.

[Unreleased]: https://git.example.test/compare/v0.1.0...HEAD
[0.1.0]: https://git.example.test/releases/tag/v0.1.0
"""
CLOSED = """# Changelog

## [Unreleased]

## [0.2.0] - 2027-01-31

### Added

- More.

## [0.1.0] - 2026-11-23

The first release.

[Unreleased]: https://git.example.test/compare/v0.2.0...HEAD
[0.2.0]: https://git.example.test/compare/v0.1.0...v0.2.0
[0.1.0]: https://git.example.test/releases/tag/v0.1.0
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with the files that a release changes."""
    for file in (*VERSIONS, "README.md", "mkdocs.yml"):
        tmp_path.joinpath(file).parent.mkdir(parents=True, exist_ok=True)
        tmp_path.joinpath(file).write_bytes(ROOT.joinpath(file).read_bytes())
    tmp_path.joinpath("CHANGELOG.md").write_text(CHANGELOG, "utf-8")
    identity = ("-c", "user.name=Ada Example", "-c", "user.email=ada@example.test")
    for words in (("init", "--quiet"), ("add", "--all"), (*identity, "commit", "--quiet", "--message", "All")):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return tmp_path


def test_the_files_of_the_tree_agree_on_the_version() -> None:
    """The Python package, the npm package and the command name one version."""
    assert tomllib.loads(ROOT.joinpath("pyproject.toml").read_text("utf-8"))["project"]["version"] == read_version(ROOT)


def test_the_version_is_set_everywhere(tree: Path) -> None:
    """A release sets the version in all files and closes the changelog's section."""
    major, minor, _ = read_version(tree).split(".")
    version = f"{major}.{int(minor) + 1}.0"
    prepare(tree, version, DAY)
    assert version == read_version(tree)
    assert version == json.loads(tree.joinpath("javascript/package.json").read_text("utf-8"))["version"]
    assert f"## [{version}] - 2027-01-31\n\n### Added" in tree.joinpath("CHANGELOG.md").read_text("utf-8")


def test_the_changelog_gets_a_section_and_links() -> None:
    """The unreleased changes move into the version's section, and the links compare with it."""
    assert CLOSED == close_changelog(CHANGELOG, "0.2.0", DAY)
    with pytest.raises(ReleaseError, match="has nothing under"):
        close_changelog(CLOSED, "0.3.0", DAY)


def test_the_changelog_of_the_tree_can_be_closed() -> None:
    """The changelog has sections of Keep a Changelog, and the links that a release continues."""
    text = ROOT.joinpath("CHANGELOG.md").read_text("utf-8")
    titles = {line for line in text.splitlines() if line.startswith("### ")}
    assert set() == titles - {
        f"### {kind}" for kind in ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
    }
    assert f"[Unreleased]: {list_addresses()['Source']}/compare/v{read_version(ROOT)}...HEAD" in text


@pytest.mark.parametrize("version", ["1.2.4", "1.3.0", "2.0.0"])
def test_a_following_version_is_accepted(version: str) -> None:
    """The next patch, minor and major version follow a version."""
    check_order(version, "1.2.3")


@pytest.mark.parametrize("version", ["1.2.3", "1.2.5", "1.3.1", "3.0.0", "1.2", "v1.2.4", "1.02.4", "1.3.0rc1"])
def test_another_version_is_refused(version: str) -> None:
    """A version that does not follow, or that is none of Semantic Versioning, is refused."""
    with pytest.raises(ReleaseError):
        check_order(version, "1.2.3")


def test_a_changed_tree_is_refused(tree: Path) -> None:
    """Only what is committed is released."""
    check_tree(tree)
    tree.joinpath("README.md").write_text("changed", "utf-8")
    with pytest.raises(ReleaseError, match=r"not committed:\n M README.md"):
        check_tree(tree)


def list_addresses() -> dict[str, str]:
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text("utf-8"))["project"]
    urls: dict[str, str] = project["urls"]
    return urls


def test_the_metadata_has_no_other_addresses() -> None:
    """All addresses of the packages and of the site begin with that of the documentation or of the source."""
    urls = list_addresses()
    manifest = json.loads(ROOT.joinpath("javascript/package.json").read_text("utf-8"))
    site = ROOT.joinpath("mkdocs.yml").read_text("utf-8")
    bases = (urls["Documentation"], urls["Source"])
    repository = manifest["repository"]["url"].removeprefix("git+")
    assert [] == [
        url for url in (*urls.values(), manifest["homepage"], manifest["bugs"], repository) if not url.startswith(bases)
    ]
    assert f"\nsite_url: {bases[0]}\nrepo_url: {bases[1]}\n" in site


def test_placeholders_are_set_in_one_place(tree: Path) -> None:
    """Setting an address replaces its placeholder in all files; then it is a placeholder no more."""
    placeholders = {"documentation": "https://docs.example.test/", "source": "https://git.example.test/fakeplat"}
    for name, url in placeholders.items():
        if name in list_placeholders(tree):
            set_address(tree, name, url)
            text = "".join(
                tree.joinpath(file).read_text("utf-8")
                for file in ("pyproject.toml", "javascript/package.json", "mkdocs.yml")
            )
            assert text.count(url) >= 3
    assert {} == list_placeholders(tree)
    with pytest.raises(ReleaseError, match="source is no address that is to be set"):
        set_address(tree, "source", "https://git.example.test/")


def test_a_release_needs_a_version(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a version, the command says how to name it, and changes nothing."""
    assert 2 == main([])
    assert "release: name the version: make release VERSION=0.2.0\n" == capsys.readouterr().err


@pytest.mark.clients
@pytest.mark.xdist_group("packaging")
def test_a_dry_run_builds_everything(tmp_path: Path) -> None:
    """A dry run builds all parts of the next version with their digests, and leaves the tree as it is."""
    major, minor, _ = read_version(ROOT).split(".")
    version = f"{major}.{int(minor) + 1}.0"
    into, status = tmp_path / "dist", ["git", "status", "--porcelain"]
    before = subprocess.run(status, cwd=ROOT, capture_output=True, check=True).stdout
    make = ["make", "release", f"VENV={sys.prefix}", f"VERSION={version}", "ARGS=--dry-run", f"DIST={into}"]
    done = subprocess.run(make, cwd=ROOT, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stdout + done.stderr
    assert f"npm publish {into}/fakeplat-{version}.tgz" in done.stdout
    assert {
        "SHA256SUMS",
        "fakeplat.pyz",
        f"fakeplat-{version}-py3-none-any.whl",
        f"fakeplat-{version}-site.tar.gz",
        f"fakeplat-{version}.cdx.json",
        f"fakeplat-{version}.tar.gz",
        f"fakeplat-{version}.tgz",
    } == {path.name for path in into.iterdir()}
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=into, check=True)
    components = json.loads(next(into.glob("*.cdx.json")).read_text("utf-8"))
    assert {"aiohttp", "pygit2", "fakeplat"} <= {component["name"] for component in components["components"]} | {
        components["metadata"]["component"]["name"]
    }
    shown = subprocess.run(
        [sys.executable, into / "fakeplat.pyz", "--version"],
        env={"SHIV_ROOT": str(tmp_path / "shiv")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"fakeplat, version {version}\n" == shown.stdout
    assert before == subprocess.run(status, cwd=ROOT, capture_output=True, check=True).stdout
