"""Trailers of messages, compared with those that git finds."""

import subprocess

import pytest

from fakeplat.git.trailers import parse_trailers

MESSAGES = [
    "Title",
    "Changelog: added",
    "Title\n\nBody",
    "Title\n\nChangelog: added",
    "Title\n\nBody\n\nChangelog: added\nCc: One <one@x.test>\nCc: Two <two@x.test>\n",
    "Title\n\nBody\n\nChangelog: a long\n  text\nEE: true\n",
    "Title\n\nNo trailer\nChangelog: added",
    "Title\n\nNo trailer\nSigned-off-by: One <one@x.test>",
    "Title\n\none\ntwo\nthree\nfour\nSigned-off-by: One <one@x.test>",
    "Title\n\nBody\n\n(cherry picked from commit 0123456789012345678901234567890123456789)",
    "Title\n\nKey : value\nOther:value",
]


@pytest.mark.parametrize("message", MESSAGES)
def test_trailers_are_those_of_git(message: str) -> None:
    """The trailers of a message are those that `git interpret-trailers` finds."""
    command = ["git", "interpret-trailers", "--parse"]
    trailers = subprocess.run(command, input=message, capture_output=True, text=True, check=True).stdout.splitlines()
    # Git also lists its own line about a cherry-pick, which has no key.
    pairs = [line.partition(": ")[::2] for line in trailers if not line.startswith("(")]

    assert pairs == parse_trailers(message)
