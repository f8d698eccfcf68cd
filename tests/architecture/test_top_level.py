"""What lies at the top level of the repository."""

import subprocess

from tests.architecture.sources import ROOT

ENTRIES = {
    ".ci",
    ".editorconfig",
    ".gitattributes",
    ".gitignore",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "benchmarks",
    "conftest_plugin.py",
    "container",
    "docs",
    "fakeplat",
    "javascript",
    "mkdocs.yml",
    "pyproject.toml",
    "scenarios",
    "tests",
    "tools",
}


def test_top_level_entries_are_listed() -> None:
    """The repository has no top-level entry that is not listed."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    assert {path.split("/")[0] for path in listed.stdout.split("\0") if path} == ENTRIES
