"""Global ids: ``gid://app/Issue/1``; ``app`` is the vendor's name, or neutral if the instance hides vendor names."""

import json
import re
from collections.abc import Mapping
from typing import Final

from graphql import GraphQLError

from fakeplat.core.operations.vendor_names import vendor_name_of
from fakeplat.core.store.indexes import HasId
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.graphql.schema_builder import Scalar, Type
from fakeplat.model.instance import Instance
from fakeplat.policy.context import ReadContext

# Kinds are Ruby classes, possibly in modules (``A::B``). Ids of discussions are hashes, those of
# stages have two numbers, all others are numbers.
_FORM: Final = re.compile(r"gid://(?P<app>[a-z]+)/(?P<kind>[A-Za-z:]+)/(?P<id>[0-9a-f-]+)")
# What the library takes for a global id at all.
_ANY_FORM: Final = re.compile(r"gid://(?P<app>[^/]+)/(?P<kind>[A-Z][A-Za-z0-9:]*)/(?P<id>[^/?#]+)")
_NEUTRAL: Final = "platform"
_VENDOR: Final = (vendor_name_of("platform_environment_name") or "").partition("_")[0]

for _kind in ("Issue", "Label", "MergeRequest", "Milestone", "Note", "Todo", "User"):
    Scalar(f"{_kind}ID", f"The global ID of a record of the type {_kind}.")
Scalar("AwardableID", "The global ID of an awardable: an issue, a merge request or a note.")
Scalar("DiscussionID", "The global ID of a discussion.")
Scalar("NoteableID", "The global ID of a noteable: an issue or a merge request.")
Scalar("TodoableID", "The global ID of a target of to-dos: an issue or a merge request.", since="13.6")

LABEL_KINDS: Final = ("Label", "ProjectLabel", "GroupLabel")
_NOTES: Final = ("Note", "DiscussionNote", "DiffNote", "LegacyDiffNote")
_NOTEABLES: Final = ("Issue", "MergeRequest", "WorkItem", "Epic", "Snippet", "PersonalSnippet", "ProjectSnippet")
_MODELS: Final[Mapping[str, tuple[str, ...]]] = {
    "ApprovalProjectRuleID": ("ApprovalProjectRule",),
    "AwardableID": (*_NOTEABLES, *_NOTES),
    "BoardID": ("Board",),
    "CiPipelineID": ("Ci::Pipeline",),
    "CiRunnerID": ("Ci::Runner",),
    "DiscussionID": (
        "Discussion",
        "IndividualNoteDiscussion",
        "DiffDiscussion",
        "LegacyDiffDiscussion",
        "OutOfContextDiscussion",
    ),
    "GroupHookID": ("GroupHook",),
    "GroupID": ("Group",),
    "IssueID": ("Issue", "WorkItem"),
    "LabelID": LABEL_KINDS,
    "MemberRoleID": ("MemberRole",),
    "MergeRequestID": ("MergeRequest",),
    "MergeRequestsExternalStatusCheckID": ("MergeRequests::ExternalStatusCheck",),
    "MilestoneID": ("Milestone",),
    "NoteID": _NOTES,
    "NoteableID": (
        *_NOTEABLES,
        "WikiPage::Meta",
        "DesignManagement::Design",
        "AlertManagement::Alert",
        "Commit",
        "Vulnerability",
    ),
    "PersonalAccessTokenID": ("PersonalAccessToken",),
    "ProjectHookID": ("ProjectHook",),
    "ProjectID": ("Project",),
    "TodoID": ("Todo",),
    "UserID": ("User",),
    "WebHookLogID": ("WebHookLog",),
    "WorkItemID": ("WorkItem", "Issue"),
}
"""The kinds of records that a scalar accepts; other scalars accept any."""

_MODEL_NAMES: Final[Mapping[str, str]] = {
    "CiPipelineID": "Ci::Pipeline",
    "CiRunnerID": "Ci::Runner",
    "MergeRequestsExternalStatusCheckID": "MergeRequests::ExternalStatusCheck",
}
"""The names of models whose scalars are not called like them."""


def read_global_id(scalar: str, value: object) -> str:
    """Return the text of a global id that a scalar accepts; ValueError with the platform's message for another value.

    Whether there is such a record is up to the resolver.
    """
    shown = json.dumps(value, ensure_ascii=False)
    match = _ANY_FORM.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"{shown} is not a valid Global ID")
    if match["app"] not in (_NEUTRAL, _VENDOR):
        raise ValueError(f"{shown} is not a {Instance().product_name} Global ID")
    models = _MODELS.get(scalar)
    if models is not None and match["kind"] not in models:
        raise ValueError(f"{shown} does not represent an instance of {_MODEL_NAMES.get(scalar, scalar[:-2])}")
    return match[0]


def global_id(ctx: ReadContext, kind: str, id_: int | str) -> str:
    """Return the global id of a record."""
    return f"gid://{_NEUTRAL if ctx.wire_names == 'neutral' else _VENDOR}/{kind}/{id_}"


def declare_id(type_: Type, kind: str, description: str = "The global ID.") -> None:
    """Declare the field ``id`` of a type, and its scalar, which is called like the kind of the records."""
    scalar = f"{kind.replace('::', '')}ID"
    Scalar(scalar, f"The global ID of a record of the type {kind}.", since=type_.since)

    def id_of(ctx: ReadContext, record: HasId) -> str:
        return global_id(ctx, kind, record.id)

    type_.field(f"id: {scalar}!", description=description)(id_of)


def parse_id(ctx: ReadContext, text: str, *kinds: str) -> int:
    """Return the id in a global id of one of these kinds; an error for anything else."""
    _, id_ = parse_global_id(ctx, text, kinds[0], kinds)
    # No record has the id 0, so an id that is not a number finds nothing.
    return parse_number(id_) or 0


def parse_number_or_id(ctx: ReadContext, text: str, *kinds: str) -> int:
    """Return the id in a global id of one of these kinds, or that which is given as a number."""
    number = parse_number(text)
    return parse_id(ctx, text, *kinds) if number is None else number


def parse_global_id(ctx: ReadContext, text: str, expected: str, kinds: tuple[str, ...]) -> tuple[str, str]:
    """Return the kind and the id in a global id; an error that names ``expected`` for other kinds."""
    match = _FORM.fullmatch(text)
    # Both forms are accepted, whichever of them the instance shows.
    if match is None or match["app"] not in (_NEUTRAL, _VENDOR):
        raise GraphQLError(f"{text} is not a valid {ctx.instance.product_name} ID.")
    if match["kind"] not in kinds:
        raise GraphQLError(f"{text} is not a valid ID for {expected}.")
    return match["kind"], match["id"]
