"""Sheets that reassign what imports brought. Source: docs/platform/import-export.md ('Placeholder users')."""

from typing import Final

from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.errors import Unprocessable
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import Params
from fakeplat.core.timestamps import SECOND
from fakeplat.domain.import_export import source_users
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Import/export", login=Login.ALWAYS, located_first=True)
_PATH: Final = "placeholder_reassignments"
_ACCEPTED: Final = {"message": "The file is being processed and you will receive an email when completed."}


@area.operation("GET", _PATH, scope=GROUP, ability=Ability.ADMIN_GROUP, since="17.10")
def list_group_placeholder_reassignments(ctx: ReadContext, group: Group) -> RawBody:
    """Download the sheet of the users whose contributions can be reassigned."""
    name = f"placeholder_reassignments_for_group_{group.id}_{ctx.now() // SECOND}.csv"
    headers = (("Content-Disposition", f'attachment; filename="{name}"'),)
    sheet = source_users.write_sheet(source_users.list_pending(ctx.world, group))
    return RawBody(sheet.encode(), "text/csv; charset=utf-8", headers)


class UploadSheet(Params):
    """The sheet."""

    file: Upload


@area.operation(
    "POST",
    _PATH,
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=UploadSheet,
    refusals=(422,),
    since="17.10",
)
def create_group_placeholder_reassignment(ctx: WriteContext, group: Group, p: UploadSheet) -> dict[str, str]:
    """Reassign the contributions of users of other instances by a sheet."""
    if not p.file.filename.endswith(".csv"):
        text = "You must upload a CSV file with a .csv file extension."
        raise Unprocessable(text, reason=f"the file is {p.file.filename}")
    source_users.reassign(ctx, group, source_users.read_sheet(p.file.data))
    return _ACCEPTED
