"""Global ids: ``gid://app/Issue/1``. The app's name is the vendor's, unless the instance shows neutral names only."""

import re
from typing import Final

from graphql import GraphQLError

from fakeplat.core.operations.vendor_names import vendor_name_of
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.graphql.schema_builder import Scalar
from fakeplat.policy.context import ReadContext

_FORM: Final = re.compile(r"gid://(?P<app>[a-z]+)/(?P<kind>[A-Za-z:]+)/(?P<id>[0-9a-f]+)")
_NEUTRAL: Final = "platform"
_VENDOR: Final = (vendor_name_of("platform_environment_name") or "").partition("_")[0]

for _kind in ("Issue", "Label", "MergeRequest", "Milestone", "Note", "Todo", "User"):
    Scalar(f"{_kind}ID", f"The global id of a record of the kind {_kind}.")
Scalar("AwardableID", "The global id of what takes emoji: an issue, a merge request or a note.")
Scalar("DiscussionID", "The global id of a discussion.")
Scalar("NoteableID", "The global id of what can be noted: an issue or a merge request.")
Scalar("TodoableID", "The global id of what can be a to-do: an issue or a merge request.")


def global_id(ctx: ReadContext, kind: str, id_: int | str) -> str:
    """The global id of a record."""
    return f"gid://{_NEUTRAL if ctx.wire_names == 'neutral' else _VENDOR}/{kind}/{id_}"


def id_of(ctx: ReadContext, text: str, *kinds: str) -> int:
    """The id in a global id of one of these kinds; an error for anything else."""
    _, id_ = parse_global_id(ctx, text, kinds[0], kinds)
    return number_of(id_) or 0


def parse_global_id(ctx: ReadContext, text: str, wanted: str, kinds: tuple[str, ...]) -> tuple[str, str]:
    """The kind, one of some, and the id in a global id; an error that says what was wanted for anything else."""
    found = _FORM.fullmatch(text)
    if found is None or found["app"] not in (_NEUTRAL, _VENDOR):
        raise GraphQLError(f"{text} is not a valid {ctx.instance.product_name} ID.")
    if found["kind"] not in kinds:
        raise GraphQLError(f"{text} is not a valid ID for {wanted}.")
    return found["kind"], found["id"]
