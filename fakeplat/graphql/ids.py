"""Global ids: ``gid://app/Issue/1``; ``app`` is the vendor's name, or neutral if the instance hides vendor names."""

import re
from typing import Final

from graphql import GraphQLError

from fakeplat.core.operations.vendor_names import vendor_name_of
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.graphql.schema_builder import Scalar
from fakeplat.policy.context import ReadContext

# Kinds are Ruby classes, possibly in modules (``A::B``). Ids of discussions are hashes, all others are numbers.
_FORM: Final = re.compile(r"gid://(?P<app>[a-z]+)/(?P<kind>[A-Za-z:]+)/(?P<id>[0-9a-f]+)")
_NEUTRAL: Final = "platform"
_VENDOR: Final = (vendor_name_of("platform_environment_name") or "").partition("_")[0]

for _kind in ("Issue", "Label", "MergeRequest", "Milestone", "Note", "Todo", "User"):
    Scalar(f"{_kind}ID", f"The global ID of a record of the type {_kind}.")
Scalar("AwardableID", "The global ID of an awardable: an issue, a merge request or a note.")
Scalar("DiscussionID", "The global ID of a discussion.")
Scalar("NoteableID", "The global ID of a noteable: an issue or a merge request.")
Scalar("TodoableID", "The global ID of a target of to-dos: an issue or a merge request.", since="13.6")


def global_id(ctx: ReadContext, kind: str, id_: int | str) -> str:
    """Return the global id of a record."""
    return f"gid://{_NEUTRAL if ctx.wire_names == 'neutral' else _VENDOR}/{kind}/{id_}"


def parse_id(ctx: ReadContext, text: str, *kinds: str) -> int:
    """Return the id in a global id of one of these kinds; an error for anything else."""
    _, id_ = parse_global_id(ctx, text, kinds[0], kinds)
    # No record has the id 0, so an id that is not a number finds nothing.
    return parse_number(id_) or 0


def parse_global_id(ctx: ReadContext, text: str, expected: str, kinds: tuple[str, ...]) -> tuple[str, str]:
    """Return the kind and the id in a global id; an error that names ``expected`` for other kinds."""
    match = _FORM.fullmatch(text)
    # Both forms are accepted, whichever of them the instance shows.
    if match is None or match["app"] not in (_NEUTRAL, _VENDOR):
        raise GraphQLError(f"{text} is not a valid {ctx.instance.product_name} ID.")
    if match["kind"] not in kinds:
        raise GraphQLError(f"{text} is not a valid ID for {expected}.")
    return match["kind"], match["id"]
