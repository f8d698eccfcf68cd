"""Achievements, as spec/requests/api/graphql/mutations/achievements of the platform expects them."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.export import export_world
from tests.api.mailboxes import take_mails
from tests.graphql.queries import NOT_AVAILABLE, WORLD, list_messages, query_data, query_refused, write_mutation

STAR: Final = {"name": "Star", "description": "Shines", "created_at": "2020-11-01T00:00:00.000Z"}
HIDDEN: Final = {"group": "hidden", "achievement": "Moon"}
GIVEN: Final = {"group": "acme", "achievement": "Star", "awarded_by": "mia"}
OFF: Final[dict[str, Any]] = {
    **WORLD,
    "groups": [
        *({**each, "achievements": [STAR]} if each["path"] == "acme" else each for each in WORLD["groups"]),
        {"path": "hidden", "visibility": "private", "members": {"mia": "owner"}, "achievements": [{"name": "Moon"}]},
    ],
    "users": [
        {**each, "awarded_achievements": [GIVEN, {**GIVEN, "show_on_profile": False}, {**GIVEN, "revoked_by": "ada"}]}
        if each["username"] == "eve"
        else each
        for each in [*WORLD["users"], {"username": "zoe", "awarded_achievements": [{**GIVEN, **HIDDEN}]}]
    ],
}
ON: Final = {**OFF, "features": [{"name": "achievements", "enabled": True}]}
pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=ON)
CREATE: Final = write_mutation("achievementsCreate", "achievement { name description }")
UPDATE: Final = write_mutation("achievementsUpdate", "achievement { name description }")
DELETE: Final = write_mutation("achievementsDelete", "achievement { name }")
AWARD: Final = write_mutation(
    "achievementsAward",
    "userAchievement { achievement { name } user { username } awardedByUser { username } revokedByUser { username } }",
)
REVOKE: Final = write_mutation("achievementsRevoke", "userAchievement { revokedByUser { username } revokedAt }")
DELETE_AWARD: Final = write_mutation("userAchievementsDelete", "userAchievement { id }")
SHOW: Final = write_mutation("userAchievementsUpdate", "userAchievement { id showOnProfile }")
PRIORITIZE: Final = write_mutation("userAchievementPrioritiesUpdate", "userAchievements { id priority }")
NOWHERE: Final = "gid://gitlab/Achievements::Achievement/1"


def query_group(fake: Fakeplat, by: str | None, selection: str, path: str = "acme") -> Any:
    return query_data(fake, by, f'{{ group(fullPath: "{path}") {{ {selection} }} }}')["group"]


def group_id(fake: Fakeplat, path: str = "acme") -> str:
    return f"gid://gitlab/Namespace/{fake.world.group(path).id}"


def user_id(fake: Fakeplat, username: str) -> str:
    return f"gid://gitlab/User/{fake.world.user(username).id}"


def star_id(fake: Fakeplat) -> str:
    (row,) = query_group(fake, "ada", "achievements { nodes { id } }")["achievements"]["nodes"]
    id_: str = row["id"]
    return id_


def list_awards(fake: Fakeplat, by: str | None, username: str = "eve", arguments: str = "") -> list[str]:
    """Return the ids of a user's awards that a caller sees."""
    field = f"userAchievements{arguments} {{ nodes {{ id }} }}"
    user = query_data(fake, by, f'{{ user(username: "{username}") {{ {field} }} }}')["user"]
    return [row["id"] for row in user["userAchievements"]["nodes"]]


def list_all_awards(fake: Fakeplat) -> list[str]:
    """Return the ids of all awards of eve: a shown one, a hidden one and a revoked one."""
    shown, hidden = list_awards(fake, "eve", arguments="(includeHidden: true)")
    return [shown, hidden, f"{hidden.rpartition('/')[0]}/{int(hidden.rpartition('/')[2]) + 1}"]


def refused(fake: Fakeplat, by: str | None, query: str, **given: Any) -> list[str]:
    """Return the messages of a mutation that is refused: of the query, or of its payload."""
    content = query_refused(fake, by, query, input=given)
    if "errors" in content:
        return list_messages(content)
    (payload,) = content["data"].values()
    errors: list[str] = payload["errors"]
    return errors


def test_a_group_shows_its_achievements(fakeplat: Fakeplat) -> None:
    """Whoever sees a group sees its achievements, and who got them."""
    awards = "userAchievements { count nodes { user { username } awardedByUser { username } } }"
    fields = f"id name description avatarUrl createdAt namespace {{ fullPath }} {awards}"
    shown = query_group(
        fakeplat,
        "gus",
        f"achievementsPath achievements {{ count nodes {{ {fields} uniqueUsers {{ nodes {{ username }} }} }} }}",
    )

    eve = {"user": {"username": "eve"}, "awardedByUser": {"username": "mia"}}
    assert {
        "achievementsPath": "/groups/acme/-/achievements",
        "achievements": {
            "count": 1,
            "nodes": [
                {
                    "id": star_id(fakeplat),
                    "name": "Star",
                    "description": "Shines",
                    "avatarUrl": None,
                    "createdAt": "2020-11-01T00:00:00Z",
                    "namespace": {"fullPath": "acme"},
                    "userAchievements": {"count": 2, "nodes": [eve, eve]},
                    "uniqueUsers": {"nodes": [{"username": "eve"}]},
                }
            ],
        },
    } == shown
    found = query_group(fakeplat, "gus", f'achievements(ids: ["{NOWHERE}"]) {{ nodes {{ name }} }}')
    assert {"achievements": {"nodes": []}} == found


@pytest.mark.fakeplat(scenario=OFF)
def test_achievements_are_behind_a_flag(fakeplat: Fakeplat) -> None:
    """Without the feature there are no achievements, and none are created."""
    shown = query_group(fakeplat, "ada", "achievementsPath achievements { nodes { name } }")

    assert {"achievementsPath": None, "achievements": {"nodes": []}} == shown
    assert [] == list_awards(fakeplat, "eve")
    assert [NOT_AVAILABLE] == refused(fakeplat, "ada", CREATE, namespaceId=group_id(fakeplat), name="New")
    fakeplat.as_user("root").post("features/achievements", json={"value": True, "group": "acme"})
    assert 1 == len(list_awards(fakeplat, "eve"))


def test_users_show_their_achievements(fakeplat: Fakeplat) -> None:
    """A user shows what was not revoked; what is hidden is for the user alone."""
    own = list_awards(fakeplat, "eve", arguments="(includeHidden: true)")

    assert 2 == len(own)
    assert own[:1] == list_awards(fakeplat, "gus") == list_awards(fakeplat, "eve")
    assert own[:1] == list_awards(fakeplat, "ada", arguments="(includeHidden: true)")


def test_private_profiles_show_achievements_to_maintainers(fakeplat: Fakeplat) -> None:
    """A private profile hides achievements from everybody but the user and Maintainers of the group."""
    fakeplat.as_user("root").put(f"users/{fakeplat.world.user('eve').id}", json={"private_profile": True})

    assert [0, 1, 1, 1] == [len(list_awards(fakeplat, by)) for by in ("gus", "mia", "eve", "root")]


def test_hidden_groups_hide_achievements(fakeplat: Fakeplat) -> None:
    """The achievements of a group that the caller does not see are shown to recipients only."""
    seen = [len(list_awards(fakeplat, by, "zoe")) for by in ("gus", "zoe", "mia")]

    assert [0, 1, 1] == seen
    query = '{ user(username: "zoe") { userAchievements { nodes { achievement { name namespace { name } } } } } }'
    (row,) = query_data(fakeplat, "zoe", query)["user"]["userAchievements"]["nodes"]
    assert {"name": "Moon", "namespace": None} == row["achievement"]


def test_maintainers_change_achievements(fakeplat: Fakeplat) -> None:
    """A Maintainer creates, changes and deletes an achievement."""
    given = {"namespaceId": group_id(fakeplat), "name": " Sun ", "description": "Warms"}
    created = query_data(fakeplat, "mia", CREATE, input=given)["achievementsCreate"]
    assert {"achievement": {"name": "Sun", "description": "Warms"}, "errors": []} == created

    id_ = star_id_of(fakeplat, "Sun")
    changed = query_data(fakeplat, "mia", UPDATE, input={"achievementId": id_, "name": "Moon"})["achievementsUpdate"]
    assert {"achievement": {"name": "Moon", "description": "Warms"}, "errors": []} == changed
    deleted = query_data(fakeplat, "mia", DELETE, input={"achievementId": id_})["achievementsDelete"]
    assert {"achievement": {"name": "Moon"}, "errors": []} == deleted


def star_id_of(fake: Fakeplat, name: str) -> str:
    rows = query_group(fake, "ada", "achievements { nodes { id name } }")["achievements"]["nodes"]
    (id_,) = [row["id"] for row in rows if row["name"] == name]
    return str(id_)


@pytest.mark.parametrize(
    ("attributes", "error"),
    [
        ({"name": " "}, "Name can't be blank"),
        ({"name": "STAR"}, "Name has already been taken"),
        ({"name": "a" * 256}, "Name is too long (maximum is 255 characters)"),
        ({"name": "New", "description": "a" * 1025}, "Description is too long (maximum is 1024 characters)"),
    ],
)
def test_invalid_achievements_are_refused(fakeplat: Fakeplat, attributes: dict[str, str], error: str) -> None:
    """An achievement has a name of its own."""
    assert [error] == refused(fakeplat, "mia", CREATE, namespaceId=group_id(fakeplat), **attributes)
    if attributes["name"] != "STAR":
        assert [error] == refused(fakeplat, "mia", UPDATE, achievementId=star_id(fakeplat), **attributes)


def test_others_change_no_achievements(fakeplat: Fakeplat) -> None:
    """Below Maintainer nobody changes or awards achievements; users have none to award."""
    star = star_id(fakeplat)
    own = f"gid://gitlab/Namespace/{fakeplat.as_user('dev').get('namespaces/dev').json()['id']}"

    assert [NOT_AVAILABLE] == refused(fakeplat, "dev", CREATE, namespaceId=group_id(fakeplat), name="New")
    assert [NOT_AVAILABLE] == refused(fakeplat, "dev", CREATE, namespaceId=own, name="New")
    assert [NOT_AVAILABLE] == refused(fakeplat, "dev", UPDATE, achievementId=star, name="New")
    assert [NOT_AVAILABLE] == refused(fakeplat, "dev", DELETE, achievementId=star)
    assert [NOT_AVAILABLE] == refused(fakeplat, "mia", DELETE, achievementId=NOWHERE)
    assert [NOT_AVAILABLE] == refused(fakeplat, "dev", AWARD, achievementId=star, userId=user_id(fakeplat, "rep"))


def test_an_award_is_mailed_and_revoked(fakeplat: Fakeplat) -> None:
    """A Maintainer awards an achievement, of which the user is told by mail, and revokes it once."""
    given = {"achievementId": star_id(fakeplat), "userId": user_id(fakeplat, "rep")}
    awarded = query_data(fakeplat, "mia", AWARD, input=given)["achievementsAward"]

    assert {
        "userAchievement": {
            "achievement": {"name": "Star"},
            "user": {"username": "rep"},
            "awardedByUser": {"username": "mia"},
            "revokedByUser": None,
        },
        "errors": [],
    } == awarded
    assert ["acme awarded you the Star achievement"] == [mail.subject for mail in take_mails(fakeplat)]
    (award,) = list_awards(fakeplat, "rep", "rep")
    assert [NOT_AVAILABLE] == refused(fakeplat, "dev", REVOKE, userAchievementId=award)
    revoked = query_data(fakeplat, "ada", REVOKE, input={"userAchievementId": award})["achievementsRevoke"]
    assert {"revokedByUser": {"username": "ada"}, "revokedAt": "2020-11-20T09:00:00Z"} == revoked["userAchievement"]
    assert ["This achievement has already been revoked"] == refused(fakeplat, "ada", REVOKE, userAchievementId=award)
    assert [] == list_awards(fakeplat, "rep", "rep")


def test_nobody_awards_to_unknown_users(fakeplat: Fakeplat) -> None:
    """An award to a user who does not exist is an error of the payload."""
    nobody = "gid://gitlab/User/404404"

    assert ["Couldn't find User with 'id'=404404"] == refused(
        fakeplat, "mia", AWARD, achievementId=star_id(fakeplat), userId=nobody
    )


def test_owners_delete_awards(fakeplat: Fakeplat) -> None:
    """An Owner deletes an award, which Maintainers do not."""
    award = list_all_awards(fakeplat)[0]

    assert [NOT_AVAILABLE] == refused(fakeplat, "mia", DELETE_AWARD, userAchievementId=award)
    deleted = query_data(fakeplat, "ada", DELETE_AWARD, input={"userAchievementId": award})["userAchievementsDelete"]
    assert {"userAchievement": {"id": award}, "errors": []} == deleted
    assert [] == list_awards(fakeplat, "gus")


def test_users_hide_and_sort_their_achievements(fakeplat: Fakeplat) -> None:
    """A user shows and hides own achievements, and puts some of them first."""
    shown, hidden, revoked = list_all_awards(fakeplat)
    update = {"userAchievementId": hidden, "showOnProfile": True}

    assert [NOT_AVAILABLE] == refused(fakeplat, "ada", SHOW, **update)
    updated = query_data(fakeplat, "eve", SHOW, input=update)["userAchievementsUpdate"]["userAchievement"]
    assert {"id": hidden, "showOnProfile": True} == updated
    assert [shown, hidden] == list_awards(fakeplat, "gus")
    assert [NOT_AVAILABLE] == refused(fakeplat, "ada", PRIORITIZE, userAchievementIds=[hidden])
    first = query_data(fakeplat, "eve", PRIORITIZE, input={"userAchievementIds": [hidden, revoked]})
    assert [{"id": hidden, "priority": 0}, {"id": revoked, "priority": 1}] == first["userAchievementPrioritiesUpdate"][
        "userAchievements"
    ]
    assert [hidden, shown] == list_awards(fakeplat, "gus")
    reset = query_data(fakeplat, "eve", PRIORITIZE, input={"userAchievementIds": []})
    assert [None, None] == [row["priority"] for row in reset["userAchievementPrioritiesUpdate"]["userAchievements"]]


def test_achievements_survive_an_export(fakeplat: Fakeplat) -> None:
    """An export has the achievements of groups, and those that users got."""
    with fakeplat.bench.platform.acting() as ctx:
        exported = export_world(ctx.world)
    (acme,) = [group for group in exported["groups"] if group["full_path"] == "acme"]
    (eve,) = [user for user in exported["users"] if user["username"] == "eve"]

    assert [STAR] == [{name: row[name] for name in STAR} for row in acme["achievements"]]
    assert [(True, None), (False, None), (True, "ada")] == [
        (row.get("show_on_profile", True), row.get("revoked_by")) for row in eve["awarded_achievements"]
    ]
