"""The status of controls outside of the platform, of which there are none.

Source: docs/platform/projects.md ('External controls').
"""

from typing import Final, Literal

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.policy.context import WriteContext

area: Final = Area("Security settings", login=Login.NEVER)


class ControlNotFound(Refusal):
    """404 with an ``error``: there is no such control."""

    status = 404

    def __init__(self, control_id: int) -> None:
        reason = f"there is no control {control_id}: nothing here adds requirements to compliance frameworks"
        super().__init__({"error": "Control not found"}, reason=reason)


class UpdateControlStatus(Params):
    """Whether the project passes the control."""

    status: Literal["pass", "fail"]


@area.operation(
    "PATCH",
    "projects/:id/compliance_external_controls/:control_id/status",
    name="update_compliance_external_control_status",
    params=UpdateControlStatus,
    refusals=(400, 404),
    since="17.11",
    tier="ultimate",
)
def update_control_status(_ctx: WriteContext, id: str, control_id: int) -> None:  # noqa: ARG001  # the control is looked up before the project
    """Set the status of a control outside of the platform."""
    raise ControlNotFound(control_id)
