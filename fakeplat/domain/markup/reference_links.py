"""References to records in rendered texts, as links: ``@ada``, ``#1``, ``!1``, ``&1``, ``~bug``, ``^alert#1``, commits.

A reference to what the caller does not see stays a text.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from fakeplat.domain.alerts import alerts, incidents
from fakeplat.domain.markup.filters import replace_texts
from fakeplat.domain.markup.trees import Element
from fakeplat.domain.notes import noteables, references
from fakeplat.domain.notes.noteables import Awardable
from fakeplat.domain.people import namespaces
from fakeplat.domain.planning import colors, labels, milestones
from fakeplat.domain.repository import commits
from fakeplat.domain.snippets import snippet_access
from fakeplat.model.people import Group, UserNamespace
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import ReadContext

_EXCLUDED: Final = ("pre", "code", "a", "style")
_PATH: Final = r"(?<![\w./&#@-])([A-Za-z0-9_][A-Za-z0-9_./-]*)?"
_PAGE: Final = r"(https?://[^\s/]+)/([\w./-]+?)/-/"
_USER: Final = re.compile(r"(?<![\w/])@([A-Za-z0-9_.](?:[A-Za-z0-9_./-]*[A-Za-z0-9_-])?)")
_SNIPPET: Final = re.compile(rf"{_PATH}\$([0-9]{{1,18}})(?!\w)")
_ALERT: Final = re.compile(rf"{_PATH}\^alert#([0-9]{{1,9}})(?![\w#])")
_COMMIT: Final = re.compile(r"(?<![\w./@#-])(?:([A-Za-z0-9_][A-Za-z0-9_./-]*)@)?([0-9a-f]{7,40})(?![\w-])")
# A number is the id of a label and the iid of a milestone; a name with spaces is quoted.
_LABEL: Final = re.compile(rf'{_PATH}~([0-9]+(?!\S?\w)|[A-Za-z0-9_\-?.&:]*[A-Za-z0-9_\-&]|"[^"\n]+")')
_MILESTONE: Final = re.compile(rf'{_PATH}%([0-9]+(?!\S?\w)|[^"\s<%]*\w|"[^"\n]+")')
_MISSING_TITLES: Final = ("merge_request", "milestone")
"""What is shown in a box of its own, so that a link has no title."""
_LENGTH: Final = 8
"""Length of an abbreviated commit."""


class _Reference(NamedTuple):
    """What a reference stands for. ``name`` is its text in its project or, for epics, in its group."""

    kind: str
    container: Project | Group
    id: object
    href: str
    title: str
    name: str
    more: Mapping[str, object] = {}
    color: str = ""


class _Kind(NamedTuple):
    """A kind of references: how they are written, also as URLs of pages, and how they are found."""

    pattern: re.Pattern[str]
    page: re.Pattern[str] | None
    find: Callable[[ReadContext, Project, str, str], _Reference | None]


def link_references(ctx: ReadContext, root: Element, project: Project | None) -> None:
    """Replace the references in a tree by links; without a project, only those to users and groups."""
    _link_users(ctx, root, project)
    if project is None:
        return
    for kind in _KINDS:
        _link_kind(ctx, root, project, kind)


def _link_kind(ctx: ReadContext, root: Element, project: Project, kind: _Kind) -> None:
    for link in filter(_is_plain, root.find_all("a")):
        _replace_link(ctx, project, kind, link)

    def replace(match: re.Match[str]) -> Element | None:
        reference = kind.find(ctx, project, match[1] or "", match[2])
        return None if reference is None else _link(ctx, project, reference, match[0])

    replace_texts(root, kind.pattern, replace, _EXCLUDED)


def _is_plain(link: Element) -> bool:
    return bool(link.attributes.get("href")) and "gfm" not in link.attributes.get("class", "").split()


def _replace_link(ctx: ReadContext, project: Project, kind: _Kind, link: Element) -> None:
    """Turn a link whose address is a reference, or the page of a record, into one to the record."""
    href = unquote(link.attributes["href"])
    match, page = kind.pattern.fullmatch(href), kind.page.fullmatch(href) if kind.page else None
    if match is None and (page is None or page[1] != ctx.origin):
        return
    path, name = (match[1] or "", match[2]) if match else (page[2], page[3]) if page else ("", "")
    reference = kind.find(ctx, project, path, name)
    if reference is None:
        return
    is_bare = match is None and link.text == href
    content = None if is_bare else link.children
    original = href if is_bare else link.inner_html
    new = _link(ctx, project, reference, original, content, is_page=match is None)
    link.tag, link.attributes, link.children = new.tag, new.attributes, new.children


def _link(
    ctx: ReadContext,
    project: Project,
    reference: _Reference,
    original: str,
    content: Sequence[Element | str] | None = None,
    *,
    is_page: bool = False,
) -> Element:
    kind = reference.kind
    css = f"gfm gfm-{kind}" if kind == "merge_request" else f"gfm gfm-{kind} has-tooltip"
    data = {
        "original": original,
        "link": str(content is not None).lower(),
        "link-reference": str(is_page).lower(),
        "group" if isinstance(reference.container, Group) else "project": reference.container.id,
        kind.replace("_", "-"): reference.id,
        **reference.more,
    }
    attributes = {
        "href": reference.href,
        **_data_attributes(kind, data),
        "title": "" if kind in _MISSING_TITLES else reference.title,
        "class": f"{css} gl-link gl-label-link" if kind == "label" else css,
    }
    link = Element("a", attributes, *(_default_content(ctx, project, reference) if content is None else content))
    return Element("span", {"class": "gl-label gl-label-sm"}, link) if kind == "label" else link


def _data_attributes(kind: str, data: Mapping[str, object]) -> dict[str, str]:
    everything = {**data, "reference-type": kind, "container": "body", "placement": "top"}
    return {f"data-{name}": str(value) for name, value in everything.items()}


def _default_content(ctx: ReadContext, project: Project, reference: _Reference) -> Sequence[Element | str]:
    prefix = _relative_path(ctx, project, reference.container)
    if reference.kind in ("label", "milestone"):
        suffix: list[Element | str] = [" ", Element("i", None, f"in {prefix}")] if prefix else []
        return [_label_text(reference, suffix)] if reference.kind == "label" else [reference.name, *suffix]
    separator = "@" if prefix and reference.kind == "commit" else ""
    return [f"{prefix}{separator}{reference.name}"]


def _label_text(reference: _Reference, suffix: Sequence[Element | str]) -> Element:
    shade = "light" if colors.text_color(reference.color) == "#FFFFFF" else "dark"
    attributes = {
        "class": f"gl-label-text gl-label-text-{shade}",
        "data-container": "body",
        "data-html": "true",
        "style": f"background-color: {reference.color}",
    }
    return Element("span", attributes, reference.name, *suffix)


def _relative_path(ctx: ReadContext, project: Project, other: Project | Group) -> str:
    """Return how a project is named in another one, by its last part if both are in one namespace; or a group."""
    if isinstance(other, Group):
        return "" if project.namespace_id == other.id else namespaces.full_path(ctx.world, other)
    if project.id == other.id:
        return ""
    is_near = project.namespace_id == other.namespace_id
    return other.path if is_near else namespaces.project_path(ctx.world, other)


def _project_at(ctx: ReadContext, project: Project, path: str) -> Project | None:
    found = references.find_project(ctx, project, path) if path else project
    return found if found is not None and can_see(ctx, found) else None


def _project_url(ctx: ReadContext, project: Project) -> str:
    return f"{ctx.origin}/{namespaces.project_path(ctx.world, project)}"


def _group_url(ctx: ReadContext, group: Group) -> str:
    return f"{ctx.origin}/groups/{namespaces.full_path(ctx.world, group)}"


# Users and groups


def _link_users(ctx: ReadContext, root: Element, project: Project | None) -> None:
    for link in filter(_is_plain, root.find_all("a")):
        match = _USER.fullmatch(unquote(link.attributes["href"]))
        attributes = _user_attributes(ctx, match[1], project) if match else None
        link.attributes = attributes or link.attributes

    def replace(match: re.Match[str]) -> Element | None:
        attributes = _user_attributes(ctx, match[1], project)
        name = attributes.pop("name", match[1]) if attributes else ""
        return None if attributes is None else Element("a", attributes, f"@{name}")

    replace_texts(root, _USER, replace, _EXCLUDED)


def _user_attributes(ctx: ReadContext, name: str, project: Project | None) -> dict[str, str] | None:
    if name == references.EVERYBODY:
        return None if project is None else _everybody_attributes(ctx, project)
    namespace = namespaces.find_by_path(ctx.world, name)
    if isinstance(namespace, UserNamespace):
        user = ctx.world.users[namespace.owner_id]
        return _mention_attributes(f"{ctx.origin}/{user.username}", {"user": user.id}, user.name)
    if isinstance(namespace, Group) and can_see(ctx, namespace):
        title = namespaces.full_name(ctx.world, namespace)
        return _mention_attributes(_group_url(ctx, namespace), {"group": namespace.id}, title)
    return None


def _everybody_attributes(ctx: ReadContext, project: Project) -> dict[str, str]:
    return _mention_attributes(_project_url(ctx, project), {"project": project.id}, "All Project and Group Members")


def _mention_attributes(href: str, data: Mapping[str, object], title: str) -> dict[str, str]:
    css = "gfm gfm-project_member js-user-link"
    return {"href": href, **_data_attributes("user", data), "class": css, "title": title}


# Records of projects


def _find_issue(ctx: ReadContext, project: Project, path: str, number: str) -> _Reference | None:
    return _reference_to_noteable(ctx, references.issue_at(ctx, project, path, number))


def _find_merge_request(ctx: ReadContext, project: Project, path: str, number: str) -> _Reference | None:
    merge_request = references.merge_request_at(ctx, project, path, number)
    reference = _reference_to_noteable(ctx, merge_request)
    if reference is None or merge_request is None:
        return None
    full_path = namespaces.project_path(ctx.world, ctx.world.projects[merge_request.project_id])
    more = {"project-path": full_path, "iid": int(number), "mr-title": reference.title}
    return reference._replace(more=more)


def _find_snippet(ctx: ReadContext, project: Project, path: str, number: str) -> _Reference | None:
    owner, snippet = _project_at(ctx, project, path), ctx.world.snippets.get(int(number))
    is_there = owner is not None and snippet is not None and snippet.project_id == owner.id
    if not is_there or snippet is None or not snippet_access.is_visible(ctx, snippet):
        return None
    return _reference_to_noteable(ctx, snippet)


def _reference_to_noteable(ctx: ReadContext, record: Awardable | None) -> _Reference | None:
    if record is None or not noteables.is_visible(ctx, record):
        return None
    noteable, container = noteables.noteable_of(record), noteables.container_of(ctx.world, record)
    number = getattr(record, noteable.number)
    page = _group_url(ctx, container) if isinstance(container, Group) else _project_url(ctx, container)
    href = f"{page}/-/{noteable.page}/{number}"
    return _Reference(noteable.kind, container, record.id, href, record.title, f"{noteable.sign}{number}")


def _find_epic(ctx: ReadContext, project: Project, path: str, number: str) -> _Reference | None:
    return _reference_to_noteable(ctx, references.epic_at(ctx, project, path, number))


def _find_alert(ctx: ReadContext, project: Project, path: str, number: str) -> _Reference | None:
    owner = _project_at(ctx, project, path)
    if owner is None or not can(ctx, Ability.READ_ALERT, owner):
        return None
    alert = alerts.find_by_iid(ctx, owner, int(number))
    if alert is None:
        return None
    href = f"{ctx.origin}{incidents.alert_path(ctx, alert)}"
    return _Reference("alert", owner, alert.id, href, alert.title, f"^alert#{alert.iid}")


def _find_commit(ctx: ReadContext, project: Project, path: str, sha: str) -> _Reference | None:
    owner = _project_at(ctx, project, path)
    if owner is None or not can(ctx, Ability.DOWNLOAD_CODE, owner):
        return None
    commit = commits.find_commit(ctx.world, owner, sha)
    if commit is None or not commit.commit.sha.startswith(sha):
        return None
    href = f"{_project_url(ctx, owner)}/-/commit/{commit.commit.sha}"
    return _Reference("commit", owner, commit.commit.sha, href, commit.commit.title, commit.commit.sha[:_LENGTH])


def _find_label(ctx: ReadContext, project: Project, path: str, name: str) -> _Reference | None:
    owner = _project_at(ctx, project, path)
    if owner is None or not can(ctx, Ability.READ_LABEL, owner):
        return None
    title = name.strip('"')
    available = labels.list_available(ctx.world, owner)
    label = next((label for label in available if title in (label.title, str(label.id))), None)
    if label is None:
        return None
    href = f"{_project_url(ctx, owner)}/-/issues?label_name={quote(label.title, safe='')}"
    return _Reference("label", owner, label.id, href, label.description or "", label.title, color=label.color)


def _find_milestone(ctx: ReadContext, project: Project, path: str, name: str) -> _Reference | None:
    owner = _project_at(ctx, project, path)
    if owner is None or not can(ctx, Ability.READ_MILESTONE, owner):
        return None
    title = name.strip('"')
    own = [milestone for milestone in milestones.list_own(ctx.world, owner) if str(milestone.iid) == name]
    by_title = (milestone for milestone in milestones.list_available(ctx.world, owner) if milestone.title == title)
    milestone = next(iter(own), None) or next(by_title, None)
    if milestone is None:
        return None
    kind, id_ = milestone.source
    container = _project_url(ctx, owner)
    if kind == "group":
        container = f"{ctx.origin}/groups/{namespaces.full_path(ctx.world, ctx.world.namespaces[id_])}"
    href = f"{container}/-/milestones/{milestone.iid}"
    return _Reference("milestone", owner, milestone.id, href, "", f"%{milestone.title}")


_KINDS: Final = (
    # Before issues, whose pattern finds ``alert#1`` in it.
    _Kind(_ALERT, re.compile(rf"{_PAGE}alert_management/([0-9]{{1,9}})/details"), _find_alert),
    _Kind(references.EPIC_IN_TEXT, references.EPIC_PAGE, _find_epic),
    _Kind(references.ISSUE, re.compile(rf"{_PAGE}issues/([0-9]{{1,9}})"), _find_issue),
    _Kind(references.MERGE_REQUEST_IN_TEXT, re.compile(rf"{_PAGE}merge_requests/([0-9]{{1,9}})"), _find_merge_request),
    _Kind(_SNIPPET, re.compile(rf"{_PAGE}snippets/([0-9]{{1,18}})"), _find_snippet),
    _Kind(_COMMIT, re.compile(rf"{_PAGE}commit/([0-9a-f]{{7,40}})"), _find_commit),
    _Kind(_LABEL, None, _find_label),
    _Kind(_MILESTONE, re.compile(rf"{_PAGE}milestones/([0-9]{{1,9}})"), _find_milestone),
)
