"""Rows of an archive: what they say of a record, with references resolved in the world that they are imported into."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from attrs import define, field

from fakeplat.core.schema import records
from fakeplat.core.schema.shapes import Object
from fakeplat.core.timestamps import from_iso, to_iso
from fakeplat.domain.import_export.archive_files import BadArchiveError, Rows
from fakeplat.domain.people import users
from fakeplat.domain.people.members import source_of
from fakeplat.domain.planning import labels, milestones
from fakeplat.model.people import Group, User
from fakeplat.model.planning import Label, Milestone
from fakeplat.model.projects import Project
from fakeplat.policy.context import WriteContext

Row = Mapping[str, Any]
_LABEL: Final = records.fields(Label, without=("id", "source"))
_MILESTONE: Final = records.fields(Milestone, without=("id", "source"))


def read_fields(kind: type, row: Row, names: Collection[str]) -> dict[str, Any]:
    """Return those fields of a record that a row has, in the types of the record; null stands for the default."""
    given = {name: row[name] for name in names if row.get(name) is not None}
    shapes = {name: shape for name, shape in records.fields(kind).items() if name in given}
    values = Object(shapes).read({name: _read_time(name, value) for name, value in given.items()})
    return records.build_fields(kind, values)


def _read_time(name: str, value: object) -> object:
    # The platform's own archives have times with other precisions and zones.
    return to_iso(from_iso(value)) if name.endswith("_at") and isinstance(value, str) else value


def rows_in(row: Row, name: str) -> Rows:
    """Return the rows below another one."""
    value = row.get(name)
    return [inner for inner in value if isinstance(inner, dict)] if isinstance(value, list) else []


def text_in(row: Row, name: str) -> str:
    """Return a text that a row must have."""
    value = row.get(name)
    if not isinstance(value, str):
        raise BadArchiveError(f"{name} is missing")
    return value


@define
class Resolver:
    """Finds users, labels and milestones that rows name.

    As on the platform, only an administrator's import finds other users than the one who imports.
    """

    ctx: WriteContext
    container: Project | Group
    importer: User
    known_users: dict[int, int] = field(factory=dict)

    def learn_members(self, rows: Iterable[Row]) -> None:
        """Learn who the users in the archive are from its members."""
        for row in rows:
            identity = row.get("user")
            user = self._find_user(identity) if isinstance(identity, Mapping) else None
            if user is not None and isinstance(row.get("user_id"), int):
                self.known_users[row["user_id"]] = user.id

    def find_user(self, row: Row, role: str) -> User | None:
        """Return the user of a row by role (``author``), if the world has this user and the importer may use it."""
        identity, id_ = row.get(role), row.get(f"{role}_id")
        user = self._find_user(identity) if isinstance(identity, Mapping) else None
        if user is None and isinstance(id_, int) and id_ in self.known_users:
            user = self.ctx.world.users.get(self.known_users[id_])
        return user

    def user_or_importer(self, row: Row, role: str = "author") -> User:
        """Return the user of a row, or else the importer."""
        return self.find_user(row, role) or self.importer

    def _find_user(self, identity: Row) -> User | None:
        world, email = self.ctx.world, identity.get("public_email") or identity.get("email")
        by_email = users.find_by_email(world, email) if isinstance(email, str) else None
        name = identity.get("username")
        user = by_email or (users.find_by_username(world, name) if isinstance(name, str) else None)
        return user if user is not None and (self.importer.admin or user.id == self.importer.id) else None

    def label_ids(self, row: Row) -> tuple[int, ...]:
        """Return the labels of a row, creating those that the project and the groups above do not have."""
        found = (link["label"] for link in rows_in(row, "label_links") if isinstance(link.get("label"), Mapping))
        return tuple(dict.fromkeys(self.get_or_create_label(label).id for label in found))

    def get_or_create_label(self, row: Row) -> Label:
        """Return the label with the title of a row."""
        label = labels.find_by_title(self.ctx.world, self.container, text_in(row, "title"))
        if label is not None:
            return label
        return labels.insert(self.ctx, self.container, **read_fields(Label, row, _LABEL))

    def milestone_id(self, row: Row) -> int | None:
        """Return the milestone of a row, creating it if the project and the groups above do not have it."""
        milestone = row.get("milestone")
        return self.get_or_create_milestone(milestone).id if isinstance(milestone, Mapping) else None

    def get_or_create_milestone(self, row: Row) -> Milestone:
        """Return the milestone with the title of a row; one of a group that becomes another one's gets a new iid."""
        title, world = text_in(row, "title"), self.ctx.world
        for milestone in milestones.list_available(world, self.container):
            if milestone.title == title:
                return milestone
        names = _MILESTONE if row.get("group_id") is None else _MILESTONE.keys() - {"iid"}
        fields = read_fields(Milestone, row, names)
        if world.milestones.find("iid", (source_of(self.container), fields.get("iid"))):
            del fields["iid"]
        return milestones.insert(self.ctx, self.container, **fields)
