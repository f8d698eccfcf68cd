"""Every table of a world, once. Ids of different kinds start apart, so that a mix-up fails loudly."""

from typing import cast

from fakeplat.core.agenda import Due
from fakeplat.core.state import Draft, View
from fakeplat.core.table import TableOf, each, many, unique
from fakeplat.model.instance import Instance, Setup
from fakeplat.model.namespaces import Namespace
from fakeplat.model.projects import CustomAttribute, Member, Project, Share, Star, StoredFile
from fakeplat.model.settings import THE_ONE, Settings
from fakeplat.model.users import Identity, Token, User


class World(View):
    """The records of one isolated platform, frozen."""

    settings_table = TableOf(Settings, first_id=THE_ONE)
    agenda = TableOf(Due, many("subject", lambda d: d.subject), first_id=1)
    users = TableOf(
        User,
        unique("username", lambda u: u.username.lower()),
        unique("email", lambda u: u.email.lower()),
        first_id=1,
    )
    identities = TableOf(
        Identity,
        many("user", lambda i: i.user_id),
        unique("extern", lambda i: (i.provider, i.extern_uid)),
        first_id=700_001,
    )
    tokens = TableOf(
        Token,
        unique("value", lambda t: (_lane(t.kind), t.value)),
        many("user", lambda t: t.user_id),
        first_id=900_001,
    )
    namespaces = TableOf(
        Namespace,
        unique("place", lambda n: (n.parent_id, n.path.lower())),
        many("parent", lambda n: n.parent_id),
        many("owner", lambda n: getattr(n, "owner_id", None)),
        first_id=201,
    )
    projects = TableOf(
        Project,
        unique("place", lambda p: (p.namespace_id, p.path.lower())),
        unique("name", lambda p: (p.namespace_id, p.name)),
        many("namespace", lambda p: p.namespace_id),
        many("creator", lambda p: p.creator_id),
        many("visibility", lambda p: p.visibility),
        many("forked_from", lambda p: p.forked_from_id),
        first_id=5_001,
    )
    members = TableOf(
        Member,
        unique("pair", lambda m: (m.source, m.user_id)),
        many("source", lambda m: m.source),
        many("user", lambda m: m.user_id),
        first_id=40_001,
    )
    shares = TableOf(
        Share,
        unique("pair", lambda s: (s.source, s.group_id)),
        many("source", lambda s: s.source),
        many("group", lambda s: s.group_id),
        first_id=60_001,
    )
    stars = TableOf(
        Star,
        unique("pair", lambda s: (s.user_id, s.project_id)),
        many("user", lambda s: s.user_id),
        many("project", lambda s: s.project_id),
        first_id=80_001,
    )
    custom_attributes = TableOf(
        CustomAttribute,
        unique("key", lambda c: (c.subject, c.key)),
        many("subject", lambda c: c.subject),
        each("pair", lambda c: [(c.subject[0], c.key, c.value)]),
        first_id=100_001,
    )
    files = TableOf(
        StoredFile,
        unique("place", lambda f: (f.owner, f.secret, f.filename)),
        many("owner", lambda f: f.owner),
        first_id=120_001,
    )

    @classmethod
    def table_name(cls, record: object) -> str:
        """The name of the table that holds records like this one."""
        return next(table.name for table in cls.tables if isinstance(record, table.kind))

    @property
    def setup(self) -> Setup:
        """What the world was set up with."""
        return cast(Setup, self.state.setup)

    @property
    def instance(self) -> Instance:
        """Release, tier, offering, names."""
        return self.setup.instance

    @property
    def settings(self) -> Settings:
        """The application settings."""
        return self.settings_table[THE_ONE]


class WorldDraft(World, Draft):
    """A world that verbs change."""


def _lane(kind: str) -> str:
    """Credentials are looked up by where they are sent: sessions and job tokens have places of their own."""
    return kind if kind in ("session", "job") else "token"
