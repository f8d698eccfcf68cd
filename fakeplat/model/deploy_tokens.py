"""Deploy tokens: credentials of projects and groups, without a user."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

DeployTokenScope = Literal[
    "read_repository", "read_registry", "write_registry", "read_package_registry", "write_package_registry"
]


@frozen
class DeployToken:
    """A name and password for git and the registries. ``source`` is ("project" or "group", id).

    The token of a group is valid for all projects in the group and its subgroups.
    """

    id: int
    source: tuple[str, int]
    name: str
    username: str
    value: str
    created_at: str
    scopes: tuple[DeployTokenScope, ...] = ()
    expires_at: str | None = None
    revoked: bool = False
