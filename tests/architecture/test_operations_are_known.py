"""What is declared and the table of known operations say the same."""

import re

import fakeplat.api  # noqa: F401  # promises the operations
from fakeplat.catalog import known_operations
from fakeplat.core.operations.operation import OPERATIONS


def anonymize_parameters(path: str) -> str:
    """A path whose parameters have no names."""
    return re.sub(r"([:*])\w+", r"\1", path)


def test_every_declared_operation_is_in_the_table_under_its_name() -> None:
    """Each declared operation of the platform is in the table with its method, path and name."""
    table = {
        (operation.method, anonymize_parameters(operation.path)): operation.name for operation in known_operations()
    }
    declared = {
        (operation.method, anonymize_parameters(operation.path)): operation.name
        for operation in OPERATIONS
        if not operation.ours
    }
    assert declared == {key: table.get(key) for key in declared}


def test_tiers_and_releases_are_those_of_the_table() -> None:
    """The tier and release of each declared operation are those of the table."""
    table = {operation.name: (operation.tier, operation.since) for operation in known_operations()}
    declared = {
        operation.name: (operation.tier, operation.lifetime.since) for operation in OPERATIONS if not operation.ours
    }
    assert declared == {name: table[name] for name in declared}


def test_every_operation_says_what_it_does() -> None:
    """The first line of each operation's docstring is a sentence."""
    assert [] == [
        operation.name
        for operation in OPERATIONS
        if not operation.title.endswith(".") or operation.title == operation.name
    ]


VERBS = set(
    "Accept Activate Add Append Apply Approve Archive Award Ban Block Cancel Check Cherry-pick Collect Comment "
    "Compare Confirm Count Create Deactivate Decline Delete Deny Disable Download Draw Enable Execute Fork Get Import "
    "Introspect Keep Link List Lock Mark Merge Move Play Preview Promote Protect Rebase Receive Refuse Register "
    "Remove Render Reorder Replace Reply Report Request Reset Resolve Restore Retry Revert Revoke Search Send Set "
    "Share Show Skip Star Start Stop Subscribe Take Transfer Unarchive Unban Unblock Unprotect Unstar Unsubscribe "
    "Update Upload Validate".split()
)


def test_every_summary_starts_with_an_imperative() -> None:
    """The public summary of each operation starts with a known verb in the imperative."""
    assert [] == [
        f"{operation.name}: {operation.title}" for operation in OPERATIONS if operation.title.split()[0] not in VERBS
    ]
