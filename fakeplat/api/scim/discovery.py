"""What the SCIM endpoint of a group supports. Source: docs/platform/scim.md. See RFC 7643 (5 to 7) and RFC 7644 (4)."""

from collections.abc import Mapping
from typing import Final

from fakeplat.api.scim.users import SCIM_GROUP, TIER, area
from fakeplat.domain.scim.scim_errors import ScimNotFound
from fakeplat.entities.scim import LIST_SCHEMA, USER_SCHEMA
from fakeplat.model.people import Group
from fakeplat.policy.context import ReadContext

_CORE: Final = "urn:ietf:params:scim:schemas:core:2.0"
_MAX_RESULTS: Final = 100


def _attribute(name: str, kind: str = "string", *parts: Mapping[str, object], **changes: object) -> dict[str, object]:
    attribute: dict[str, object] = {
        "name": name,
        "type": kind,
        "multiValued": False,
        "description": f"{name} of the user.",
        "required": False,
        "mutability": "readWrite",
        "returned": "default",
        **({} if kind in ("complex", "boolean") else {"caseExact": False, "uniqueness": "none"}),
        **changes,
    }
    return {**attribute, "subAttributes": list(parts)} if parts else attribute


_ATTRIBUTES: Final = [
    # A new one would be a new id, so identity providers are not to change it.
    _attribute("externalId", required=True, uniqueness="server", caseExact=True, mutability="immutable"),
    _attribute("userName", required=True, uniqueness="server"),
    _attribute(
        "name",
        "complex",
        _attribute("formatted", required=True),
        _attribute("familyName"),
        _attribute("givenName"),
        required=True,
    ),
    _attribute(
        "emails",
        "complex",
        _attribute("value", required=True),
        _attribute("type", canonicalValues=["work"]),
        _attribute("primary", "boolean"),
        multiValued=True,
        required=True,
    ),
    _attribute("active", "boolean"),
]

_USER_TYPE: Final[dict[str, object]] = {
    "schemas": [f"{_CORE}:ResourceType"],
    "id": "User",
    "name": "User",
    "endpoint": "/Users",
    "description": "Members of the group.",
    "schema": USER_SCHEMA,
    "meta": {"resourceType": "ResourceType"},
}
_USER_SCHEMA: Final[dict[str, object]] = {
    "schemas": [f"{_CORE}:Schema"],
    "id": USER_SCHEMA,
    "name": "User",
    "description": "A member of the group.",
    "attributes": _ATTRIBUTES,
    "meta": {"resourceType": "Schema"},
}


def _require_id(description: dict[str, object], id_: str) -> dict[str, object]:
    if description["id"] != id_:
        raise ScimNotFound(f"Resource {id_} not found")
    return description


def _wrap_list(*rows: Mapping[str, object]) -> dict[str, object]:
    return {
        "schemas": [LIST_SCHEMA],
        "totalResults": len(rows),
        "itemsPerPage": len(rows),
        "startIndex": 1,
        "Resources": list(rows),
    }


@area.operation("GET", "ServiceProviderConfig", scope=SCIM_GROUP, tier=TIER, since="<=18.9", refusals=(401, 404))
def get_scim_service_provider_config(_ctx: ReadContext, _group: Group) -> dict[str, object]:
    """Get what the SCIM endpoint of a group supports."""
    unsupported = {"supported": False}
    scheme = {"type": "oauthbearertoken", "name": "Bearer token", "description": "The SCIM token of the group."}
    return {
        "schemas": [f"{_CORE}:ServiceProviderConfig"],
        "patch": {"supported": True},
        "bulk": {**unsupported, "maxOperations": 0, "maxPayloadSize": 0},
        "filter": {"supported": True, "maxResults": _MAX_RESULTS},
        "changePassword": unsupported,
        "sort": unsupported,
        "etag": unsupported,
        "authenticationSchemes": [scheme],
        "meta": {"resourceType": "ServiceProviderConfig"},
    }


@area.operation("GET", "ResourceTypes", scope=SCIM_GROUP, tier=TIER, since="<=18.9", refusals=(401, 404))
def list_scim_resource_types(_ctx: ReadContext, _group: Group) -> dict[str, object]:
    """List the types of resources of the SCIM endpoint of a group."""
    return _wrap_list(_USER_TYPE)


@area.operation("GET", "ResourceTypes/:id", scope=SCIM_GROUP, tier=TIER, since="<=18.9", refusals=(401, 404))
def get_scim_resource_type(_ctx: ReadContext, _group: Group, id: str) -> dict[str, object]:
    """Get a type of resources of the SCIM endpoint of a group."""
    return _require_id(_USER_TYPE, id)


@area.operation("GET", "Schemas", scope=SCIM_GROUP, tier=TIER, since="<=18.9", refusals=(401, 404))
def list_scim_schemas(_ctx: ReadContext, _group: Group) -> dict[str, object]:
    """List the schemas of the resources of the SCIM endpoint of a group."""
    return _wrap_list(_USER_SCHEMA)


@area.operation("GET", "Schemas/:id", scope=SCIM_GROUP, tier=TIER, since="<=18.9", refusals=(401, 404))
def get_scim_schema(_ctx: ReadContext, _group: Group, id: str) -> dict[str, object]:
    """Get a schema of the resources of the SCIM endpoint of a group."""
    return _require_id(_USER_SCHEMA, id)
