"""Every operation is declared with a summary."""

import fakeplat.api  # noqa: F401  # promises the operations
from fakeplat.core.operations.operation import OPERATIONS


def test_every_operation_says_what_it_does() -> None:
    """The first line of each operation's docstring is a sentence."""
    assert [] == [
        operation.name
        for operation in OPERATIONS
        if not operation.title.endswith(".") or operation.title == operation.name
    ]


VERBS = set(
    "Accept Activate Add Append Apply Approve Archive Award Ban Block Cancel Check Cherry-pick Collect Comment "
    "Compare Confirm Count Create Deactivate Decline Delete Deny Disable Download Draw Enable Execute Follow Fork "
    "Get Import Introspect Keep Link List Lock Mark Merge Move Play Preview Promote Protect Publish Reassign Rebase "
    "Receive Refuse Register Remove Render Reorder Replace Reply Report Request Reset Resolve Restore Retry Revert "
    "Revoke Search Send Set Share Show Skip Star Start Stop Subscribe Take Transfer Unarchive Unban Unblock "
    "Unprotect Unstar Unsubscribe Update Upload Validate".split()
)


def test_every_summary_starts_with_an_imperative() -> None:
    """The public summary of each operation starts with a known verb in the imperative."""
    assert [] == [
        f"{operation.name}: {operation.title}" for operation in OPERATIONS if operation.title.split()[0] not in VERBS
    ]
