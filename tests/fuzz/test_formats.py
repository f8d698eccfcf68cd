"""Damaged files and messages of every format are read or refused; `make properties` damages more of them."""

from base64 import b64decode
from pathlib import Path
from random import Random

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.fuzz.formats import damage
from tests.fuzz.ssh_formats import get_targets

CORPUS = [orjson.loads(line) for line in Path(__file__).with_name("contents.jsonl").read_bytes().splitlines()]
"""Contents that once met a bug, by their formats."""
FORMATS = sorted(get_targets())


@pytest.mark.parametrize("name", FORMATS)
def test_whole_contents_are_read(name: str) -> None:
    """A valid content of each format meets no bug."""
    for content in get_targets()[name].seeds:
        get_targets()[name].read(content)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=examples(10), deadline=None)
@given(random=st.integers(0, 2**32).map(Random))
def test_damaged_contents_are_read_or_refused(name: str, random: Random) -> None:
    """Whatever happens to a content of a format on its way, it is read or refused, and meets no bug."""
    target = get_targets()[name]
    target.read(damage(random.choice(target.seeds), random))


@pytest.mark.parametrize("saved", CORPUS, ids=[saved["name"] for saved in CORPUS])
def test_contents_that_met_a_bug_are_read_or_refused(saved: dict[str, str]) -> None:
    """A content that once met a bug meets none any more."""
    get_targets()[saved["format"]].read(b64decode(saved["content"]))
