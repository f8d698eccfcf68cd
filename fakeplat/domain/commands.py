"""All quick actions: importing this declares them, and how they come into effect."""

from fakeplat.domain import (  # noqa: F401
    issue_commands,
    issue_effects,
    merge_request_commands,
    merge_request_effects,
    noteable_commands,
    planning_commands,
)
