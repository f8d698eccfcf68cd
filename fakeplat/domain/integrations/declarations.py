"""How integrations are declared: what kinds of them have in common.

Source: docs/platform/integrations.md.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, TypedDict, Unpack

from fakeplat.domain.integrations.rules import Rule, all_of, present, public_urls
from fakeplat.domain.projects.services import Integration, Property, register_integration
from fakeplat.policy.context import WriteContext
from fakeplat.policy.documented import Ruling

CHAT_EVENTS: Final = (
    "push_events",
    "issues_events",
    "confidential_issues_events",
    "merge_requests_events",
    "note_events",
    "confidential_note_events",
    "tag_push_events",
    "pipeline_events",
    "wiki_page_events",
)
BRANCHES: Final = "branches_to_be_notified"
BROKEN: Final = "notify_only_broken_pipelines"
_ONLY_DEFAULT: Final = "notify_only_default_branch"
CHAT_FILTERS: Final = (BRANCHES, BROKEN)
_CHANNELS: Final = (
    "push_channel issue_channel confidential_issue_channel merge_request_channel note_channel tag_push_channel "
    "pipeline_channel wiki_page_channel"
)
CHAT_CHANNELS: Final = (
    "push_channel issue_channel incident_channel alert_channel confidential_issue_channel merge_request_channel "
    "note_channel confidential_note_channel tag_push_channel deployment_channel pipeline_channel wiki_page_channel"
)
_IN_THE_API_OF_16: Final = "<=17.0"
_LATER_CHANNELS: Final = ("incident_channel", "alert_channel", "confidential_note_channel", "deployment_channel")
_LABELS: Final = ("labels_to_be_notified", "labels_to_be_notified_behavior")
LABELS: Final = tuple(Property(name) for name in _LABELS)
"""The filter of issues and merge requests by their labels."""
_NO_FLAGS: Final[Mapping[str, str]] = {}
_TRACKER: Final = "project_url issues_url new_issue_url"
PUSH_ONLY: Final = ("push_events",)
BUILD_EVENTS: Final = ("push_events", "merge_requests_events", "tag_push_events")
NEW_CHAT: Final = {BROKEN: True, BRANCHES: "default"}


class ChatOptions(TypedDict, total=False):
    """What the declarations of chats may say besides what all chats have in common."""

    further_events: tuple[str, ...]
    tier: str
    since: str
    until: str


class IntegrationOptions(ChatOptions, total=False):
    """What the declarations of integrations may say; `Integration` has the meanings and the defaults."""

    flags: tuple[str, ...]
    merge_properties: Callable[[WriteContext, Mapping[str, Any], Mapping[str, Any]], dict[str, Any]]
    strict_flags: frozenset[str]
    secrets: tuple[str, ...]
    shows_unset: bool
    defaults: Mapping[str, Any]
    explain_error: Rule
    later_flags: Mapping[str, str]
    is_for_projects_only: bool
    is_hosted_only: bool
    is_retired: bool
    is_installed_elsewhere: bool
    needs_setting: str


def build_properties(required: str, optional: str = "", **kinds: object) -> tuple[Property, ...]:
    """Return texts by their names, in the order of the platform; ``kinds`` are those that are no texts."""
    needed = tuple(Property(name, required=True) for name in required.split())
    return (*needed, *(Property(name, kinds.get(name, str)) for name in (*optional.split(), *kinds)))


def declare(
    slug: str, title: str, properties: tuple[Property, ...], fields: str, **rest: Unpack[IntegrationOptions]
) -> Integration:
    """Declare an integration. ``fields`` are the names of the properties in responses, in their order."""
    return register_integration(Integration(slug, title, properties, fields=tuple(fields.split()), **rest))


def declare_simple(
    slug: str,
    title: str,
    required: str,
    fields: str,
    *,
    optional: str = "",
    needs: Rule | None = None,
    **rest: Unpack[IntegrationOptions],
) -> None:
    """Declare an integration whose secrets are the texts that responses do not contain; by default all are needed."""
    properties = build_properties(required, optional)
    secrets = tuple(prop.name for prop in properties if prop.name not in fields.split())
    options: IntegrationOptions = {
        "flags": PUSH_ONLY,
        "secrets": secrets,
        "explain_error": needs or present(*required.split()),
    }
    options |= rest
    declare(slug, title, properties, fields, **options)


def declare_chat(
    slug: str,
    title: str,
    *further: Property,
    own: tuple[str, ...] = (),
    fields: str = f"webhook {BROKEN} {BRANCHES}",
    is_strict: bool = False,
    further_flags: tuple[str, ...] = (),
    later_flags: Mapping[str, str] = _NO_FLAGS,
    **rest: Unpack[ChatOptions],
) -> None:
    """Declare a chat. ``own`` are the filters that the platform really has as parameters (ruling 43)."""
    declare(
        slug,
        title,
        (
            Property("webhook", required=True),
            Property(BROKEN, bool),
            Property(BRANCHES),
            Property(_ONLY_DEFAULT, bool, transient=True),
            *further,
        ),
        fields,
        flags=(*CHAT_EVENTS, *further_flags),
        later_flags=later_flags,
        strict_flags=frozenset(CHAT_EVENTS) if is_strict else frozenset(),
        defaults={"properties": NEW_CHAT},
        merge_properties=partial(_merge_filters, own),
        explain_error=all_of(present("webhook"), public_urls("webhook")),
        **rest,
    )


def _merge_filters(
    own: tuple[str, ...], ctx: WriteContext, before: Mapping[str, object], sent: Mapping[str, object]
) -> dict[str, Any]:
    """Read the deprecated switch for the default branch as a choice of branches, unless they are chosen, too."""
    ignored: tuple[str, ...] = ()
    if not Ruling.CHATS_SHARE_PARAMETERS.holds(ctx.world):
        ignored = tuple(name for name in (BROKEN, BRANCHES, _ONLY_DEFAULT) if name not in own)
    taken = {name: value for name, value in sent.items() if name not in ignored}
    only_default = taken.get(_ONLY_DEFAULT)
    branches = {} if only_default is None else {BRANCHES: "default" if only_default else "all"}
    return {**before, **branches, **taken}


def declare_slack(
    slug: str, title: str, *, in_the_api_of_16: tuple[str, ...] = ("incident_events",), **rest: Unpack[ChatOptions]
) -> None:
    """Declare a chat with channels, into which messages of each kind go."""
    declare_chat(
        slug,
        title,
        *build_properties("", f"username channel {_CHANNELS}"),
        *(Property(name, since=_IN_THE_API_OF_16) for name in (*_LATER_CHANNELS, *_LABELS)),
        own=CHAT_FILTERS,
        fields=f"webhook username {BROKEN} {BRANCHES} {' '.join(_LABELS)} push_channel issue_channel "
        "confidential_issue_channel merge_request_channel note_channel confidential_note_channel tag_push_channel "
        "pipeline_channel wiki_page_channel deployment_channel incident_channel alert_channel",
        is_strict=True,
        further_flags=("deployment_events",),
        later_flags=dict.fromkeys(in_the_api_of_16, _IN_THE_API_OF_16),
        **rest,
    )


def declare_tracker(slug: str, title: str, required: str, fields: str = _TRACKER, *, since: str = "") -> None:
    """Declare a tracker. It also takes a title and a description, which have no effect."""
    texts = (Property(name, transient=True) for name in ("description", "title"))
    declare(
        slug,
        title,
        (*build_properties(required), *texts),
        fields,
        flags=PUSH_ONLY,
        shows_unset=True,
        explain_error=all_of(present(*fields.split()), public_urls(*fields.split())),
        since=since,
    )
