"""How records of each kind are listed, named and described."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from fakeplat.console.cells import (
    Cell,
    Column,
    Row,
    commit_of,
    joined,
    link,
    name_of,
    page_url,
    plain,
    project_page,
    related,
    short_hash,
    text,
)
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository.branches import Branch
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.repository.tags import ProjectTag
from fakeplat.domain.wikis.pages import WikiPage
from fakeplat.model.alerts import Alert
from fakeplat.model.ci import Job, Pipeline
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.packages import Package
from fakeplat.model.people import Group, User
from fakeplat.model.planning import Milestone
from fakeplat.model.projects import Project
from fakeplat.model.releases import Release, ReleaseLink
from fakeplat.model.world import World
from fakeplat.workbench.inspection import RecordView, has_revision


@frozen
class Kind:
    """A kind of record: the columns of its lists, and the facts that its page starts with."""

    word: str
    columns: Sequence[Column]
    facts: Sequence[Column] = ()


def _reference(row: Row) -> str:
    return plain(row["references"]["full"])


def _branches(row: Row) -> Cell:
    source = _ref(row, row["source_branch"], row["source_project_id"])
    return joined([source, _ref(row, row["target_branch"], row["target_project_id"])], " → ")


def _ref(row: Row, name: str, project_id: int | None = None) -> Cell:
    """Return a branch or tag, with a link to its files if it still exists in the project of the record."""
    is_own = project_id is None or project_id == row["target_project_id"]
    return Cell(name, "mono", project_page(row, f"tree/{quote(name)}") if is_own and _exists(row, name) else None)


def _exists(row: Row, revision: str) -> bool:
    return isinstance(row, RecordView) and has_revision(row, revision)


def _commit(heading: str, name: str) -> Column:
    """Return a column with a hash, and a link to its commit, which scenarios may have made up."""

    def cell(row: Row) -> Cell:
        sha = row.get(name)
        return commit_of(row, sha) if sha and _exists(row, sha) else short_hash(sha)

    return Column(heading, cell)


def _pipeline_ref(row: Row) -> Cell:
    return _ref(row, str(row["ref"]))


def _parents(row: Row) -> Cell:
    return joined([commit_of(row, sha) for sha in row.get("parent_ids") or ()])


def _labels_in(part: str) -> Callable[[Row], Cell]:
    """Return a cell with labels, each with a link to the records that have it."""

    def cell(row: Row) -> Cell:
        names = [plain(label) for label in row.get("labels") or ()]
        return joined([Cell(name, url=project_page(row, f"{part}?label_name={quote(name)}")) for name in names])

    return cell


def _default_branch(row: Row) -> Cell:
    branch = row.get("default_branch")
    return Cell(plain(branch), "mono", page_url(f"{row['web_url']}/-/tree/{quote(branch)}") if branch else None)


def _tag(heading: str, name: str) -> Column:
    """Return a column with a tag, which leads to its files."""

    def cell(row: Row) -> Cell:
        # Neither tags nor releases have the address of their project.
        base = str((row.get("commit") or {}).get("web_url") or "").rpartition("/-/")[0]
        return Cell(row[name], "mono", page_url(f"{base}/-/tree/{quote(row[name])}") if base else None)

    return Column(heading, cell)


_STATE: Final = text("State", "state", "badge")
_STATUS: Final = text("Status", "status", "badge")
_CREATED: Final = text("Created", "created_at", "time")
_UPDATED: Final = text("Updated", "updated_at", "time")
_AUTHOR: Final = related("Author", "author")

USER: Final = Kind(
    "User",
    (
        link("Username", lambda row: str(row["username"]), "mono"),
        text("Name", "name"),
        _STATE,
        text("E-mail", "email"),
        text("Administrator", "is_admin"),
        _CREATED,
    ),
    (text("E-mail", "email"), text("Administrator", "is_admin"), text("External", "external"), _CREATED),
)
GROUP: Final = Kind(
    "Group",
    (
        link("Path", lambda row: str(row["full_path"]), "mono"),
        text("Name", "name"),
        text("Visibility", "visibility", "badge"),
        text("Description", "description"),
    ),
    (text("Path", "full_path", "mono"), text("Visibility", "visibility", "badge"), _CREATED),
)
PROJECT: Final = Kind(
    "Project",
    (
        link("Path", lambda row: str(row["path_with_namespace"]), "mono"),
        text("Name", "name"),
        text("Visibility", "visibility", "badge"),
        Column("Default branch", _default_branch),
        text("Stars", "star_count"),
        text("Last activity", "last_activity_at", "time"),
    ),
    (
        text("Path", "path_with_namespace", "mono"),
        text("Visibility", "visibility", "badge"),
        Column("Default branch", _default_branch),
        text("Stars", "star_count"),
        text("Forks", "forks_count"),
        text("Archived", "archived"),
        text("Clone", "http_url_to_repo", "mono"),
        text("Last activity", "last_activity_at", "time"),
    ),
)
ISSUE: Final = Kind(
    "Issue",
    (
        link("Issue", _reference, "mono"),
        link("Title", name_of),
        _STATE,
        _AUTHOR,
        Column("Labels", _labels_in("issues")),
        _UPDATED,
    ),
    (
        _AUTHOR,
        text("Assignees", "assignees"),
        Column("Labels", _labels_in("issues")),
        related("Milestone", "milestone"),
        text("Confidential", "confidential"),
        text("Due", "due_date"),
        _CREATED,
        _UPDATED,
        text("Closed", "closed_at", "time"),
    ),
)
MERGE_REQUEST: Final = Kind(
    "Merge request",
    (
        link("Merge request", _reference, "mono"),
        link("Title", name_of),
        _STATE,
        _AUTHOR,
        Column("Branches", _branches),
        _UPDATED,
    ),
    (
        _AUTHOR,
        text("Assignees", "assignees"),
        Column("Branches", _branches),
        text("Merge status", "merge_status", "badge"),
        Column("Labels", _labels_in("merge_requests")),
        related("Milestone", "milestone"),
        _commit("Head", "sha"),
        _CREATED,
        _UPDATED,
        text("Merged", "merged_at", "time"),
    ),
)
PIPELINE: Final = Kind(
    "Pipeline",
    (
        link("Pipeline", lambda row: f"#{row['id']}", "mono"),
        _STATUS,
        Column("Ref", _pipeline_ref),
        _commit("Commit", "sha"),
        related("User", "user"),
        _CREATED,
    ),
    (
        Column("Ref", _pipeline_ref),
        _commit("Commit", "sha"),
        related("User", "user"),
        text("Duration (s)", "duration"),
        text("Coverage (%)", "coverage"),
        _CREATED,
        text("Finished", "finished_at", "time"),
    ),
)
JOB: Final = Kind(
    "Job",
    (
        link("Job", lambda row: f"#{row['id']}", "mono"),
        link("Name", name_of),
        text("Stage", "stage", "mono"),
        _STATUS,
        text("Ref", "ref", "mono"),
        text("Duration (s)", "duration"),
    ),
    (
        text("Stage", "stage", "mono"),
        text("Ref", "ref", "mono"),
        related("Pipeline", "pipeline"),
        related("Commit", "commit"),
        related("User", "user"),
        text("Duration (s)", "duration"),
        _CREATED,
        text("Finished", "finished_at", "time"),
    ),
)
ALERT: Final = Kind(
    "Alert",
    (
        link("Alert", lambda row: f"^{row['iid']}", "mono"),
        link("Title", name_of),
        text("Severity", "severity", "badge"),
        _STATUS,
        text("Events", "event_count"),
        text("Started", "started_at", "time"),
    ),
    (
        text("Severity", "severity", "badge"),
        text("Tool", "monitoring_tool"),
        text("Service", "service"),
        text("Hosts", "hosts"),
        text("Events", "event_count"),
        text("Started", "started_at", "time"),
        text("Ended", "ended_at", "time"),
    ),
)
MILESTONE: Final = Kind(
    "Milestone",
    (link("Title", name_of), _STATE, text("Due", "due_date"), _UPDATED),
    (text("Start", "start_date"), text("Due", "due_date"), text("Expired", "expired"), _CREATED, _UPDATED),
)
COMMIT: Final = Kind(
    "Commit",
    (
        link("Commit", lambda row: str(row["short_id"]), "mono"),
        link("Title", name_of),
        text("Author", "author_name"),
        text("Committed", "committed_date", "time"),
    ),
    (
        text("Author", "author_name"),
        text("Committed", "committed_date", "time"),
        Column("Parents", _parents),
    ),
)
BRANCH: Final = Kind(
    "Branch",
    (
        link("Branch", lambda row: str(row["name"]), "mono"),
        Column("Commit", lambda row: Cell(plain(row["commit"]["title"]), "text", page_url(row["commit"]["web_url"]))),
        text("Default", "default"),
        text("Protected", "protected"),
        text("Merged", "merged"),
    ),
)
TAG: Final = Kind(
    "Tag",
    (
        link("Tag", lambda row: str(row["name"]), "mono"),
        text("Message", "message"),
        related("Commit", "commit"),
        text("Protected", "protected"),
    ),
    (
        _tag("Files", "name"),
        text("Message", "message"),
        related("Commit", "commit"),
        text("Protected", "protected"),
    ),
)
RELEASE: Final = Kind(
    "Release",
    (
        link("Tag", lambda row: str(row["tag_name"]), "mono"),
        link("Name", name_of),
        _AUTHOR,
        text("Released", "released_at", "time"),
    ),
    (
        _tag("Tag", "tag_name"),
        _AUTHOR,
        related("Commit", "commit"),
        text("Milestones", "milestones"),
        text("Released", "released_at", "time"),
        _CREATED,
    ),
)
RELEASE_LINK: Final = Kind(
    "Release link",
    (
        Column("Name", lambda row: Cell(str(row["name"]), "text", str(row["url"]))),
        text("Type", "link_type", "badge"),
        text("Address", "url"),
    ),
    (
        Column("Address", lambda row: Cell(str(row["url"]), "text", str(row["url"]))),
        text("Type", "link_type", "badge"),
        text("Permanent address", "direct_asset_url"),
    ),
)
PACKAGE: Final = Kind(
    "Package",
    (
        link("Package", name_of),
        text("Version", "version", "mono"),
        text("Type", "package_type", "badge"),
        _CREATED,
    ),
    (text("Version", "version", "mono"), text("Type", "package_type", "badge"), _CREATED),
)
WIKI_PAGE: Final = Kind(
    "Wiki page",
    (link("Title", name_of), text("Slug", "slug", "mono"), text("Format", "format")),
    (text("Slug", "slug", "mono"), text("Format", "format")),
)
KINDS: Final[Mapping[type, Kind]] = {
    User: USER,
    Group: GROUP,
    Project: PROJECT,
    Issue: ISSUE,
    MergeRequest: MERGE_REQUEST,
    Pipeline: PIPELINE,
    Job: JOB,
    Alert: ALERT,
    Milestone: MILESTONE,
    Release: RELEASE,
    ReleaseLink: RELEASE_LINK,
    Package: PACKAGE,
    ProjectCommit: COMMIT,
    Branch: BRANCH,
    ProjectTag: TAG,
    WikiPage: WIKI_PAGE,
}
_WORDS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def kind_of(record: object) -> Kind | None:
    """Return how records like this one are listed; None if they have no columns of their own."""
    return KINDS.get(type(record))


def word_of(record: object) -> str:
    """Return what records like this one are called: "Release link"."""
    kind = kind_of(record)
    return kind.word if kind else _WORDS.sub(" ", type(record).__name__).capitalize()


# The fields of records without a list of their own, in this order.
_COMMON: Final = (
    "iid",
    "name",
    "title",
    "username",
    "key",
    "tag_name",
    "file_name",
    "state",
    "status",
    "environment_scope",
    "access_level",
    "action_name",
    "target_title",
    "author_username",
    "color",
    "description",
    "created_at",
    "expires_at",
    "size",
)
_STYLES: Final = {
    "state": "badge",
    "status": "badge",
    "created_at": "time",
    "key": "mono",
    "tag_name": "mono",
    "file_name": "mono",
    "color": "mono",
}


def common_columns(rows: Sequence[Row]) -> list[Column]:
    """Return columns for records that have none of their own."""
    names = [name for name in _COMMON if any(row.get(name) is not None for row in rows)] or ["id"]
    columns = [_common_column(name) for name in names]
    # The first column leads to the record, if it has a page.
    first = names[0]
    return [link(columns[0].heading, lambda row: plain(row.get(first))), *columns[1:]]


def _common_column(name: str) -> Column:
    style: Any = _STYLES.get(name, "text")
    return text(name.removesuffix("_at").replace("_", " ").capitalize(), name, style)


@frozen
class WorldList:
    """A list of all records of a kind, and the text of a record that is searched."""

    title: str
    kind: Kind
    records: Callable[[World], Sequence[Any]]
    searched: Callable[[Any], str]


def _list_groups(world: World) -> Sequence[Group]:
    return [namespace for namespace in world.namespaces.all() if isinstance(namespace, Group)]


LISTS: Final[Mapping[str, WorldList]] = {
    "projects": WorldList(
        "Projects", PROJECT, lambda world: world.projects.all(), lambda record: f"{record.path} {record.name}"
    ),
    "groups": WorldList("Groups", GROUP, _list_groups, lambda record: f"{record.path} {record.name}"),
    "users": WorldList(
        "Users", USER, lambda world: world.users.all(), lambda record: f"{record.username} {record.name}"
    ),
    "issues": WorldList("Issues", ISSUE, lambda world: world.issues.all(), lambda record: str(record.title)),
    "merge_requests": WorldList(
        "Merge requests",
        MERGE_REQUEST,
        lambda world: world.merge_requests.all(),
        lambda record: f"{record.title} {record.source_branch}",
    ),
    "pipelines": WorldList(
        "Pipelines", PIPELINE, lambda world: world.pipelines.all(), lambda record: f"{record.ref} {record.status}"
    ),
    "alerts": WorldList("Alerts", ALERT, lambda world: world.alerts.all(), lambda record: str(record.title)),
}
"""The lists of the whole world, by their path."""
