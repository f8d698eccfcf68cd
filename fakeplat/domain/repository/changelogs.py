"""Changelogs: the section of a version, made of the commits with a trailer. Source: docs/platform/repository.md."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from attrs import field

from fakeplat.core.operations.errors import Unprocessable
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.people import users
from fakeplat.domain.people.namespaces import find_group, project_path
from fakeplat.domain.repository import commit_actions, commits, repositories, tags
from fakeplat.domain.repository.changelog_templates import Part, TemplateError, fill_in, parse_template
from fakeplat.domain.repository.commit_actions import Action, NewCommit
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.people import Group, Level, User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import group_level, project_level

TRAILER: Final = "Changelog"
FILE: Final = "CHANGELOG.md"
CONFIG_FILE: Final = ".gitlab/changelog_config.yml"
VERSION: Final = re.compile(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?")
_TAG_REGEX: Final = (
    r"^v?(?P<major>0|[1-9]\d*)\.(?P<minor>0|[1-9]\d*)\.(?P<patch>0|[1-9]\d*)"
    r"(?:-(?P<pre>(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?"
    r"(?:\+(?P<meta>[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$"
)
_TEMPLATE: Final = """\
{% if categories %}
{% each categories %}
### {{ title }} ({% if single_change %}1 change{% else %}{{ count }} changes{% end %})

{% each entries %}
- [{{ title }}]({{ commit.reference }})\\
{% if author.credit %} by {{ author.reference }}{% end %}\\
{% if merge_request %} ([merge request]({{ merge_request.reference }})){% end %}

{% end %}

{% end %}
{% else %}
No changes.
{% end %}
"""
_NO_START: Final = "The commit start range is unspecified, and no previous tag could be found to use instead"
_NO_VERSION: Final = "The requested `version` attribute format is not correct. Use formats such as `1.0.0` or `v1.0.0`."
_BAD_REGEX: Final = "The regular expression to use for finding the previous tag for a version is invalid: "
_REVERT: Final = re.compile(r"^This reverts commit (?P<sha>[0-9a-f]{40})", re.IGNORECASE | re.MULTILINE)
_HEADING: Final = re.compile(rf"^##\s+(?P<version>{VERSION.pattern})", re.MULTILINE)


@frozen(kw_only=True)
class ChangelogRequest:
    """The version that a section is for, the range of its commits, and where its configuration is."""

    version: str
    start: str | None = None
    end: str | None = None
    date: datetime
    trailer: str = TRAILER
    branch: str
    config_file: str = CONFIG_FILE
    config_ref: str = commits.HEAD


@frozen
class Configuration:
    """How sections of changelogs look, and whose contributions are always credited."""

    date_format: str = "%Y-%m-%d"
    categories: Mapping[str, str] = field(factory=dict)
    template: tuple[Part, ...] = field(factory=partial(parse_template, _TEMPLATE))
    tag_regex: str = _TAG_REGEX
    credited_groups: tuple[Group, ...] = ()


def generate(ctx: ReadContext, project: Project, request: ChangelogRequest) -> str:
    """Return the section of a version, with its heading; 422 if there is none."""
    try:
        configuration = _read_configuration(ctx, project, request)
        start = request.start or _get_start(ctx.world, project, request.version, configuration)
        categories = _list_categories(ctx, project, request, start, configuration)
        text = fill_in(configuration.template, {"categories": categories}).strip()
    except TemplateError as error:
        raise _refuse(str(error)) from None
    date = request.date.strftime(configuration.date_format)
    return f"## {request.version} ({date})\n\n{text}\n\n"


def commit(ctx: WriteContext, project: Project, request: ChangelogRequest, file: str, message: str) -> None:
    """Add the section of a version to a file, unless the file has it already."""
    section = generate(ctx, project, request)
    text = _read_file(ctx.world, project, request.branch, file)
    if text is not None and re.search(rf"^##\s*{re.escape(request.version)}", text, re.MULTILINE):
        return
    content = insert_section(text or "", request.version, section).encode()
    action = Action("create" if text is None else "update", file, content)
    commit_actions.commit(ctx, project, NewCommit(request.branch, message, [action]))


def insert_section(text: str, version: str, section: str) -> str:
    """Return a changelog with a section in the place of its version: newer ones come first."""
    lines = text.splitlines(keepends=True)
    places = {match["version"]: index for index, line in enumerate(lines) if (match := _HEADING.match(line))}
    versions = sorted([version, *places], key=tags.version_order, reverse=True)
    following = versions[versions.index(version) + 1 :]
    if following:
        lines.insert(places[following[0]], section)
    else:
        lines += ["\n"] * bool(places) + [section.rstrip(), "\n"]
    return "".join(lines)


def _refuse(message: str) -> Unprocessable:
    return Unprocessable(f"Failed to generate the changelog: {message}")


def _read_file(world: World, project: Project, ref: str, path: str) -> str | None:
    from fakeplat.git.errors import UnknownPath

    found = commits.find_commit(world, project, ref)
    if found is None:
        return None
    try:
        return repositories.open_repository(world, project).file(found.commit.sha, path).decode(errors="replace")
    except UnknownPath:
        return None


def _read_configuration(ctx: ReadContext, project: Project, request: ChangelogRequest) -> Configuration:
    from fakeplat.ci_config.documents import FormatError, parse

    text = _read_file(ctx.world, project, request.config_ref, request.config_file)
    if not text:
        return Configuration()
    try:
        values = parse(text, has_references=False)
    except FormatError:
        raise _refuse(f"{request.config_file} does not contain valid YAML") from None
    if not isinstance(values, dict):
        return Configuration()
    return _build_configuration(ctx, {str(name): value for name, value in values.items()})


def _build_configuration(ctx: ReadContext, values: Mapping[str, Any]) -> Configuration:
    fields: dict[str, Any] = {name: str(values[name]) for name in ("date_format", "tag_regex") if values.get(name)}
    if values.get("template"):
        fields["template"] = parse_template(str(values["template"]))
    if values.get("categories"):
        if not isinstance(values["categories"], dict):
            raise _refuse('The "categories" configuration key must be a Hash')
        fields["categories"] = {str(name): str(title) for name, title in values["categories"].items()}
    if values.get("include_groups"):
        paths = values["include_groups"] if isinstance(values["include_groups"], list) else []
        groups = (find_group(ctx.world, str(path)) for path in paths)
        fields["credited_groups"] = tuple(group for group in groups if group is not None and can_see(ctx, group))
    return Configuration(**fields)


def _get_start(world: World, project: Project, version: str, configuration: Configuration) -> str:
    """Return the commit of the tag of the version before this one."""
    requested = _assemble_version(re.match(_TAG_REGEX, version))
    if requested is None:
        raise _refuse(_NO_VERSION)
    try:
        pattern = re.compile(configuration.tag_regex)
    except re.error as error:
        raise _refuse(f"{_BAD_REGEX}{error}") from None
    found = {}
    for tag in tags.list_tags(world, project):
        match = pattern.search(tag.name)
        groups = match.groupdict() if match is not None else {}
        name = _assemble_version(match) if match is not None and not groups.get("pre") else None
        if name is not None:
            found[name] = tag
    versions = sorted([requested, *found], key=tags.version_order)
    index = versions.index(requested)
    commit_sha = found[versions[index - 1]].commit if index else None
    if commit_sha is None:
        raise _refuse(_NO_START)
    return commit_sha


def _assemble_version(match: "re.Match[str] | None") -> str | None:
    groups = match.groupdict() if match is not None else {}
    parts = [groups.get(name) for name in ("major", "minor", "patch")]
    if not all(parts):
        return None
    meta = f"+{groups['meta']}" if groups.get("meta") else ""
    return ".".join(str(part) for part in parts) + meta


def _list_categories(
    ctx: ReadContext, project: Project, request: ChangelogRequest, start: str, configuration: Configuration
) -> list[dict[str, Any]]:
    """Return the categories with their entries, those that the configuration names first."""
    entries: dict[str, list[dict[str, Any]]] = {title: [] for title in configuration.categories.values()}
    for commit_of_range, trailers in _list_commits(ctx.world, project, request, start):
        category = trailers[request.trailer]
        title = configuration.categories.get(category, category)
        entries.setdefault(title, []).append(_build_entry(ctx.world, project, commit_of_range, trailers, configuration))
    return [
        {"title": title, "count": len(rows), "single_change": len(rows) == 1, "entries": rows}
        for title, rows in entries.items()
        if rows
    ]


def _list_commits(
    world: World, project: Project, request: ChangelogRequest, start: str
) -> Iterator[tuple[ProjectCommit, dict[str, str]]]:
    """Yield the commits with the trailer, newest first, except for those that a newer one reverts."""
    from fakeplat.git.errors import UnknownRevision
    from fakeplat.git.trailers import parse_trailers

    git = repositories.open_repository(world, project)
    try:
        found = list(git.log(f"{start}..{request.end or request.branch}"))
    except UnknownRevision:
        found = []
    reverted = set()
    for row in found:
        if row.sha in reverted:
            continue
        match = _REVERT.search(row.message)
        if match is not None:
            reverted.add(match["sha"])
        trailers = dict(parse_trailers(row.message))
        if request.trailer in trailers:
            yield ProjectCommit(project, row), trailers


def _build_entry(
    world: World,
    project: Project,
    entry_commit: ProjectCommit,
    trailers: Mapping[str, str],
    configuration: Configuration,
) -> dict[str, Any]:
    path, sha = project_path(world, project), entry_commit.commit.sha
    entry: dict[str, Any] = {
        "title": entry_commit.commit.title,
        "commit": {"reference": f"{path}@{sha}", "trailers": dict(trailers)},
    }
    author = users.find_by_email(world, entry_commit.commit.author.email)
    if author is not None:
        entry["author"] = _describe_author(world, project, author, configuration.credited_groups)
    merged = [row for row in diff_versions.list_containing(world, project, sha) if row.state == "merged"]
    if merged:
        # The oldest one introduced the commit.
        entry["merge_request"] = {"reference": f"{path}!{merged[-1].iid}"}
    return entry


def _describe_author(world: World, project: Project, author: User, groups: Sequence[Group]) -> dict[str, Any]:
    is_contributor = project_level(world, project, author.id) < Level.GUEST and _has_contributed(world, project, author)
    is_credited = any(group_level(world, group, author.id) >= Level.GUEST for group in groups)
    return {
        "reference": f"@{author.username}",
        "contributor": is_contributor,
        "credit": is_contributor or is_credited,
    }


def _has_contributed(world: World, project: Project, author: User) -> bool:
    """Return whether a merge request of a user was merged into the default branch."""
    return any(
        (row.state, row.project_id, row.target_branch) == ("merged", project.id, project.default_branch)
        for row in world.merge_requests.where("author", author.id)
    )
