"""Who may fetch from a repository and push to it with git, and what git's user is told otherwise.

Looked at in this order: credentials, scopes, project, right. Source: more on git over HTTP.
"""

from functools import partial
from typing import Final

from fakeplat.core.errors import GitForbidden, GitNotFound, Reason, SignInToGit
from fakeplat.domain import namespaces, protection
from fakeplat.model.projects import Project
from fakeplat.model.users import Token
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context
from fakeplat.policy.rulings import Ruling, can, hidden, rule, rule_as_member, sees

SUFFIX: Final = ".git"
_SCOPES: Final = {
    May.DOWNLOAD_CODE: frozenset({"api", "read_repository", "write_repository"}),
    May.PUSH_CODE: frozenset({"api", "write_repository"}),
}
_OUT_OF_SCOPE: Final = {
    May.DOWNLOAD_CODE: "You are not allowed to download code.",
    May.PUSH_CODE: "You are not allowed to upload code.",
}
_NOT_ALLOWED: Final = {
    May.DOWNLOAD_CODE: "You are not allowed to download code from this project.",
    May.PUSH_CODE: "You are not allowed to push code to this project.",
}
_NOT_FOUND: Final = "The project you were looking for could not be found or you don't have permission to view it."


def admitted(cx: Context, path: str, may: May) -> Project:
    """The project whose repository has a path (``acme/site.git``), if the caller may fetch from it or push to it.

    401 for nobody, where somebody might; 403 for a token whose scopes do not reach and for whoever sees the project but
    may not; 404 for all others.
    """
    project = namespaces.project_at(cx.world, path.removesuffix(SUFFIX)) if path.endswith(SUFFIX) else None
    if cx.user is None:
        if project is not None and can(cx, may, project):
            return project
        demand_login(cx)
    if cx.token is not None and not _reaches(cx.token, may):
        raise GitForbidden(_OUT_OF_SCOPE[may], reason=_too_narrow(cx.token, may))
    if project is None or not sees(cx, project):
        raise GitNotFound(_NOT_FOUND, reason=_unseen(cx, path, project))
    ruling = _rule(cx, may, project)
    if not ruling.allowed and not (may is May.PUSH_CODE and protection.may_push_code(cx, project)):
        raise GitForbidden(_NOT_ALLOWED[may], reason=ruling.why)
    return project


def _rule(cx: Context, may: May, project: Project) -> Ruling:
    """Decide by the caller's level; the token of an administrator's job reaches only what a member's would."""
    is_job = cx.token is not None and cx.token.kind == "job"
    return rule_as_member(cx, may, project) if is_job else rule(cx, may, project)


def demand_login(cx: Context) -> None:
    """Refuse anonymous callers with the challenge that makes git ask for a name and password."""
    if cx.user is None:
        raise SignInToGit(cx.instance.product_name, reason="nobody is signed in; git sends name and password")


def _reaches(token: Token, may: May) -> bool:
    """Whether a token is enough; a job's only reads."""
    return may is May.DOWNLOAD_CODE if token.kind == "job" else not _SCOPES[may].isdisjoint(token.scopes)


def _too_narrow(token: Token, may: May) -> str:
    has, needs = " ".join(token.scopes) or "none", " or ".join(sorted(_SCOPES[may]))
    return f"the {token.kind} token has the scopes {has}; this asks for {needs}"


def _unseen(cx: Context, path: str, project: Project | None) -> Reason:
    if project is not None:
        return partial(hidden, cx, project)
    wiki = "; the repositories of wikis are not built" if path.endswith(f".wiki{SUFFIX}") else ""
    return f"there is no repository {path}{wiki}"
