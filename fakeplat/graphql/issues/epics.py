"""Epics and the issues in them. Source: docs/platform/graphql.md, docs/platform/epics.md."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, TypedDict, Unpack

from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.epics import epic_access, epic_issues, epic_tree, epics, related_epics
from fakeplat.domain.epics.epics import EpicFilter
from fakeplat.domain.markup import markup
from fakeplat.domain.notes import awards, discussions, noteables, notes, participants, subscriptions
from fakeplat.domain.notes.discussions import Discussion
from fakeplat.domain.planning import colors
from fakeplat.entities.epics import EpicView
from fakeplat.graphql.ids import global_id
from fakeplat.graphql.issues.issuables import ISSUE
from fakeplat.graphql.issues.work_item_lists import is_within, sort_items
from fakeplat.graphql.issues.work_item_widgets import award_emoji, current_user_todos
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.planning.milestones import read_days
from fakeplat.graphql.schema_builder import Enumeration, Input, Scalar, Type
from fakeplat.model.epics import Epic, EpicIssue
from fakeplat.model.issues import Award, Issue
from fakeplat.model.notes import Note, Todo
from fakeplat.model.people import Group, User
from fakeplat.model.planning import Label
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

Scalar("EpicID", "The global ID of an epic.", since="<=13.6")
_STATES: Final = {"opened": ("opened", "It is open."), "closed": ("closed", "It is closed.")}
Enumeration("EpicState", "The state of an epic.", {**_STATES, "all": ("all", "Any state.")})
_FIRST_SORTS: Final = {
    f"{name}_{direction}": ((column, direction), f"By {words}.")
    for name, column, words in (("start_date", "start_date", "start date"), ("end_date", "due_date", "due date"))
    for direction in ("asc", "desc")
}
_SORTS: Final = {
    f"{name}_{direction}": ((column, direction.lower()), f"By {words}.", Lifetime(since=since))
    for name, column, words, since in (
        ("START_DATE", "start_date", "start date", "<=14.0"),
        ("END_DATE", "due_date", "due date", "<=14.0"),
        ("TITLE", "title", "title", "<=14.1"),
        ("CREATED_AT", "created_at", "creation", "<=14.9"),
        ("UPDATED_AT", "updated_at", "the last update", "<=14.9"),
    )
    for direction in ("ASC", "DESC")
}
Enumeration("EpicSort", "The order of epics.", {**_FIRST_SORTS, **_SORTS})
Input(
    "NegatedEpicFilterInput",
    "What the epics must not have.",
    '''
"""The username of the author."""
authorUsername: String
"""The names of labels."""
labelName: [String]
"""The reaction of the caller."""
myReactionEmoji: String
''',
    since="<=14.0",
)
Input(
    "UnionedEpicFilterInput",
    "Filters of which the epics pass those that are given, each with at least one of its values.",
    '''
"""The names of labels."""
labelName: [String!]
"""The usernames of authors."""
authorUsernames: [String!] @lifetime(since: "<=16.9")
"""The names of labels."""
labelNames: [String!] @lifetime(since: "<=16.9")
''',
    since="<=16.2",
)
EPIC = Type(
    "Epic",
    "An epic.",
    gid="Epic",
    has_count=True,
    count_since="<=18.5",
    implements=("CurrentUserTodos", "Eventable", "Noteable", "NoteableInterface", "Todoable"),
)
EPIC.attributes(
    {
        "iid: ID!": "The number within the group.",
        "title: String": "The title.",
        "description: String": "The description in Markdown.",
        "state: EpicState!": "The state.",
        "confidential: Boolean": "Whether it is confidential.",
        "createdAt: Time": "Timestamp of creation.",
        "updatedAt: Time": "Timestamp of the last update.",
        "closedAt: Time": "Timestamp of closing.",
        "relativePosition: Int": "The position among the epics below its parent.",
        "startDateFixed: Time": "The first day that was set.",
        "startDateIsFixed: Boolean": "Whether the first day is the one that was set.",
        "dueDateFixed: Time": "The last day that was set.",
        "dueDateIsFixed: Boolean": "Whether the last day is the one that was set.",
    }
)
EPIC.attributes({"color: String": "The color."}, since="<=15.8")


@frozen
class IssueOfEpic:
    """An issue in an epic, and its link."""

    link: EpicIssue
    issue: Issue

    @property
    def id(self) -> int:
        """The id of the issue."""
        return self.issue.id


def _issue_of(row: IssueOfEpic) -> Issue:
    return row.issue


EPIC_ISSUE = Type("EpicIssue", "An issue in an epic.", gid="Issue", has_count=True, base=ISSUE, to_base=_issue_of)


@EPIC_ISSUE.field("epicIssueId: ID!")
def epic_issue_id(ctx: ReadContext, row: IssueOfEpic) -> str:
    """The global ID of the link."""
    return global_id(ctx, "EpicIssue", row.link.id)


@EPIC_ISSUE.field("relationPath: String")
def relation_path(ctx: ReadContext, row: IssueOfEpic) -> str:
    """The path of the link."""
    return f"{web_path(ctx, ctx.world.epics[row.link.epic_id])}/issues/{row.link.id}"


@EPIC.field("author: User!")
def author(ctx: ReadContext, epic: Epic) -> User | None:
    """The author."""
    return ctx.world.users.get(epic.author_id)


@EPIC.field("group: Group!")
def group_of(ctx: ReadContext, epic: Epic) -> Group:
    """The group."""
    return epic_access.group_of(ctx.world, epic)


@EPIC.field("parent: Epic")
def parent(ctx: ReadContext, epic: Epic) -> Epic | None:
    """The epic above, if the caller can see it."""
    above = ctx.world.epics.get(epic.parent_id) if epic.parent_id is not None else None
    return above if above is not None and epic_access.is_visible(ctx, above) else None


@EPIC.field("ancestors: EpicConnection", since="<=14.1")
def ancestors(ctx: ReadContext, epic: Epic) -> Sequence[Epic]:
    """The epics above, the highest first."""
    above: list[Epic] = []
    current = parent(ctx, epic)
    while current is not None:
        above.insert(0, current)
        current = parent(ctx, current)
    return above


@EPIC.field("hasParent: Boolean!")
def has_parent(_ctx: ReadContext, epic: Epic) -> bool:
    """Whether there is an epic above."""
    return epic.parent_id is not None


@EPIC.field("hasChildren: Boolean!")
def has_children(ctx: ReadContext, epic: Epic) -> bool:
    """Whether there are epics below."""
    return bool(epic_tree.list_children(ctx.world, epic))


@EPIC.field("hasIssues: Boolean!")
def has_issues(ctx: ReadContext, epic: Epic) -> bool:
    """Whether there are issues in it."""
    return bool(epic_issues.list_links(ctx.world, epic))


@EPIC.field("issues: EpicIssueConnection")
def issues_of(ctx: ReadContext, epic: Epic) -> Sequence[IssueOfEpic]:
    """The issues in it that the caller can see, by position."""
    return [IssueOfEpic(link, ctx.world.issues[link.issue_id]) for link in epic_issues.list_visible_links(ctx, epic)]


@EPIC.field("labels: LabelConnection")
def labels_of(ctx: ReadContext, epic: Epic) -> Sequence[Label]:
    """The labels, sorted by title."""
    return sorted((ctx.world.labels[id_] for id_ in epic.label_ids), key=lambda label: (label.title, label.id))


@EPIC.field("titleHtml: String", since="<=14.0")
def title_html(ctx: ReadContext, epic: Epic) -> str:
    """The title rendered as HTML."""
    return markup.render_line(ctx, epic.title, None)


@EPIC.field("descriptionHtml: String", since="<=14.0")
def description_html(ctx: ReadContext, epic: Epic) -> str:
    """The description rendered as HTML."""
    return markup.render_html(ctx, epic.description, None)


@EPIC.field("textColor: String", since="<=15.8")
def text_color(_ctx: ReadContext, epic: Epic) -> str:
    """The color of a legible text."""
    return colors.text_color(epic.color)


@EPIC.field("startDate: Time")
def start_date(ctx: ReadContext, epic: Epic) -> str | None:
    """The first day."""
    day: str | None = EpicView(epic, ctx).start_date()
    return day


@EPIC.field("dueDate: Time")
def due_date(ctx: ReadContext, epic: Epic) -> str | None:
    """The last day."""
    day: str | None = EpicView(epic, ctx).due_date()
    return day


@EPIC.field("startDateFromMilestones: Time")
@EPIC.field("startDateFromInheritedSource: Time", since="<=14.9")
def inherited_start(ctx: ReadContext, epic: Epic) -> str | None:
    """The first day of the milestones of its issues."""
    return epic_issues.start_date_of_milestones(ctx.world, epic)


@EPIC.field("dueDateFromMilestones: Time")
@EPIC.field("dueDateFromInheritedSource: Time", since="<=14.9")
def inherited_due(ctx: ReadContext, epic: Epic) -> str | None:
    """The last day of the milestones of its issues."""
    return epic_issues.due_date_of_milestones(ctx.world, epic)


@EPIC.field("name: String", since="<=18.5")
def name(_ctx: ReadContext, epic: Epic) -> str:
    """The title, as the name of a target of to-dos."""
    return epic.title


@EPIC.field("webUrl: String!")
def web_url(ctx: ReadContext, epic: Epic) -> str:
    """The URL of the page."""
    return str(EpicView(epic, ctx).web_url())


@EPIC.field("webPath: String!")
def web_path(ctx: ReadContext, epic: Epic) -> str:
    """The path of the page."""
    return web_url(ctx, epic).removeprefix(ctx.origin)


@EPIC.field("relationPath: String")
def relation_path_of_child(ctx: ReadContext, epic: Epic) -> str | None:
    """The path of the link to the epic above; null without one."""
    above = parent(ctx, epic)
    return None if above is None else f"{web_path(ctx, above)}/links/{epic.id}"


@EPIC.field("reference(full: Boolean = false): String!")
def reference(ctx: ReadContext, epic: Epic, full: bool | None = False) -> str:
    """The reference, as used in texts."""
    return epic_access.format_reference(ctx.world, epic) if full else f"&{epic.iid}"


@EPIC.field("upvotes: Int!")
def upvotes(ctx: ReadContext, epic: Epic) -> int:
    """Number of upvotes."""
    return awards.count_awards(ctx.world, noteables.subject_of(epic), "thumbsup")


@EPIC.field("downvotes: Int!")
def downvotes(ctx: ReadContext, epic: Epic) -> int:
    """Number of downvotes."""
    return awards.count_awards(ctx.world, noteables.subject_of(epic), "thumbsdown")


@EPIC.field("userNotesCount: Int!", since="<=13.6")
def user_notes_count(ctx: ReadContext, epic: Epic) -> int:
    """Number of comments."""
    return notes.count_comments(ctx, noteables.subject_of(epic))


@EPIC.field("userDiscussionsCount: Int!", since="<=13.6")
def user_discussions_count(ctx: ReadContext, epic: Epic) -> int:
    """Number of discussions of the comments."""
    return len({note.discussion_id for note in ctx.world.notes.where("comments", noteables.subject_of(epic))})


@EPIC.field("subscribed: Boolean!")
def is_subscribed(ctx: ReadContext, epic: Epic) -> bool:
    """Whether the caller is subscribed."""
    return subscriptions.is_notified(ctx.world, epic, ctx.viewer)


@EPIC.field("participants: UserConnection")
def participants_of(ctx: ReadContext, epic: Epic) -> Sequence[User]:
    """The participants: author, commenters and mentioned users."""
    return participants.list_participants(ctx, epic)


@EPIC.field("notes: NoteConnection!")
def notes_of(ctx: ReadContext, epic: Epic) -> Sequence[Note]:
    """The notes, oldest first."""
    return notes.list_visible_notes(ctx, epic)


@EPIC.field("discussions: DiscussionConnection!")
def discussions_of(ctx: ReadContext, epic: Epic) -> Sequence[Discussion]:
    """The discussions, oldest first."""
    return discussions.list_discussions(ctx, epic)


@EPIC.field("awardEmoji: AwardEmojiConnection", since="<=13.10")
def awards_of(ctx: ReadContext, epic: Epic) -> Sequence[Award]:
    """The reactions, oldest first."""
    return award_emoji(ctx, epic)


@EPIC.field("currentUserTodos(state: TodoStateEnum): TodoConnection!")
def todos_of(ctx: ReadContext, epic: Epic, state: str | None = None) -> Sequence[Todo]:
    """The caller's to-dos about it, newest first."""
    return current_user_todos(ctx, epic, state)


@EPIC.field("blockedByEpics: EpicConnection", since="<=15.8")
def blocked_by_epics(ctx: ReadContext, epic: Epic) -> Sequence[Epic]:
    """The visible epics that block it."""
    return [other for other in related_epics.list_related(ctx, epic) if _blocks(ctx, other, epic)]


def _blocks(ctx: ReadContext, blocker: Epic, blocked: Epic) -> bool:
    link = related_epics.find_link_between(ctx.world, blocker.id, blocked.id)
    return link is not None and link.link_type == "blocks" and link.source_id == blocker.id


@EPIC.field("blockedByCount: Int", since="<=15.8")
def blocked_by_count(ctx: ReadContext, epic: Epic) -> int:
    """Number of open epics that block it."""
    return sum(other.state == "opened" for other in blocked_by_epics(ctx, epic))


@EPIC.field("blocked: Boolean", since="<=15.8")
def is_blocked(ctx: ReadContext, epic: Epic) -> bool:
    """Whether an open epic blocks it."""
    return blocked_by_count(ctx, epic) > 0


@EPIC.field("blockingCount: Int", since="<=15.8")
def blocking_count(ctx: ReadContext, epic: Epic) -> int:
    """Number of epics that it blocks."""
    return sum(_blocks(ctx, epic, other) for other in related_epics.list_related(ctx, epic))


# What is below an epic


@frozen
class Below:
    """All epics and issues below an epic."""

    epics: Sequence[Epic]
    issues: Sequence[Issue]


def _collect_below(ctx: ReadContext, epic: Epic) -> Below:
    found, waiting = [], [epic]
    issues: list[Issue] = []
    while waiting:
        current = waiting.pop()
        issues += [ctx.world.issues[link.issue_id] for link in epic_issues.list_links(ctx.world, current)]
        children = epic_tree.list_children(ctx.world, current)
        found += children
        waiting += children
    return Below(found, issues)


COUNTS: Final = Type("EpicDescendantCount", "How many epics and issues are below an epic.")
WEIGHTS: Final = Type("EpicDescendantWeights", "The weights of the issues below an epic.")
HEALTH: Final = Type("EpicHealthStatus", "How many open issues below an epic are of each health status.")
COUNTS.attributes(
    {
        "openedEpics: Int": "Open epics.",
        "closedEpics: Int": "Closed epics.",
        "openedIssues: Int": "Open issues.",
        "closedIssues: Int": "Closed issues.",
    }
)
WEIGHTS.attributes({"openedIssues: Int": "Of open issues.", "closedIssues: Int": "Of closed issues."})
WEIGHTS.attributes(
    {"openedIssuesTotal: BigInt": "Of open issues.", "closedIssuesTotal: BigInt": "Of closed issues."}, since="<=16.9"
)
HEALTH.attributes(
    {
        "issuesOnTrack: Int": "On track.",
        "issuesNeedingAttention: Int": "In need of attention.",
        "issuesAtRisk: Int": "At risk of being late.",
    }
)


@EPIC.field("descendantCounts: EpicDescendantCount")
def descendant_counts(ctx: ReadContext, epic: Epic) -> dict[str, int]:
    """How many epics and issues are below it."""
    below = _collect_below(ctx, epic)
    of_epics, of_issues = (Counter(row.state for row in rows) for rows in (below.epics, below.issues))
    return {
        "opened_epics": of_epics["opened"],
        "closed_epics": of_epics["closed"],
        "opened_issues": of_issues["opened"],
        "closed_issues": of_issues["closed"],
    }


@EPIC.field("descendantWeightSum: EpicDescendantWeights")
def descendant_weights(ctx: ReadContext, epic: Epic) -> dict[str, int]:
    """The weights of the issues below it."""
    weights: Counter[str] = Counter()
    for issue in _collect_below(ctx, epic).issues:
        weights[f"{issue.state}_issues"] += issue.weight or 0
    sums = {name: weights[name] for name in ("opened_issues", "closed_issues")}
    return {**sums, **{f"{name}_total": value for name, value in sums.items()}}


@EPIC.field("healthStatus: EpicHealthStatus")
def health_status(ctx: ReadContext, epic: Epic) -> dict[str, int]:
    """How many open issues below it are of each health status."""
    found = Counter(issue.health_status for issue in _collect_below(ctx, epic).issues if issue.state == "opened")
    return {
        "issues_on_track": found["on_track"],
        "issues_needing_attention": found["needs_attention"],
        "issues_at_risk": found["at_risk"],
    }


# Permissions

PERMISSIONS: Final = Type("EpicPermissions", "What the caller may do with an epic.")


@EPIC.field("userPermissions: EpicPermissions!")
def user_permissions(_ctx: ReadContext, epic: Epic) -> Epic:
    """What the caller may do."""
    return epic


def _permit(names: Sequence[str], ability: Ability) -> None:
    def may(ctx: ReadContext, epic: Epic) -> bool:
        return epic_access.decide_on(ctx, epic, ability).allowed

    for name in names:
        PERMISSIONS.field(f"{name}: Boolean!", description=f"Whether the caller has {ability.value} on the epic.")(may)


_permit(("readEpic", "readEpicIid"), Ability.READ_EPIC)
_permit(("adminEpic", "createEpic", "updateEpic"), Ability.ADMIN_EPIC)
_permit(("destroyEpic",), Ability.DESTROY_EPIC)
_permit(("createNote", "awardEmoji"), Ability.CREATE_NOTE)


# Lists

_LISTED: Final = """iid: ID, iids: [ID!], state: EpicState, search: String, sort: EpicSort, authorUsername: String,
    labelName: [String!], milestoneTitle: String, iidStartsWith: String, includeDescendantGroups: Boolean = true,
    confidential: Boolean, myReactionEmoji: String, not: NegatedEpicFilterInput @lifetime(since: "<=14.0"),
    timeframe: Timeframe @lifetime(since: "<=14.3")"""
_OF_GROUP: Final = f"""{_LISTED}, createdAfter: Time @lifetime(since: "<=14.9"),
    createdBefore: Time @lifetime(since: "<=14.9"), updatedAfter: Time @lifetime(since: "<=14.9"),
    updatedBefore: Time @lifetime(since: "<=14.9"), in: [IssuableSearchableField!] @lifetime(since: "<=14.3"),
    includeAncestorGroups: Boolean = false @lifetime(since: "<=14.3"),
    or: UnionedEpicFilterInput @lifetime(since: "<=16.2"),
    topLevelHierarchyOnly: Boolean @lifetime(since: "<=15.8")"""
_FRAME: Final = """startDate: Time @lifetime(since: "<=14.3", until: "<=18.2"),
    endDate: Time @lifetime(since: "<=14.3", until: "<=18.2")"""
_Words = TypedDict(
    "_Words", {"in": list[str] | None, "not": dict[str, Any] | None, "or": dict[str, Any] | None}, total=False
)


class EpicFilters(_Words, total=False):
    """The arguments of lists of epics."""

    iid: str | None
    iids: list[str] | None
    state: str | None
    search: str | None
    sort: tuple[str, str] | None
    author_username: str | None
    label_name: list[str] | None
    milestone_title: str | None
    iid_starts_with: str | None
    include_descendant_groups: bool | None
    include_ancestor_groups: bool | None
    confidential: bool | None
    my_reaction_emoji: str | None
    timeframe: dict[str, str] | None
    start_date: str | None
    end_date: str | None
    created_after: str | None
    created_before: str | None
    updated_after: str | None
    updated_before: str | None
    top_level_hierarchy_only: bool | None


_CRITERIA: Final = (
    *("state", "search", "author_username", "confidential", "my_reaction_emoji", "include_descendant_groups"),
    *("include_ancestor_groups", "created_after", "created_before", "updated_after", "updated_before"),
)


@GROUP.field(f"epics({_OF_GROUP}, {_FRAME}): EpicConnection")
def epics_of(ctx: ReadContext, group: Group, **filters: Unpack[EpicFilters]) -> Sequence[Epic]:
    """The epics of the group and of the groups below it."""
    if not has_feature(ctx.world, "premium", group):
        return ()
    given: dict[str, Any] = {name: value for name, value in filters.items() if value is not None}
    days = read_days(given.pop("start_date", None), given.pop("end_date", None))
    if days is not None:
        given["timeframe"] = {"start": days[0], "end": days[1]}
    criteria = EpicFilter(**_to_criteria({name: given[name] for name in _CRITERIA if name in given}, given))
    negated = {name: value for name, value in given.get("not", {}).items() if value is not None}
    names = {name: value for name, value in negated.items() if name == "author_username"}
    excluded = EpicFilter(**_to_criteria(names, negated)) if names or "label_name" in negated else None
    found = [
        epic
        for epic in epics.list_epics(ctx, group, criteria, excluded)
        if _passes(ctx, epic, given) and not _has_reaction(ctx, epic, negated.get("my_reaction_emoji"))
    ]
    column, direction = given.get("sort", ("id", "desc"))
    return sort_items(ctx, found, column, descending=direction == "desc")


def _to_criteria(criteria: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    return {**criteria, "labels": tuple(given.get("label_name") or ())}


def _has_reaction(ctx: ReadContext, epic: Epic, emoji: str | None) -> bool:
    given = awards.list_awards(ctx, noteables.subject_of(epic)) if emoji is not None else ()
    return any(award.name == emoji and ctx.viewer is not None and award.user_id == ctx.viewer.id for award in given)


def _passes(ctx: ReadContext, epic: Epic, given: dict[str, Any]) -> bool:
    """Return whether an epic passes the filters that REST does not have."""
    numbers = [*given.get("iids", ()), *([given["iid"]] if "iid" in given else ())]
    titles = {ctx.world.labels[id_].title for id_ in epic.label_ids}
    union = given.get("or", {})
    wanted = union.get("label_names") or union.get("label_name")
    authors = union.get("author_usernames")
    return (
        (not numbers or str(epic.iid) in numbers)
        and str(epic.iid).startswith(given.get("iid_starts_with", ""))
        and not ("top_level_hierarchy_only" in given and given["top_level_hierarchy_only"] and epic.parent_id)
        and ("timeframe" not in given or is_within(ctx, epic, given["timeframe"]))
        and ("milestone_title" not in given or _has_milestone(ctx, epic, given["milestone_title"]))
        and (not wanted or not titles.isdisjoint(wanted))
        and (not authors or ctx.world.users[epic.author_id].username in authors)
        and (given.get("in") is None or "search" not in given or _has_text(epic, given["search"], given["in"]))
    )


def _has_milestone(ctx: ReadContext, epic: Epic, title: str) -> bool:
    ids = [ctx.world.issues[link.issue_id].milestone_id for link in epic_issues.list_links(ctx.world, epic)]
    return title in [ctx.world.milestones[id_].title for id_ in ids if id_ is not None]


def _has_text(epic: Epic, text: str, places: Sequence[str]) -> bool:
    return any(text.lower() in (getattr(epic, place) or "").lower() for place in places)


@GROUP.field(f"epic({_OF_GROUP}): Epic", single=True)
def epic_of(ctx: ReadContext, group: Group, **filters: Unpack[EpicFilters]) -> Epic | None:
    """The first epic of the group that matches the filters."""
    return next(iter(epics_of(ctx, group, **filters)), None)


@EPIC.field(f"children({_LISTED}): EpicConnection")
def children(ctx: ReadContext, epic: Epic, **filters: Unpack[EpicFilters]) -> Sequence[Epic]:
    """The epics right below it that match the filters, by position unless sorted."""
    below = epic_tree.list_children(ctx.world, epic)
    matching = {row.id for row in epics_of(ctx, group_of(ctx, epic), **filters)}
    if filters.get("sort") is not None:
        return [row for row in epics_of(ctx, group_of(ctx, epic), **filters) if row.parent_id == epic.id]
    return [row for row in below if row.id in matching]


@ISSUE.field("epic: Epic")
def epic_of_issue(ctx: ReadContext, issue: Issue) -> Epic | None:
    """The epic that the issue is in, if the caller can see it."""
    return epic_issues.find_visible_epic(ctx, issue)
