from typing import Any, Literal, TypeVar

import orjson
import pytest

from fakeplat.core.cache.dependencies import Dependencies
from fakeplat.core.cache.entries import Cache
from fakeplat.core.operations.entity import (
    Entity,
    attr,
    computed,
    computed_if,
    constant,
    nested,
    render,
    with_wire_names,
)
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.projects import projects
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.world import World, WorldDraft
from fakeplat.policy.context import ANONYMOUS, Caller, ReadContext, Services, WriteContext
from tests.worlds import Site, create_site


class Basic(Entity[User]):
    """A view that counts how often it is rendered."""

    render_count = 0

    id = attr()
    handle = attr("username")

    @computed
    def stars(self) -> int:
        type(self).render_count += 1
        return len(self.ctx.world.stars.ids("user", self.record.id))


class Full(Basic):
    """A view on top of another: one field more, one under a condition, one left out."""

    kind = constant("account", str)
    email = attr(when=lambda view: view.ctx.admin)
    handle = None

    @computed_if(when=lambda view: "note" in view.options)
    def note(self) -> str:
        return "asked for"


class Personal(Basic):
    """A view that asks who is looking."""

    @computed
    def mine(self) -> bool:
        user = self.ctx.viewer
        return user is not None and user.id == self.record.id


class Nested(Basic):
    """A view that shows another record inside."""

    @computed
    def first(self) -> Any:
        return self.ctx.render(Basic, self.ctx.world.users[1])


@pytest.fixture(autouse=True)
def _counted() -> None:
    for view in (Basic, Full, Personal, Nested):
        view.render_count = 0


def render_ada(site: Site, view: type[Entity[Any]], by: str | None = None, options: tuple[str, ...] = ()) -> Any:
    """What ada looks like to somebody."""
    return orjson.loads(render(view, site.person("ada"), site.context(by), options).data)


def test_a_view_shows_its_fields_in_the_order_of_declaration() -> None:
    """A view shows attributes, renamed attributes and computed fields in the order of declaration."""
    view = render_ada(create_site(), Basic)
    assert {"id": 2, "handle": "ada", "stars": 0} == view
    assert ["id", "handle", "stars"] == list(view)


@pytest.mark.parametrize(
    ("by", "options", "more"),
    [
        (None, (), {}),
        ("ada", (), {}),
        ("root", (), {"email": "ada@example.test"}),
        ("root", ("note",), {"email": "ada@example.test", "note": "asked for"}),
        ("dev", ("note",), {"note": "asked for"}),
    ],
)
def test_a_view_builds_on_another(by: str | None, options: tuple[str, ...], more: dict[str, str]) -> None:
    """A view inherits fields, can leave some out, and shows others only to certain viewers or with an option."""
    assert {"id": 2, "stars": 0, "kind": "account", **more} == render_ada(create_site(), Full, by, options)


def test_a_view_leaves_the_one_below_it_alone() -> None:
    """A base view still shows what a derived view leaves out, and the types of all fields are known."""
    assert {"id": int, "handle": str, "stars": int} == Basic.field_types()
    assert {"id": int, "stars": int, "kind": str, "email": str, "note": str} == Full.field_types()


def test_a_field_has_the_type_of_the_record_s_annotation() -> None:
    """The types of fields follow the annotations of the record, with str for literals and list for tuples."""

    @frozen
    class Thing:
        state: Literal["on", "off"]
        kind: Literal["a", "b"] | None
        names: tuple[str, ...]
        weight: int | None

        @property
        def is_on(self) -> bool:
            return self.state == "on"

    class ThingView(Entity[Thing]):
        state = attr()
        kind = attr()
        names = attr()
        heavy = attr("weight", when=lambda view: view.ctx.admin)
        is_on = attr()

    kinds = {"state": str, "kind": str | None, "names": list[str], "heavy": int | None, "is_on": bool}
    assert kinds == ThingView.field_types()


@pytest.mark.parametrize("field", [attr("nickname"), nested("nickname.first", str)], ids=["attribute", "nested"])
def test_a_view_cannot_show_what_its_record_does_not_have(field: Any) -> None:
    """Declaring a view of an attribute that the record does not have fails and names the view, field and attribute."""
    with pytest.raises(TypeError, match=r"^Odd\.alias shows 'nickname[^']*', which .*User'> does not have$"):
        type("Odd", (Basic,), {"alias": field})


def test_a_generic_view_is_checked_where_its_record_is_named() -> None:
    """The fields of a generic view are checked when a derived view names its record class."""
    T = TypeVar("T")

    class Named(Entity[T]):
        username = attr()

    class NamedUser(Named[User]):
        pass

    assert {"username": str} == NamedUser.field_types()
    with pytest.raises(TypeError, match=r"^NamedProject\.username shows 'username', which"):

        class NamedProject(Named[Project]):
            pass


def test_a_record_is_rendered_once_for_everybody() -> None:
    """A record is rendered once for all viewers, as long as nothing that was read for it changes."""
    site = create_site()
    for by in (None, "ada", "root", None):
        render_ada(site, Basic, by)
    site.change_user("eve", name="Renamed")
    render_ada(site, Basic)
    assert 1 == Basic.render_count


def test_a_view_of_what_has_no_id_is_rendered_each_time() -> None:
    """A view that is not cached by id is rendered each time, and what it read counts for the outer view."""

    class Bare(Entity[str]):
        cached_by_id = False

        @computed
        def users(self) -> str:
            return f"{self.record} {self.ctx.world.users[1].username}"

    site = create_site()
    ctx = site.context(None)
    ctx.world.reads = reads = Dependencies()
    records: tuple[Any, ...] = ("a", "b", "a")
    views = [orjson.loads(render(Bare, record, ctx).data) for record in records]
    ctx.world.reads = None

    assert [{"users": "a root"}, {"users": "b root"}, {"users": "a root"}] == views
    assert [{World.users.position}] * 3 == [part.tables.keys() for part in reads.parts]


def test_a_record_is_rendered_anew_when_it_or_what_it_read_changed() -> None:
    """A record is rendered again after a change of the record or of an index that its view counted in."""
    site = create_site()
    seen = [render_ada(site, Basic)]
    site.ask("POST", "projects/acme%2Fsite/star", "ada")
    seen.append(render_ada(site, Basic))
    site.change_user("ada", username="adele")
    seen.append(orjson.loads(render(Basic, site.person("adele"), site.context(None)).data))
    assert [("ada", 0), ("ada", 1), ("adele", 1)] == [(body["handle"], body["stars"]) for body in seen]
    assert 3 == Basic.render_count


def test_a_view_that_asks_who_is_looking_is_rendered_once_for_each() -> None:
    """A view that depends on the viewer is rendered once for each viewer and never shown to another."""
    site = create_site()
    seen = [render_ada(site, Personal, by)["mine"] for by in ("ada", None, "dev", "ada", None, "dev")]
    assert [True, False, False, True, False, False] == seen
    assert 3 == Personal.render_count


def test_an_inner_record_that_changes_changes_the_outer_one() -> None:
    """A change of a nested record changes the outer view, also if the nested view came from the cache."""
    site = create_site()
    render_ada(site, Basic)
    assert "root" == render_ada(site, Nested)["first"]["handle"]
    site.change_user("root", username="admin")
    assert "admin" == render_ada(site, Nested)["first"]["handle"]


def test_a_fragment_is_shared_across_forks() -> None:
    """A view rendered after a snapshot is reused after the snapshot is restored."""
    site = create_site()
    moment = site.platform.snapshot()
    render_ada(site, Basic)
    site.change_user("eve", name="Renamed")
    site.platform.restore(moment)
    render_ada(site, Basic)
    assert 1 == Basic.render_count


def test_what_was_rendered_in_a_draft_that_was_dropped_is_not_shown() -> None:
    """A view rendered in a transaction that was rolled back is not shown afterwards."""
    site = create_site()
    project, ada = site.place("acme/site"), site.person("ada")

    def give_up() -> None:
        with site.platform.acting(ada) as ctx:
            projects.star(ctx, project, ada)
            assert 1 == orjson.loads(render(Basic, ada, ctx).data)["stars"]
            raise LookupError

    with pytest.raises(LookupError):
        give_up()
    assert 0 == render_ada(site, Basic)["stars"]


def test_what_was_rendered_before_a_draft_is_not_shown_in_it() -> None:
    """A view rendered in a transaction shows what the transaction has changed so far."""
    site = create_site()
    project, ada = site.place("acme/site"), site.person("ada")
    render_ada(site, Basic)
    with site.platform.acting(ada) as ctx:
        projects.star(ctx, project, ada)
        assert 1 == orjson.loads(render(Basic, ada, ctx).data)["stars"]


def begin_draft(site: Site, memory: Cache[Any]) -> WriteContext:
    platform = site.platform
    return WriteContext(WorldDraft(platform.state), ANONYMOUS, Services(site.clock, memory=memory))


def count_stars(ctx: ReadContext) -> int:
    """What somebody remembers of how many stars there are."""
    return ctx.memoize("stars", lambda: len(ctx.world.stars))


def test_what_a_verb_remembers_is_what_it_did_so_far() -> None:
    """A memoized value in a transaction reflects the changes that the transaction has made so far."""
    site, memory = create_site(), Cache[Any]()
    ctx = begin_draft(site, memory)
    assert 0 == count_stars(ctx)
    projects.star(ctx, site.place("acme/site"), site.person("ada"))
    assert 1 == count_stars(ctx)


def test_what_a_dropped_draft_remembered_is_forgotten() -> None:
    """Values memoized in a transaction that was dropped are not used by the next one."""
    site, memory = create_site(), Cache[Any]()
    ctx = begin_draft(site, memory)
    projects.star(ctx, site.place("acme/site"), site.person("ada"))
    count_stars(ctx)
    assert 0 == count_stars(begin_draft(site, memory))


def test_what_depends_on_the_viewer_is_remembered_for_each() -> None:
    """A memoized value that depends on the viewer is kept per viewer, any other is shared by all."""
    site, memory = create_site(), Cache[Any]()
    counts: list[str] = []

    def count(ctx: ReadContext) -> int:
        counts.append("made")
        return len(ctx.world.users)

    def ask(by: str | None) -> tuple[Any, int]:
        reader = site.context(by)
        ctx = ReadContext(reader.world, Caller(reader.viewer), Services(site.clock, memory=memory))
        name = ctx.memoize("name", lambda: ctx.viewer.username if ctx.viewer else None)
        return name, ctx.memoize("count", lambda: count(ctx))

    assert [("ada", 4), (None, 4), ("dev", 4), ("ada", 4)] == [ask(by) for by in ("ada", None, "dev", "ada")]
    assert ["made"] == counts


def test_who_reads_learns_who_asks_only_as_the_viewer() -> None:
    """A read context gives the viewer only through an attribute whose use is recorded as a dependency."""
    ctx = create_site().context("ada")
    ctx.world.reads = reads = Dependencies()
    assert not hasattr(ctx, "user")
    assert not reads.personal
    assert "ada" == ctx.signed_in_user.username
    assert reads.personal


@pytest.mark.parametrize(("changed", "holds"), [("ada", False), ("dev", False), ("eve", True)])
def test_every_viewer_that_was_asked_for_is_a_dependency(changed: str, holds: bool) -> None:
    """What asked for several viewers, some of them twice, is valid until the record of one of them changes."""
    site = create_site()
    ctx = site.context("ada")
    other = ctx.as_user(site.person("dev"))
    ctx.world.reads = reads = Dependencies()
    assert ["ada", "ada", "dev", "ada"] == [each.signed_in_user.username for each in (ctx, ctx, other, ctx)]
    ctx.world.reads = None
    site.change_user(changed, bio="Hello")
    assert holds == reads.is_valid_in(site.platform.state)


@pytest.mark.parametrize(
    ("wire_names", "names"),
    [
        ("both", ["id", "antispam_enabled", "akismet_enabled"]),
        ("neutral", ["id", "antispam_enabled"]),
        ("vendor", ["id", "akismet_enabled"]),
    ],
)
def test_a_field_with_two_names_goes_out_under_those_that_the_instance_shows(wire_names: str, names: list[str]) -> None:
    """A field with two names is rendered under the names that `wire_names` selects; other fields are unchanged."""
    fields = with_wire_names({"id": 7, "antispam_enabled": False}, wire_names)
    assert (names, {7, False}) == (list(fields), set(fields.values()))
