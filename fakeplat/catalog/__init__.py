"""The catalog of all operations that the platform is known to have, implemented here or not."""

from collections.abc import Iterable
from functools import cache
from itertools import zip_longest
from typing import Final

import fakeplat.api  # noqa: F401  # registers the lazy routes
from fakeplat.catalog.unbuilt import UnbuiltOperation, unbuilt_operations
from fakeplat.core.operations.errors import (
    Forbidden,
    NotFound,
    OperationNotImplemented,
    Refusal,
    Unauthorized,
    UnauthorizedWithMessage,
)
from fakeplat.core.operations.operation import OPERATIONS, PREFIX, LazyRoute
from fakeplat.core.operations.router import Router
from fakeplat.core.release import EVERYTHING, Lifetime, Profile
from fakeplat.model.instance import Instance

KnownOperation = LazyRoute | UnbuiltOperation
_NEAREST: Final = 3
_FORBIDDEN_BELOW_TIER: Final = frozenset(
    (
        "list_epics create_epic get_epic update_epic delete_epic list_epic_issues add_epic_issue reorder_epic_issue "
        "delete_epic_issue list_child_epics create_child_epic add_child_epic reorder_child_epic delete_child_epic "
        "list_project_aliases create_project_alias get_project_alias delete_project_alias "
        "get_group_activity_issues_count get_group_activity_merge_requests_count get_group_activity_new_members_count "
        "list_code_review_analytics get_analytics_deployment_frequency list_dependencies create_dependency_list_export "
        "create_group_dependency_list_export create_pipeline_dependency_list_export "
        "get_project_security_settings update_project_security_settings update_group_security_settings "
        "list_member_roles create_member_role delete_member_role list_group_member_roles create_group_member_role "
        "delete_group_member_role "
        "list_related_epics create_related_epic_link delete_related_epic_link list_group_related_epic_links "
        "list_project_audit_events get_project_audit_event list_group_audit_events get_group_audit_event "
        "list_group_epic_boards get_group_epic_board list_group_epic_board_lists get_group_epic_board_list"
    ).split()
)
"""Operations that answer 403 below their tier; all other paid operations answer 404."""
_TEXTS_BELOW_TIER: Final = dict.fromkeys(
    ("get_compliance_policy_settings", "update_compliance_policy_settings"),
    "security_orchestration_policies license feature not available",
)
"""The texts of those that say what is missing."""
_UNAUTHORIZED_BELOW_TIER: Final = frozenset(
    (
        "list_external_status_checks create_external_status_check update_external_status_check "
        "delete_external_status_check list_merge_request_status_checks create_merge_request_status_check_response "
        "retry_merge_request_status_check"
    ).split()
)
"""Operations that answer 401 below their tier."""


def known_operations() -> Iterable[KnownOperation]:
    """Return all known operations, the implemented ones first."""
    return (*OPERATIONS.lazy_routes(), *unbuilt_operations())


@cache
def _router(profile: Profile) -> Router[UnbuiltOperation]:
    """Return the router of the operations of a release that are not implemented."""
    return Router(operation for operation in unbuilt_operations() if profile.has(operation.lifetime))


@cache
def _router_of_all() -> Router[KnownOperation]:
    return Router(known_operations())


def refusal(instance: Instance, method: str, path: str) -> Refusal | None:
    """Return the refusal for an operation of the release that is not implemented; None for any other path.

    404, or 403 for epics, if it is above the tier; otherwise 501.
    """
    operation = _router(instance.profile).match(method, path).route
    if operation is None:
        return None
    if not instance.has(operation.tier):
        return tier_refusal(operation.name, f"{operation.name} requires the tier {operation.tier}")
    return OperationNotImplemented(operation.name, left_out=operation.left_out)


def find_unbuilt(method: str, path: str) -> UnbuiltOperation | None:
    """Return the operation of any release that is not implemented and has the method and the path."""
    return _router(EVERYTHING).match(method, path).route


_DORA: Final = ("get_project_dora_metrics", "get_group_dora_metrics")


def is_located_below_tier(operation_name: str) -> bool:
    """Return whether an operation looks up its project or group before it says that the tier is too low."""
    return operation_name in _UNAUTHORIZED_BELOW_TIER


def tier_refusal(operation_name: str, reason: str) -> Refusal:
    """Return the refusal of an operation below its tier."""
    if operation_name in _DORA:
        return UnauthorizedWithMessage("You do not have permission to access dora metrics.", reason=reason)
    if operation_name in _TEXTS_BELOW_TIER:
        return Forbidden(_TEXTS_BELOW_TIER[operation_name], reason=reason)
    if operation_name in _UNAUTHORIZED_BELOW_TIER:
        return Unauthorized(reason=reason)
    return (Forbidden if operation_name in _FORBIDDEN_BELOW_TIER else NotFound)(reason=reason)


def explain_missing_in_release(name: str, lifetime: Lifetime, instance: Instance) -> str:
    """Explain that an operation does not exist in the instance's release."""
    return f"{name} exists {lifetime}; this world is {instance.version} (instance.version)"


def explain_unknown_path(method: str, path: str) -> str:
    """Explain that no operation has a path, with a probable cause and the nearest operations."""
    if path.startswith(f"{PREFIX}{PREFIX}/"):
        return f"no operation has the path {path}: it contains the prefix {PREFIX} twice"
    encoded = _encode_full_path(method, path)
    hint = f"; encode the slashes of a full path: {encoded}" if encoded else ""
    return f"no operation has the path {path}; nearest: {', '.join(_nearest(method, path))}{hint}"


def _encode_full_path(method: str, path: str) -> str | None:
    """Return the path with the slashes of a project's or group's full path encoded, if that matches a route."""
    # A frequent mistake: /projects/acme/site/issues instead of /projects/acme%2Fsite/issues.
    head, parts = path.split("/")[:4], path.split("/")[4:]
    if head[-1:] not in (["projects"], ["groups"]) or not parts or parts[0].isdigit():
        return None
    for end in range(len(parts), 1, -1):
        candidate = "/".join([*head, "%2F".join(parts[:end]), *parts[end:]])
        route = _router_of_all().match(method, candidate).route
        if (
            route is not None
            and route.path.count("/") == candidate.count("/")
            and (end < len(parts) or len(parts) == 2)
        ):
            return candidate
    return None


def _nearest(method: str, path: str) -> list[str]:
    """Return the operations with the most similar paths, those with the same method first among equals."""
    segments = path.split("/")
    ranked = sorted(
        known_operations(),
        key=lambda operation: (-_likeness(segments, operation.path.split("/")), operation.method != method),
    )
    return [f"{operation.method} {operation.path}" for operation in ranked[:_NEAREST]]


def _likeness(segments: list[str], template: list[str]) -> float:
    """Return the similarity (0 to 1) of a path and a template; a parameter equals any segment."""
    from difflib import SequenceMatcher

    pairs = zip_longest(segments, template, fillvalue="")
    parts = [
        1.0 if segment and part[:1] == ":" else SequenceMatcher(None, segment, part).ratio() for segment, part in pairs
    ]
    return sum(parts) / len(parts)


def unbuilt_methods(instance: Instance, path: str) -> tuple[str, ...]:
    """Return the methods of a path that the instance's release has, but that are not implemented."""
    return _router(instance.profile).match("", path).allowed
