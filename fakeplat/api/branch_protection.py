"""How default branches of new projects are protected, as a parameter of the instance and of groups."""

from typing import Any, Literal

from fakeplat.core.params.params import Params


class ProtectionLevel(Params):
    """Who may push to or merge into default branches."""

    access_level: Literal[30, 40, 60, 0]


class BranchProtection(Params):
    """How default branches of new projects are protected."""

    allowed_to_push: list[ProtectionLevel] | None = None
    allow_force_push: bool | None = None
    allowed_to_merge: list[ProtectionLevel] | None = None
    code_owner_approval_required: bool | None = None
    developer_can_initial_push: bool | None = None

    def as_object(self) -> dict[str, Any]:
        """Return the values that were sent."""
        given = self.given()
        for name in ("allowed_to_push", "allowed_to_merge"):
            if name in given:
                given[name] = [level.given() for level in given[name] or ()]
        return given
