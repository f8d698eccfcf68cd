"""What is kept is never stale: the property, then the single reasons why an answer changes or stays."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from fakeplat.core.cache.dependencies import Dependencies
from fakeplat.core.cache.entries import Cache, CacheEntry
from fakeplat.core.operations.errors import RecordNotFound, Refusal
from fakeplat.core.params.body import Upload
from fakeplat.core.timestamps import DAY, HOUR, MINUTE, from_iso
from fakeplat.domain.people import members, users
from fakeplat.domain.projects import custom_attributes, projects, shares, transfers
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import commit_actions
from fakeplat.domain.repository.commit_actions import Action, NewCommit
from fakeplat.model.people import TokenKind, Visibility
from fakeplat.model.projects import FEATURES
from fakeplat.policy.context import WriteContext
from tests.examples import examples
from tests.worlds import Site, SiteResponse, create_site

PEOPLE = ("ada", "dev", "eve")
VIEWERS = (None, "root", "dev")
PROJECTS = (5001, 5002, 5003)
GROUPS = (205, 206)
SINGLE = "?statistics=true&license=true&with_custom_attributes=true"
TARGETS = (
    *(
        f"projects/{id_}{more}"
        for id_ in PROJECTS
        for more in ("", SINGLE, "/members/all", "/starrers", "/groups?with_shared=true")
    ),
    *(f"users/{id_}{more}" for id_ in (2, 3, 4) for more in ("", "/projects", "/starred_projects")),
    *(f"namespaces/{id_}" for id_ in (*GROUPS, 202)),
    *(f"groups/{id_}/members" for id_ in GROUPS),
    "projects",
    "projects?simple=true&search=p",
    "projects?membership=true&with_custom_attributes=true",
    "projects?starred=true&order_by=name&per_page=2",
    "users",
    "users?search=ada",
    "user",
    "namespaces",
    "users/2/custom_attributes",
    *(f"projects/5001/repository/{what}" for what in ("tree", "commits?path=a", "commits?all=true&with_stats=true")),
    *(f"projects/5001/repository/{what}" for what in ("branches", "files/a?ref=master", "commits/master/refs")),
)

levels = st.sampled_from([10, 20, 30, 40, 50])
dates = st.one_of(st.none(), st.sampled_from(["2020-11-21", "2020-11-23"]))
visibilities = st.sampled_from(["private", "internal", "public"])
words = st.sampled_from(["one", "two", "Three", ""])
spots = st.sampled_from([("projects", id_) for id_ in PROJECTS] + [("namespaces", id_) for id_ in GROUPS])


def get_record(ctx: WriteContext, table: str, id_: int) -> Any:
    """A record that may have gone."""
    record = getattr(ctx.world, table).get(id_)
    if record is None:
        raise RecordNotFound
    return record


def is_same_answer(kept: SiteResponse, fresh: SiteResponse) -> bool:
    return (kept.status, kept.body, kept.lasting) == (fresh.status, fresh.body, fresh.lasting)


class Watched(RuleBasedStateMachine):
    """A platform to which something happens; after each event its answers are compared with a fresh one's."""

    targets: ClassVar[tuple[str, ...]]

    def _begin(self, site: Site) -> None:
        self.site = site
        self.current_state = site.platform.snapshot()

    @invariant()
    def kept_answers_are_those_of_a_fresh_platform(self) -> None:
        fresh = {by: self.site.twin() for by in VIEWERS}
        stale = [
            (target, by)
            for by in VIEWERS
            for target in self.targets
            if not is_same_answer(self.site.get(target, by), fresh[by].get(target, by))
        ]
        assert [] == stale

    @rule(span=st.sampled_from([1, MINUTE, DAY, 3 * DAY]))
    def advance(self, span: int) -> None:
        self.site.platform.advance(span)

    @rule()
    def memoize(self) -> None:
        self.current_state = self.site.platform.snapshot()

    @rule()
    def restore(self) -> None:
        self.site.platform.restore(self.current_state)


class Life(Watched):
    """Everything that verbs do to users, groups and projects."""

    targets = TARGETS

    @initialize()
    def begin(self) -> None:
        site = create_site(version="latest")
        site.group("tools", owner="eve", visibility="private")
        site.project("ada/notes", creator="ada", visibility="internal")
        site.project("tools/kit", creator="eve", visibility="private")
        self._begin(site)

    def _do(self, change: Callable[[WriteContext], object]) -> None:
        """Let it happen, where the platform does not refuse it."""
        try:
            with self.site.platform.acting(self.site.world.users.get(1)) as ctx:
                change(ctx)
        except Refusal:
            pass

    def _with(self, table: str, id_: int, change: Callable[[WriteContext, Any], object]) -> None:
        """Let something happen to a record, if it is still there."""
        self._do(lambda ctx: change(ctx, get_record(ctx, table, id_)))

    @rule(id_=st.sampled_from(PROJECTS), by=st.sampled_from([2, 3, 4]))
    def star(self, id_: int, by: int) -> None:
        self._with("projects", id_, lambda ctx, project: projects.star(ctx, project, get_record(ctx, "users", by)))

    @rule(branch=st.sampled_from(["master", "other"]), path=st.sampled_from(["a", "b"]), content=words)
    def push(self, branch: str, path: str, content: str) -> None:
        actions = [Action("create", path, content.encode())]
        new = NewCommit(branch, "change", actions, start_branch="master", force=True)
        self._with("projects", 5001, lambda ctx, project: commit_actions.commit(ctx, project, new))

    @rule(id_=st.sampled_from(PROJECTS), by=st.sampled_from([2, 3, 4]))
    def unstar(self, id_: int, by: int) -> None:
        self._with("projects", id_, lambda ctx, project: projects.unstar(ctx, project, get_record(ctx, "users", by)))

    @rule(
        id_=st.sampled_from([2, 3, 4]),
        changes=st.one_of(
            st.fixed_dictionaries({"name": st.sampled_from(["Ada", "Somebody"])}),
            st.fixed_dictionaries({"username": st.sampled_from(["ada", "dev", "eve", "other"])}),
            st.fixed_dictionaries(
                {"email": st.sampled_from(["a@example.test", "b@example.test"]), "skip_reconfirmation": st.just(True)}
            ),
            st.fixed_dictionaries({"private_profile": st.booleans(), "bio": words, "location": words}),
            st.fixed_dictionaries({"admin": st.booleans()}),
            st.fixed_dictionaries({"external": st.booleans()}),
            st.fixed_dictionaries({"provider": st.just("ldapmain"), "extern_uid": words}),
            st.fixed_dictionaries({"avatar": st.sampled_from([Upload("a.png", "image/png", b"a"), None])}),
        ),
    )
    def update_user(self, id_: int, changes: dict[str, Any]) -> None:
        self._with("users", id_, lambda ctx, user: users.update(ctx, user, **changes))

    @rule(id_=st.sampled_from([2, 3, 4]), state=st.sampled_from(["active", "blocked", "deactivated"]))
    def set_state(self, id_: int, state: str) -> None:
        self._with("users", id_, lambda ctx, user: users.set_state(ctx, user, state))

    @rule(hard=st.booleans())
    def delete_user(self, hard: bool) -> None:
        self._with("users", 4, lambda ctx, user: users.delete(ctx, user, hard=hard))

    @rule(
        id_=st.sampled_from(GROUPS),
        changes=st.one_of(
            st.fixed_dictionaries({"name": st.sampled_from(["Acme", "Other"])}),
            st.fixed_dictionaries({"path": st.sampled_from(["acme", "tools", "elsewhere"])}),
            st.fixed_dictionaries({"visibility": visibilities}),
            st.fixed_dictionaries({"description": words}),
        ),
    )
    def change_group(self, id_: int, changes: dict[str, Any]) -> None:
        if "path" in changes and self.site.world.namespaces.find("place", (None, changes["path"])):
            return
        self._with("namespaces", id_, lambda ctx, group: ctx.world.namespaces.change(group, **changes))

    @rule(
        id_=st.sampled_from(PROJECTS),
        changes=st.one_of(
            st.fixed_dictionaries({"visibility": visibilities}),
            st.fixed_dictionaries({"name": st.sampled_from(["Site", "p"]), "description": words}),
            st.fixed_dictionaries({"path": st.sampled_from(["site", "kit", "notes"])}),
            st.tuples(st.sampled_from(sorted(FEATURES)), st.sampled_from(["disabled", "private", "enabled"])).map(
                lambda change: {f"{change[0]}_access_level": change[1]}
            ),
            st.fixed_dictionaries({"avatar": st.sampled_from([Upload("a.png", "image/png", b"a"), None])}),
        ),
    )
    def update_project(self, id_: int, changes: dict[str, Any]) -> None:
        self._with("projects", id_, lambda ctx, project: projects.update(ctx, project, **changes))

    @rule(id_=st.sampled_from(PROJECTS), archived=st.booleans())
    def archive(self, id_: int, archived: bool) -> None:
        self._with("projects", id_, lambda ctx, project: projects.set_archived(ctx, project, archived))

    @rule(id_=st.sampled_from(PROJECTS), to=st.sampled_from([202, *GROUPS]))
    def transfer(self, id_: int, to: int) -> None:
        self._with(
            "projects", id_, lambda ctx, project: transfers.transfer(ctx, project, get_record(ctx, "namespaces", to))
        )

    @rule()
    def delete_project(self) -> None:
        self._with("projects", 5003, projects.delete)

    @rule()
    def delete_group(self) -> None:
        self._with("namespaces", GROUPS[1], purge)

    @rule(name=st.sampled_from(["new", "p"]), visibility=visibilities)
    def create_project(self, name: str, visibility: Visibility) -> None:
        self._with(
            "namespaces",
            202,
            lambda ctx, home: projects.create(ctx, home, get_record(ctx, "users", 2), name=name, visibility=visibility),
        )

    @rule(spot=spots, who=st.sampled_from([2, 3, 4]), level=levels, until=dates)
    def add_member(self, spot: tuple[str, int], who: int, level: int, until: str | None) -> None:
        self._with(
            *spot,
            lambda ctx, container: members.add_member(ctx, container, get_record(ctx, "users", who), level, until),
        )

    @rule(spot=spots, who=st.sampled_from([2, 3, 4]), level=levels, until=dates)
    def change_member(self, spot: tuple[str, int], who: int, level: int, until: str | None) -> None:
        def change(ctx: WriteContext, container: Any) -> None:
            member = members.get_member(ctx.world, container, who)
            members.update_member(ctx, container, member, access_level=level, expires_at=until)

        self._with(*spot, change)

    @rule(spot=spots, who=st.sampled_from([2, 3, 4]))
    def remove_member(self, spot: tuple[str, int], who: int) -> None:
        self._with(
            *spot,
            lambda ctx, container: members.remove_member(ctx, container, members.get_member(ctx.world, container, who)),
        )

    @rule(id_=st.sampled_from(PROJECTS), group=st.sampled_from(GROUPS), level=levels, until=dates)
    def share(self, id_: int, group: int, level: int, until: str | None) -> None:
        self._with(
            "projects",
            id_,
            lambda ctx, project: shares.share_with_group(
                ctx, project, get_record(ctx, "namespaces", group), level, until
            ),
        )

    @rule(id_=st.sampled_from(PROJECTS), group=st.sampled_from(GROUPS))
    def unshare(self, id_: int, group: int) -> None:
        self._with("projects", id_, lambda ctx, project: purge(ctx, shares.get_share(ctx.world, project, group)))

    @rule(subject=st.sampled_from([("user", 2), ("project", 5001)]), value=words)
    def put_custom_attribute(self, subject: tuple[str, int], value: str) -> None:
        self._do(lambda ctx: custom_attributes.set_attribute(ctx, subject, "place", value))

    @rule(subject=st.sampled_from([("user", 2), ("project", 5001)]))
    def remove_custom_attribute(self, subject: tuple[str, int]) -> None:
        self._do(lambda ctx: custom_attributes.delete_attribute(ctx, subject, "place"))

    @rule(
        changes=st.one_of(
            st.fixed_dictionaries({"gravatar_enabled": st.booleans()}),
            st.fixed_dictionaries({"restricted_visibility_levels": st.sampled_from([(), ("public",)])}),
        )
    )
    def change_settings(self, changes: dict[str, Any]) -> None:
        self.site.change_settings(**changes)

    @rule(
        changes=st.one_of(
            st.fixed_dictionaries({"revoked": st.booleans()}),
            st.fixed_dictionaries({"scopes": st.sampled_from([("api",), ("read_user",), ()])}),
            st.fixed_dictionaries({"expires_at": dates}),
        )
    )
    def change_token(self, changes: dict[str, Any]) -> None:
        token = self.site.world.tokens.find("value", ("token", "dev-token"))
        if token is not None:
            self._do(lambda ctx: ctx.world.tokens.change(token, **changes))


WORK = "projects/5001"
BOARD = "groups/205"
MILESTONE = f"{WORK}/milestones/4001"
WRITES: tuple[tuple[str, str, Any], ...] = (
    ("POST", f"{WORK}/issues", {"title": "Broken", "labels": "bug", "assignee_ids": [3], "due_date": "2020-11-21"}),
    ("POST", f"{WORK}/issues", {"title": "Secret", "confidential": True, "milestone_id": 4001}),
    ("PUT", f"{WORK}/issues/1", {"title": "Renamed", "description": "- [x] broken"}),
    ("PUT", f"{WORK}/issues/1", {"labels": "new,shared"}),
    ("PUT", f"{WORK}/issues/1", {"state_event": "close"}),
    ("PUT", f"{WORK}/issues/1", {"state_event": "reopen"}),
    ("PUT", f"{WORK}/issues/1", {"assignee_ids": [2], "confidential": True}),
    ("DELETE", f"{WORK}/issues/1", None),
    ("POST", f"{WORK}/labels", {"name": "bug", "color": "#ff0000", "priority": 1}),
    ("PUT", f"{WORK}/labels/bug", {"new_name": "defect"}),
    ("PUT", f"{WORK}/labels/bug", {"color": "#00ff00", "priority": None}),
    ("PUT", f"{WORK}/labels/bug/promote", None),
    ("DELETE", f"{WORK}/labels/bug", None),
    ("POST", f"{WORK}/labels/bug/subscribe", None),
    ("POST", f"{BOARD}/labels", {"name": "shared", "color": "#0000ff"}),
    ("DELETE", f"{BOARD}/labels/shared", None),
    ("POST", f"{WORK}/milestones", {"title": "one", "due_date": "2020-11-21"}),
    ("PUT", MILESTONE, {"title": "two"}),
    ("PUT", MILESTONE, {"state_event": "close"}),
    ("DELETE", MILESTONE, None),
    ("PUT", WORK, {"issues_access_level": "private"}),
    ("PUT", WORK, {"issues_access_level": "enabled", "visibility": "public"}),
    ("PUT", WORK, {"path": "moved", "visibility": "private"}),
    ("POST", f"{WORK}/archive", None),
    ("POST", f"{WORK}/unarchive", None),
    ("POST", f"{WORK}/members", {"user_id": 4, "access_level": 10}),
    ("DELETE", f"{WORK}/members/3", None),
    ("PUT", BOARD, {"name": "Elsewhere", "path": "elsewhere"}),
    ("PUT", BOARD, {"visibility": "private", "description": "x"}),
    ("POST", "groups", {"name": "Part", "path": "part", "parent_id": 205}),
    ("POST", f"{BOARD}/share", {"group_id": 206, "group_access": 30}),
    ("DELETE", f"{BOARD}/share/206", None),
    ("PUT", "users/3", {"name": "Renamed", "username": "renamed"}),
    ("DELETE", "users/4", None),
)


class Work(Watched):
    """What requests do to issues, labels, milestones and groups."""

    targets = (
        *(
            f"{project}/issues{query}"
            for project in (WORK, BOARD)
            for query in ("", "?state=opened&labels=bug", "?search=broken")
        ),
        f"{WORK}/issues?assignee_username=dev&order_by=priority",
        f"{WORK}/issues?due_date=overdue&with_labels_details=true",
        f"{WORK}/issues?milestone=one&order_by=updated_at&sort=asc",
        f"{WORK}/issues_statistics",
        "issues?scope=all&author_id=3&labels=None",
        "issues_statistics?scope=all",
        f"{WORK}/issues/1",
        *(f"{project}/labels?with_counts=true" for project in (WORK, BOARD)),
        f"{WORK}/labels/bug",
        *(f"{project}/milestones" for project in (WORK, BOARD)),
        MILESTONE,
        "groups",
        f"{BOARD}?with_projects=true",
        f"{BOARD}/projects",
        f"{BOARD}/subgroups",
        WORK,
    )

    @initialize()
    def begin(self) -> None:
        site = create_site(version="latest")
        site.group("friends", owner="eve")
        site.ask("POST", f"{WORK}/milestones", "ada", json={"title": "one", "due_date": "2020-11-21"})
        site.ask("POST", f"{WORK}/issues", "dev", json={"title": "Broken", "labels": "bug", "due_date": "2020-11-21"})
        self._begin(site)

    @rule(write=st.sampled_from(WRITES), by=st.sampled_from(["root", "dev"]))
    def write(self, write: tuple[str, str, Any], by: str) -> None:
        method, target, json = write
        self.site.ask(method, target, by, json=json)


LONG_ENOUGH = settings(
    max_examples=examples(5),
    stateful_step_count=25,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def test_kept_rendering_equals_fresh_rendering() -> None:
    """Cached rendering equals fresh rendering in body, ETag and headers after every random write, for three viewers."""
    run_state_machine_as_test(Life, settings=LONG_ENOUGH)


def test_kept_work_equals_fresh_work() -> None:
    """Cached and fresh rendering are equal for issues, labels, milestones and groups, whose lists are cached too."""
    run_state_machine_as_test(Work, settings=LONG_ENOUGH)


# what changes the tag of an answer


def get_etag(site: Site, target: str, by: str | None = "dev", **rest: Any) -> str:
    return site.get(target, by, **rest).headers["ETag"]


def create_village() -> Site:
    """A town where ada has a public project of her own that eve has starred."""
    site = create_site(version="latest")
    site.project("ada/notes", creator="ada", visibility="public")
    site.ask("POST", "projects/ada%2Fnotes/star", "eve")
    return site


def rename_user(username: str) -> Callable[[Site], object]:
    return lambda site: site.ask("PUT", f"users/{site.person(username).id}?name=Renamed", "root")


def change_group(site: Site) -> None:
    with site.platform.acting() as ctx:
        ctx.world.namespaces.change(site.place("acme"), name="Renamed")


def build_request(method: str, target: str, by: str) -> Callable[[Site], object]:
    return lambda site: site.ask(method, target, by)


SITE, NOTES = "projects/acme%2Fsite", "projects/ada%2Fnotes"


@pytest.mark.parametrize(
    ("change", "target"),
    [
        (build_request("POST", f"{SITE}/star", "ada"), SITE),
        (build_request("POST", f"{SITE}/star", "ada"), "projects"),
        (build_request("POST", f"{NOTES}/star", "root"), f"{NOTES}/starrers"),
        (build_request("POST", f"{NOTES}/unstar", "eve"), "users/eve/starred_projects"),
        (rename_user("ada"), NOTES),
        (rename_user("ada"), "projects"),
        (rename_user("eve"), f"{NOTES}/starrers"),
        (rename_user("ada"), f"{SITE}/members/all"),
        (rename_user("dev"), "user"),
        (change_group, SITE),
        (change_group, f"{SITE}/groups"),
        (build_request("PUT", f"{SITE}/members/3?access_level=40", "ada"), SITE),
        (build_request("POST", f"{SITE}/members?access_level=20&user_id=4", "ada"), f"{SITE}/members"),
        (build_request("PUT", f"{SITE}?visibility=public", "ada"), "projects"),
        (build_request("PUT", f"{SITE}?description=new", "ada"), "projects?membership=true"),
        (lambda site: site.share("acme/site", "acme", 20), SITE),
        (lambda site: site.change_settings(gravatar_enabled=False), "users/2"),
        (lambda site: site.change_user("dev", admin=True), SITE),
    ],
)
def test_a_write_changes_the_tag_of_everything_that_shows_it(change: Callable[[Site], object], target: str) -> None:
    """A write changes the ETag of every response that shows what it changed."""
    site = create_village()
    before = get_etag(site, target)
    assert before == get_etag(site, target)
    change(site)
    assert before != get_etag(site, target)
    assert 200 == site.get(target, "dev", headers={"if-none-match": before}).status


@pytest.mark.parametrize(
    ("change", "target"),
    [
        (build_request("POST", f"{NOTES}/star", "root"), SITE),
        (rename_user("eve"), SITE),
        (rename_user("eve"), NOTES),
        (build_request("PUT", f"{NOTES}?description=new", "ada"), SITE),
        (build_request("PUT", f"{NOTES}?description=new", "ada"), "user"),
        (build_request("POST", f"{SITE}/members?access_level=20&user_id=4", "ada"), f"{NOTES}/starrers"),
        (lambda site: site.user("new"), SITE),
        (lambda site: site.project("ada/more", creator="ada"), "projects"),
        (lambda site: site.platform.advance(HOUR), SITE),
    ],
)
def test_an_unrelated_write_leaves_the_tag(change: Callable[[Site], object], target: str) -> None:
    """A write to what a response does not show leaves its ETag, and a client that has the content gets 304."""
    site = create_village()
    before = get_etag(site, target)
    change(site)
    answer = site.get(target, "dev", headers={"if-none-match": before})
    assert (304, before, b"") == (answer.status, answer.headers["ETag"], answer.body)


def test_the_tag_is_of_the_content() -> None:
    """The ETag is weak, and the same content has the same ETag again after changes in between."""
    site = create_village()
    before = get_etag(site, SITE)
    assert before.startswith('W/"')
    assert before.endswith('"')
    site.ask("POST", f"{SITE}/star", "ada")
    site.ask("POST", f"{SITE}/unstar", "ada")
    assert before == get_etag(site, SITE)


@pytest.mark.parametrize(("target", "viewers"), [(NOTES, (None, "dev", "root")), ("projects", (None, "dev", "ada"))])
def test_another_viewer_has_another_tag(target: str, viewers: tuple[str | None, ...]) -> None:
    """Viewers who see different content or have different permissions get different ETags."""
    site = create_village()
    tags = [get_etag(site, target, viewer) for viewer in (*viewers, *viewers)]
    assert len(viewers) == len(set(tags))
    assert tags[: len(viewers)] == tags[len(viewers) :]


@pytest.mark.parametrize("target", [NOTES, "projects", "user", f"{NOTES}/starrers"])
def test_another_origin_has_another_tag(target: str) -> None:
    """Responses to requests for different origins have different ETags, since their URLs differ."""
    site = create_village()
    tags = {
        get_etag(site, target, origin=origin)
        for origin in ("http://localhost", "http://localhost:81", "https://localhost")
    }
    assert 3 == len(tags)


def test_what_is_written_after_a_restore_has_a_tag_of_its_own() -> None:
    """Two histories from one snapshot repeat ids and times but have different ETags."""
    site = create_village()
    before, tags = site.platform.snapshot(), [get_etag(site, SITE)]
    for text in ("one", "two"):
        site.platform.restore(before)
        assert tags[0] == get_etag(site, SITE)
        site.ask("PUT", f"{SITE}?description={text}", "ada")
        tags.append(get_etag(site, SITE))
    assert 3 == len(set(tags))


# what is kept, and for how long


@pytest.mark.parametrize(
    ("target", "kept"),
    [
        (f"{SITE}/issues?due_date=overdue", [False, False, True]),
        (f"{SITE}/issues?due_date=0", [False, False, False]),
        (f"{SITE}/issues_statistics?due_date=overdue", [False, False, True]),
        ("issues?scope=all&due_date=overdue", [False, False, True]),
        ("groups/acme/issues?due_date=overdue", [False, False, True]),
    ],
)
def test_an_answer_that_depends_on_the_date_is_kept_to_the_end_of_the_day(target: str, kept: list[bool]) -> None:
    """An issue due on the 21st is not shown as overdue on the 20th and the 21st, and is on the 22nd."""
    site = create_village()
    site.ask("POST", f"{SITE}/issues", "dev", json={"title": "Broken", "due_date": "2020-11-21"})
    answers = []
    for _ in kept:
        answer = site.get(target, "dev").json
        answers.append(bool(answer if isinstance(answer, list) else answer["statistics"]["counts"]["all"]))
        site.platform.advance(DAY)
    assert kept == answers


def is_from_cache(site: Site, target: str, by: str | None = "dev") -> bool:
    """Whether an answer was kept, as the platform tells those who watch it: it had no exchange."""
    seen: list[bool] = []
    site.platform.observers.append(lambda _, exchange: seen.append(exchange is None))
    site.get(target, by)
    return seen[0]


@pytest.mark.parametrize("target", [SITE, "projects", "user", f"{NOTES}/starrers", "namespaces", "users/2"])
def test_an_answer_is_kept_while_nothing_that_it_read_changes(target: str) -> None:
    """A second request is answered from the cache; another viewer, another query or a relevant write misses it."""
    site = create_village()
    for username in ("dev", "root"):
        # The first use of a token is recorded, which its holder's answers depend on.
        site.get("version", username)
    assert [False, True] == [is_from_cache(site, target) for _ in range(2)]
    assert not is_from_cache(site, target, "root")
    assert not is_from_cache(site, f"{target}?page=1")
    site.ask("PUT", "users/3?name=Renamed", "root")
    assert not is_from_cache(site, target)


@pytest.mark.parametrize("credential", ["private-token", "authorization", "cookie"])
def test_an_answer_is_kept_until_time_alone_ends_the_token(credential: str) -> None:
    """An expired token is refused, although responses to it were cached before."""
    site = create_village()
    kind: TokenKind = "session" if credential == "cookie" else "personal"
    site.token("dev", "brief", kind, expires_at="2020-11-20T10:00:00Z")
    sent = {"private-token": "brief", "authorization": "Bearer brief", "cookie": "_gitlab_session=brief"}[credential]
    headers = {credential: sent}
    assert [200, 200] == [site.get("user", headers=headers).status for _ in range(2)]
    site.platform.advance_to(from_iso("2020-11-20T10:00:00Z") - 1)
    assert 200 == site.get("user", headers=headers).status
    site.platform.advance(1)
    assert 401 == site.get("user", headers=headers).status


@pytest.mark.parametrize("revoke", [{"revoked": True}, {"scopes": ()}, {"expires_at": "2020-11-20"}])
def test_an_answer_is_not_kept_beyond_its_credential(revoke: Mapping[str, Any]) -> None:
    """A token that was revoked or lost scopes is refused at once, although responses to it were cached."""
    site = create_village()
    token = site.token("dev", "extra")
    assert 200 == site.get("user?private_token=extra").status
    with site.platform.acting() as ctx:
        ctx.world.tokens.change(token, **revoke)
    assert 400 <= site.get("user?private_token=extra").status < 404


def build_entry(thing: str, until: int | None = None) -> CacheEntry[str]:
    reads = Dependencies()
    if until is not None:
        reads.note_until(until)
    return CacheEntry(thing, reads, None)


def test_a_full_memory_forgets_the_older_half() -> None:
    """A full cache drops its older half and keeps the newest value."""
    kept: Cache[str] = Cache(limit=4)
    for thing in "abcde":
        kept.put(thing, build_entry(thing))
    assert [None, None, "c", "d", "e"] == [entry and entry.value for entry in map(kept.get, "abcde")]
    kept.clear()
    assert (0, None) == (len(kept), kept.get("e"))


@pytest.mark.parametrize(("now", "fits"), [(99, True), (100, False), (101, False)])
def test_what_holds_until_a_moment_ends_with_it(now: int, fits: bool) -> None:
    """A cache entry is valid until the earliest time noted for it or for one of its parts."""
    whole = Dependencies()
    whole.note_until(200)
    whole.add(build_entry("part", until=100).reads)
    state = create_village().platform.state
    assert fits == CacheEntry("whole", whole, state).reads.is_valid(state, lambda: now)
