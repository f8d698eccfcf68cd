"""Templates of the messages of merge and squash commits.

Source: docs/platform/later-releases.md.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from fakeplat.domain import urls
from fakeplat.domain.merge_requests import closing_issues
from fakeplat.domain.notes import noteables
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.validation import join_words
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext

_PLACEHOLDER: Final = re.compile(r"%\{([a-z_]+)\}")


def squash_message(ctx: ReadContext, project: Project, merge_request: MergeRequest) -> str:
    """Return the message of a squash commit for which nobody chose another one."""
    template = project.squash_commit_template
    return fill_in(ctx, template, merge_request) if template else merge_request.title


def fill_in(ctx: ReadContext, template: str, merge_request: MergeRequest) -> str:
    """Replace the placeholders of a template. Lines of nothing but empty placeholders disappear."""
    lines = [_fill_in_line(ctx, line, merge_request) for line in template.splitlines()]
    text = "\n".join(line for line in lines if line is not None)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _fill_in_line(ctx: ReadContext, line: str, merge_request: MergeRequest) -> str | None:
    def replace(match: re.Match[str]) -> str:
        value = _VALUES.get(match[1])
        return match[0] if value is None else value(ctx, merge_request)

    filled = _PLACEHOLDER.sub(replace, line)
    return None if line.strip() and not filled.strip() else filled


def _reference(ctx: ReadContext, merge_request: MergeRequest) -> str:
    return f"{project_path(ctx.world, ctx.world.projects[merge_request.project_id])}!{merge_request.iid}"


def closing_text(ctx: ReadContext, merge_request: MergeRequest) -> str:
    """Return the line that names the issues that a merge closes, as far as the author can see them."""
    author = ctx.as_user(ctx.world.users[merge_request.author_id])
    references = [
        f"#{issue.iid}" if issue.project_id == merge_request.project_id else _full_reference(ctx.world, issue)
        for issue in closing_issues.list_closing_issues(ctx, merge_request)
        if noteables.is_visible(author, issue)
    ]
    return f"Closes {join_words(references)}" if references else ""


def _full_reference(world: World, issue: Issue) -> str:
    return f"{project_path(world, world.projects[issue.project_id])}#{issue.iid}"


def _url(ctx: ReadContext, merge_request: MergeRequest) -> str:
    project = ctx.world.projects[merge_request.project_id]
    return f"{urls.project_url(ctx, project)}/-/merge_requests/{merge_request.iid}"


def _author(ctx: ReadContext, merge_request: MergeRequest) -> str:
    author = ctx.world.users[merge_request.author_id]
    return f"{author.name} <{author.commit_email or author.email}>"


_VALUES: Final[Mapping[str, Callable[[ReadContext, MergeRequest], str]]] = {
    "source_branch": lambda _ctx, merge_request: merge_request.source_branch,
    "target_branch": lambda _ctx, merge_request: merge_request.target_branch,
    "title": lambda _ctx, merge_request: merge_request.title,
    "description": lambda _ctx, merge_request: merge_request.description or "",
    "issues": closing_text,
    "reference": _reference,
    "local_reference": lambda _ctx, merge_request: f"!{merge_request.iid}",
    "url": _url,
    "source_project_id": lambda _ctx, merge_request: str(merge_request.source_project_id or ""),
    "merge_request_author": _author,
}
