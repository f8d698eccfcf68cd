"""Files of code owners: any text is read, and no header is too strange."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeplat.core.release import LATEST_RELEASE, profile_of
from fakeplat.domain.repository.code_owners import parse

PROFILE = profile_of(LATEST_RELEASE)
LINES = st.lists(st.text("^[]! \\t@#*/\\ab1९.-", max_size=20))


@pytest.mark.parametrize(
    ("header", "approvals"),
    [
        ("[Docs][2]", 2),
        ("^[Docs][ 2 3 ]", 2),
        ("[Docs][]", 0),
        ("[Docs]", 0),
        ("[Docs][९]", 0),
        (f"[Docs][{'9' * 5000}]", 0),
    ],
)
def test_how_many_approvals_a_section_needs(header: str, approvals: int) -> None:
    """The first number in brackets counts, if it is one that can be stored."""
    entries = parse(f"{header}\n*.md @ada", PROFILE).sections["Docs"]
    assert [approvals] == [entry.section.approvals for entry in entries.values()]


@given(LINES, st.sampled_from(["README.md", "/a/b", "a b", "[a]"]))
def test_any_text_is_read(lines: list[str], path: str) -> None:
    """Whatever a file contains, its entries can be asked about a path."""
    owners = parse("\n".join(lines), PROFILE)
    assert {entry.section.name for entry in owners.list_entries([path])} <= set(owners.sections)
