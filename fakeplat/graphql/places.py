"""Projects and groups as arguments name them: by full path, and only as far as the caller sees them."""

from fakeplat.api.scopes import find_issue, find_project
from fakeplat.core.errors import NotFound
from fakeplat.core.ids import number_of
from fakeplat.domain import namespaces
from fakeplat.model.issues import Issue
from fakeplat.model.namespaces import Namespace
from fakeplat.model.projects import Project
from fakeplat.policy.context import Context
from fakeplat.policy.rulings import sees


def project_at(cx: Context, full_path: str) -> Project | None:
    """The project at a path, or None."""
    found = namespaces.project_at(cx.world, full_path)
    return found if found is not None and sees(cx, found) else None


def namespace_at(cx: Context, full_path: str) -> Namespace | None:
    """The group's or user's namespace at a path, whoever asks."""
    return namespaces.at_path(cx.world, full_path)


def demand_project(cx: Context, full_path: str) -> Project:
    """The project at a path, or 404; a number is no path."""
    if number_of(full_path) is not None:
        raise NotFound("Project", reason=f"{full_path} is no full path")
    return find_project(cx, full_path)


def demand_issue(cx: Context, full_path: str, iid: str) -> tuple[Project, Issue]:
    """A project's issue, or 404."""
    project = demand_project(cx, full_path)
    return project, find_issue(cx, project, number_of(iid) or 0)
