"""Deployment environments of projects."""

from typing import Final, Literal

from fakeplat.core.store.frozen import frozen
from fakeplat.model.repositories import Access

EnvironmentState = Literal["available", "stopped"]
EnvironmentTier = Literal["production", "staging", "testing", "development", "other"]

_PRODUCTION: Final = ("prod", "production")


@frozen
class Environment:
    """An environment of a project; names are case-sensitive.

    ``slug`` is made from the first name and never changes. ``auto_stop_at`` is when the environment stops by itself.
    ``tier`` is guessed from the first name, unless it is given.
    """

    id: int
    project_id: int
    name: str
    created_at: str
    updated_at: str
    state: EnvironmentState = "available"
    external_url: str | None = None
    slug: str = ""
    auto_stop_at: str | None = None
    tier: EnvironmentTier = "other"

    @property
    def is_available(self) -> bool:
        """Whether the environment is not stopped."""
        return self.state == "available"

    @property
    def is_production(self) -> bool:
        """Whether the name, or its folder, says that this is where users are served."""
        return (self.folder or self.name).lower() in _PRODUCTION

    @property
    def folder(self) -> str | None:
        """The part of the name before the first slash, which groups environments such as review apps."""
        folder, slash, _ = self.name.partition("/")
        return folder if slash else None


@frozen
class ProtectedEnvironment:
    """The environments of a project with a name, to which only some may deploy. There may be none with this name."""

    id: int
    project_id: int
    name: str
    deploy: tuple[Access, ...]
    updated_at: str
