"""What is declared and the table of known operations say the same."""

import re

import fakeplat.api  # noqa: F401  # promises the operations
from fakeplat.catalog import known_operations
from fakeplat.core.operations.operation import OPERATIONS


def shape(path: str) -> str:
    """A path whose parameters have no names."""
    return re.sub(r"([:*])\w+", r"\1", path)


def test_every_declared_operation_is_in_the_table_under_its_name() -> None:
    """Ours apart, method, path and name are those of the table."""
    table = {(one.method, shape(one.path)): one.name for one in known_operations()}
    declared = {(one.method, shape(one.path)): one.name for one in OPERATIONS if not one.ours}
    assert declared == {place: table.get(place) for place in declared}


def test_tiers_and_releases_are_those_of_the_table() -> None:
    """What the table marks as paid or newer is declared so."""
    table = {one.name: (one.tier, one.since) for one in known_operations()}
    declared = {one.name: (one.tier, one.lifetime.since) for one in OPERATIONS if not one.ours}
    assert declared == {name: table[name] for name in declared}


def test_every_operation_says_what_it_does() -> None:
    """The first line of the docstring is a sentence."""
    assert [] == [one.name for one in OPERATIONS if not one.title.endswith(".") or one.title == one.name]


VERBS = set(
    "Accept Activate Add Append Apply Approve Archive Award Ban Block Cancel Check Cherry-pick Collect Comment "
    "Compare Confirm Count Create Deactivate Decline Delete Deny Disable Download Draw Enable Execute Fork Get Import "
    "Introspect Keep Link List Lock Mark Merge Move Play Preview Promote Protect Rebase Receive Refuse Register "
    "Remove Render Reorder Replace Reply Report Request Reset Resolve Restore Retry Revert Revoke Search Send Set "
    "Share Show Skip Star Start Stop Subscribe Take Transfer Unarchive Unban Unblock Unprotect Unstar Unsubscribe "
    "Update Upload Validate".split()
)


def test_every_summary_starts_with_an_imperative() -> None:
    """Summaries are public: in OpenAPI, in the coverage table, in the documentation."""
    assert [] == [f"{one.name}: {one.title}" for one in OPERATIONS if one.title.split()[0] not in VERBS]
