"""The deprecations of the specification in one table, and the warnings for requests that use them.

Response fields and headers are in the table too, although a request does not reveal whether a client reads them.
Source: docs/platform/conventions.md, docs/platform/projects.md, docs/platform/tags.md, docs/platform/issues.md.
"""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Final, Literal

from fakeplat.catalog.unbuilt import unbuilt_parameters_of
from fakeplat.core.operations.errors import Refusal
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.operation import OPERATIONS, Area, Operation
from fakeplat.core.operations.reasons import unknown_parameters
from fakeplat.core.params.body import merge_params, parse_body, parse_query
from fakeplat.core.params.params import binder_of
from fakeplat.core.release import Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.platform import HandledRequest


class FakeplatWarning(UserWarning):
    """A client sent something that the platform ignores or has deprecated."""


@frozen
class Deprecation:
    """``on`` is a glob over ``METHOD path`` of operations; ``values`` limits a parameter to some of its values."""

    kind: Literal["parameter", "field", "header"]
    name: str
    instead: str
    on: str = "*"
    values: tuple[str, ...] = ()

    def format_warning(self, operation: Operation, value: object) -> str:
        """Return the warning for a use."""
        find_uses = f"{self.name}={value}" if self.values else self.name
        return f"{operation.name}: {find_uses} is deprecated; use {self.instead}"

    def find_uses(self, operation: Operation, params: Mapping[str, object]) -> Iterator[str]:
        """Yield a warning for each use in the parameters of a request."""
        if self.kind != "parameter" or self.name not in params or not self._applies_to(operation):
            return
        sent = params[self.name]
        values = sent.split(",") if isinstance(sent, str) else sent if isinstance(sent, list) else [sent]
        if not self.values:
            yield self.format_warning(operation, sent)
        yield from (self.format_warning(operation, value) for value in values if str(value).lower() in self.values)

    def _applies_to(self, operation: Operation) -> bool:
        return fnmatchcase(f"{operation.method} {operation.path}", self.on)


# `P*` stands for POST, PUT and PATCH; a star in the path also matches slashes.
_ISSUE_WRITES: Final = "P* /api/v4/projects/:id/issues*"
_PROJECT_WRITES: Final = "P* /api/v4/projects*"
_SNIPPETS: Final = "P* */snippets*"
_RELEASE: Final = "P* */repository/tags/:tag_name/release"

TABLE: Final = (
    Deprecation("field", "reference", "references"),
    Deprecation("field", "assignee", "assignees"),
    Deprecation("field", "build_info", "pipeline"),
    Deprecation("field", "marked_for_deletion_at", "marked_for_deletion_on"),
    Deprecation("field", "additions", "nothing: it is always 0", "GET */repository/contributors"),
    Deprecation("field", "deletions", "nothing: it is always 0", "GET */repository/contributors"),
    Deprecation("header", "Links", "Link"),
    Deprecation("parameter", "name_regex", "name_regex_delete", "DELETE */registry/repositories/:repository_id/tags"),
    Deprecation("parameter", "admin_notification_email", "abuse_notification_email", "PUT */application/settings"),
    Deprecation(
        "parameter",
        "allow_local_requests_from_hooks_and_services",
        "allow_local_requests_from_web_hooks_and_services",
        "PUT */application/settings",
    ),
    Deprecation("parameter", "notify_only_default_branch", "branches_to_be_notified", "PUT */services/*"),
    Deprecation("parameter", "enable_ssl_verification", "nothing, except for drone-ci", "PUT */services/*"),
    Deprecation("parameter", "file_name", "files", _SNIPPETS),
    Deprecation("parameter", "content", "files", _SNIPPETS),
    Deprecation("parameter", "scope", "created_by_me", "GET */issues*", ("created-by-me",)),
    Deprecation("parameter", "scope", "assigned_to_me", "GET */issues*", ("assigned-to-me",)),
    Deprecation("parameter", "scope", "created_by_me", "GET */merge_requests*", ("created-by-me",)),
    Deprecation("parameter", "scope", "assigned_to_me", "GET */merge_requests*", ("assigned-to-me",)),
    Deprecation("parameter", "labels", "None", "GET */issues*", ("no label",)),
    Deprecation("parameter", "labels", "None", "GET */merge_requests*", ("no label",)),
    Deprecation("parameter", "assignee_id", "assignee_ids", _ISSUE_WRITES),
    *(
        Deprecation("parameter", f"{feature}_enabled", f"{access}_access_level", _PROJECT_WRITES)
        for feature, access in (
            ("issues", "issues"),
            ("merge_requests", "merge_requests"),
            ("wiki", "wiki"),
            ("jobs", "builds"),
            ("snippets", "snippets"),
        )
    ),
    Deprecation("parameter", "namespace", "namespace_id or namespace_path", "POST */projects/:id/fork"),
    Deprecation("parameter", "release_description", "the releases API", "POST */repository/tags"),
    Deprecation("parameter", "description", "the releases API", _RELEASE),
)


def find_warnings(entry: HandledRequest, profile: Profile) -> list[str]:
    """Return warnings for the deprecated and the unknown parameters of a request to the API."""
    name = entry.answer.operation
    # Operations without a prefix are not part of the REST API: git, pages and webhooks of monitoring tools.
    if name not in OPERATIONS or not OPERATIONS[name].area.prefix:
        return []
    operation = OPERATIONS[name]
    params = read_params(entry.request, with_body=_has_parameters_in_body(operation.area))
    if not params:
        return []
    # What the release does not have any more was deprecated before.
    removed = {name for name in binder_of(operation.params, profile).unknown(params) if name in _declared(operation)}
    uses = [row for row in TABLE if row.name not in removed and any(row.find_uses(operation, params))]
    known = {row.name for row in uses}
    others = {name: value for name, value in params.items() if name not in known}
    deprecated = [text for row in uses for text in row.find_uses(operation, params)]
    return [*unknown_parameters(operation, others, profile, unbuilt_parameters_of), *deprecated]


def _declared(operation: Operation) -> set[str]:
    """Return the names of an operation's parameters in any release."""
    return {name for field in binder_of(operation.params).fields for name in field.names}


def _has_parameters_in_body(area: Area) -> bool:
    """Return whether the platform defines what is in the bodies of an area.

    Operations with credentials of their own read a document of another standard; those of package managers and some
    others a file, or the fields of a package format.
    """
    return area.credentials != "own" and not area.raw_body and not area.deploy_tokens


def read_params(request: Request, *, with_body: bool = True) -> Mapping[str, object]:
    """Return the parameters of a request as the platform reads them; none if they cannot be read."""
    try:
        query = parse_query(request.query) if request.query else {}
        if not with_body or not request.body or request.method in ("GET", "HEAD"):
            return query
        return merge_params(query, parse_body(request.headers.get("content-type", ""), request.body), {})
    # An unreadable body was refused by the platform already; there is nothing to warn of.
    except Refusal:
        return {}
