"""Feature flags of projects, in both versions. Source: docs/platform/feature-flags.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import CAMEL_CASE_STICKINESS, STRATEGIES_NAME_LISTS
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, Outcome, invalid, names, outcome, refusal, resource_not_found
from tests.by_release import by_release

pytestmark = STARTER_AT_NINE
PATH = "projects/acme%2Fsite/feature_flags"
LISTS = "projects/acme%2Fsite/feature_flags_user_lists"
NOW = "2020-11-20T09:00:00.000Z"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
DEFAULT = {"name": "default", "parameters": {}}
GRADUAL = {"name": "gradualRolloutUserId", "parameters": {"groupId": "default", "percentage": "50"}}
FLEXIBLE = {
    "name": "flexibleRollout",
    "parameters": {"groupId": "default", "rollout": "50", "stickiness": "DEFAULT"},
}
USERS = {"name": "userWithId", "parameters": {"userIds": "userA,userB"}}
newer = pytest.mark.fakeplat(version="latest")


def create_flag(fake: Fakeplat, name: str = "fresh", **fields: Any) -> dict[str, Any]:
    reply = fake.as_user("dev").post(PATH, json={"name": name, **fields})
    assert 201 == reply.status, reply
    return dict(reply.json())


def create_new(fake: Fakeplat, *strategies: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Create a flag of the second version."""
    return create_flag(fake, version="new_version_flag", strategies=list(strategies), **fields)


def update_flag(fake: Fakeplat, *strategies: dict[str, Any], **fields: Any) -> dict[str, Any]:
    changes = {"strategies": list(strategies)} if strategies else {}
    reply = fake.as_user("dev").put(f"{PATH}/fresh", json={**changes, **fields})
    assert 200 == reply.status, reply
    return dict(reply.json())


def without_ids(strategies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"name": strategy["name"], "parameters": strategy["parameters"]} for strategy in strategies]


def invalid_flag(*texts: str) -> Outcome:
    return 400, {"message": list(texts)}


def test_a_flag_of_the_first_version_is_on_everywhere(fakeplat: Fakeplat) -> None:
    """The first version is the default; the scope for all environments has the state of the flag."""
    flag = create_flag(fakeplat)

    scope = {"active": True, "environment_scope": "*", "strategies": [DEFAULT], "created_at": NOW, "updated_at": NOW}
    assert {
        "name": "fresh",
        "description": None,
        "active": True,
        "version": "legacy_flag",
        "created_at": NOW,
        "updated_at": NOW,
        "scopes": [{"id": flag["scopes"][0]["id"], **scope}],
        "strategies": [],
    } == flag
    assert flag == fakeplat.as_user("dev").get(f"{PATH}/fresh").json()
    assert not create_flag(fakeplat, "off", active=False)["scopes"][0]["active"]


def test_a_flag_of_the_first_version_may_have_several_scopes(fakeplat: Fakeplat) -> None:
    """Strategies of a flag's scopes may be sent as JSON text."""
    scopes = [
        {"environment_scope": "*", "active": False, "strategies": [DEFAULT]},
        {"environment_scope": "review/*", "active": True, "strategies": '[{"name": "default", "parameters": {}}]'},
    ]
    flag = create_flag(fakeplat, description="Two", scopes=scopes)

    assert "Two" == flag["description"]
    assert [("*", False), ("review/*", True)] == [
        (scope["environment_scope"], scope["active"]) for scope in flag["scopes"]
    ]
    assert [[DEFAULT], [DEFAULT]] == [scope["strategies"] for scope in flag["scopes"]]


@pytest.mark.parametrize("strategy", [DEFAULT, GRADUAL, FLEXIBLE, USERS], ids=lambda strategy: str(strategy["name"]))
def test_a_flag_of_the_second_version_has_strategies(fakeplat: Fakeplat, strategy: dict[str, Any]) -> None:
    """A flag of the second version stores strategies with the environments of each."""
    flag = create_new(fakeplat, {**strategy, "scopes": [{"environment_scope": "staging"}]}, active=False)

    assert ("new_version_flag", False, []) == (flag["version"], flag["active"], flag["scopes"])
    (stored,) = flag["strategies"]
    scopes = [{"id": stored["scopes"][0]["id"], "environment_scope": "staging"}]
    assert {"id": stored["id"], **strategy, "scopes": scopes} == stored
    assert flag == fakeplat.as_user("dev").get(f"{PATH}/fresh").json()


def test_flags_are_listed_by_name(fakeplat: Fakeplat) -> None:
    """Feature flags are listed by name, optionally only enabled or disabled ones."""
    create_flag(fakeplat, "second")
    create_flag(fakeplat, "first", active=False)
    dev = fakeplat.as_user("dev")

    assert ["first", "second"] == names(dev.get(PATH).json(), "name")
    assert ["second"] == names(dev.get(f"{PATH}?scope=enabled").json(), "name")
    assert ["first"] == names(dev.get(f"{PATH}?scope=disabled").json(), "name")
    assert invalid("scope does not have a valid value") == refusal(fakeplat, "dev", "GET", f"{PATH}?scope=x")


def test_the_response_to_a_deletion_shows_the_flag(fakeplat: Fakeplat) -> None:
    """Deleting a feature flag answers 200 with the deleted flag."""
    flag, dev = create_new(fakeplat, DEFAULT), fakeplat.as_user("dev")
    reply = dev.delete(f"{PATH}/fresh")

    assert (200, flag) == (reply.status, reply.json())
    assert [] == dev.get(PATH).json()
    assert NOT_FOUND == refusal(fakeplat, "dev", "DELETE", f"{PATH}/fresh")


def test_a_flag_can_be_renamed_described_and_switched(fakeplat: Fakeplat) -> None:
    """A version is ignored, even an invalid one; what is not sent stays."""
    flag = create_new(fakeplat, DEFAULT)
    fakeplat.clock.advance("1m")
    changed = update_flag(fakeplat, description="Other", active=False, version="bad_value")

    assert flag["updated_at"] < changed["updated_at"]
    expected = {**flag, "description": "Other", "active": False, "updated_at": changed["updated_at"]}
    assert expected == changed
    assert "new-name" == update_flag(fakeplat, name="new-name")["name"]
    assert NOT_FOUND == refusal(fakeplat, "dev", "PUT", f"{PATH}/fresh", json={"active": True})


def test_strategies_are_changed_added_and_removed(fakeplat: Fakeplat) -> None:
    """Strategies of a flag are changed and removed by id; one without an id is added."""
    first, second = create_new(fakeplat, DEFAULT, USERS)["strategies"]

    changed = update_flag(fakeplat, {"id": first["id"], **GRADUAL}, FLEXIBLE)
    assert [GRADUAL, USERS, FLEXIBLE] == without_ids(changed["strategies"])
    assert [first["id"], second["id"]] == [strategy["id"] for strategy in changed["strategies"]][:2]

    removed = update_flag(
        fakeplat,
        {"id": first["id"], "_destroy": True},
        {"id": second["id"], "parameters": {"userIds": "userB"}},
        {"name": "invalid", "_destroy": True},
    )
    assert [{**USERS, "parameters": {"userIds": "userB"}}, FLEXIBLE] == without_ids(removed["strategies"])


def test_scopes_of_strategies_are_changed_and_removed(fakeplat: Fakeplat) -> None:
    """Scopes of a strategy are changed and removed by id."""
    flag = create_new(fakeplat, {**DEFAULT, "scopes": [{"environment_scope": "*"}]})
    strategy = flag["strategies"][0]
    scope = {"id": strategy["scopes"][0]["id"]}

    renamed = {"id": strategy["id"], "scopes": [{**scope, "environment_scope": "production"}]}
    assert [{**scope, "environment_scope": "production"}] == update_flag(fakeplat, renamed)["strategies"][0]["scopes"]
    removed = {"id": strategy["id"], "scopes": [{**scope, "_destroy": True}]}
    assert [] == update_flag(fakeplat, removed)["strategies"][0]["scopes"]


def test_flags_of_the_first_version_cannot_be_updated(fakeplat: Fakeplat) -> None:
    """Flags of the first version cannot be updated by the operation for the second."""
    create_flag(fakeplat)

    text = "PUT operations are not supported for legacy feature flags"
    assert (422, {"message": text}) == refusal(fakeplat, "dev", "PUT", f"{PATH}/fresh", json={"description": "x"})


@pytest.mark.fakeplat(version="14.0")
@pytest.mark.parametrize(("method", "status"), [("GET", 404), ("PUT", 404), ("DELETE", 200)])
def test_flags_of_the_first_version_are_gone_from_14_0_on(fakeplat: Fakeplat, method: str, status: int) -> None:
    """A flag that a world still has is neither listed nor shown, and none is created; it can be deleted."""
    old = {"name": "old", "scopes": [{"environment_scope": "*", "active": True}]}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "feature_flags": [old]}]})
    dev = fakeplat.as_user("dev")
    assert [] == dev.get(PATH).json()
    assert status == dev.request(method, f"{PATH}/old").status
    body = {"name": "fresh", "version": "legacy_flag"}
    assert (400, {"message": "Version is invalid"}) == refusal(fakeplat, "dev", "POST", PATH, json=body)


NAME = "Name can contain only lowercase letters, digits, '_' and '-'. "
NAME += "Must start with a letter, and cannot end with '-' or '_'"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("name is missing")),
        ({"name": "taken"}, invalid_flag("Name has already been taken")),
        ({"name": "x"}, invalid_flag("Name is too short (minimum is 2 characters)")),
        ({"name": "x" * 64}, invalid_flag("Name is too long (maximum is 63 characters)")),
        ({"name": "Upper"}, invalid_flag(NAME)),
        ({"name": "end-"}, invalid_flag(NAME)),
        ({"name": ""}, invalid_flag("Name can't be blank", "Name is too short (minimum is 2 characters)", NAME)),
        ({"name": "ok", "description": "x" * 256}, invalid_flag("Description is too long (maximum is 255 characters)")),
        ({"name": "ok", "version": "bad_value"}, (400, {"message": "Version is invalid"})),
        (
            {"name": "ok", "scopes": [{"environment_scope": "production", "active": True, "strategies": []}]},
            invalid_flag("Default scope has to be the first element"),
        ),
        (
            {"name": "ok", "strategies": [DEFAULT]},
            invalid_flag("Version associations version 1 feature flags may not have strategies"),
        ),
        (
            {"name": "ok", "scopes": [{"active": True, "strategies": []}]},
            invalid("scopes[0][environment_scope] is missing"),
        ),
        ({"name": "ok", "strategies": [{"name": "default"}]}, invalid("strategies[0][parameters] is missing")),
    ],
    ids=range(13),
)
def test_invalid_flags_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """Invalid feature flags are refused with whole sentences."""
    create_flag(fakeplat, "taken")

    assert expected == refusal(fakeplat, "dev", "POST", PATH, json=body)


def test_flags_of_the_second_version_have_no_scopes(fakeplat: Fakeplat) -> None:
    """A flag of the second version with scopes is refused."""
    scopes = [{"environment_scope": "*", "active": True, "strategies": [DEFAULT]}]
    body = {"name": "ok", "version": "new_version_flag", "scopes": scopes}
    expected = invalid_flag("Version associations version 2 feature flags may not have scopes")
    assert expected == refusal(fakeplat, "dev", "POST", PATH, json=body)


@by_release(
    STRATEGIES_NAME_LISTS,
    "expected",
    {
        "18.8": [invalid("strategies[0][parameters] is missing")] * 2,
        "18.9": [
            (201, [{"name": "default", "parameters": {}}]),
            invalid_flag("Strategies parameters parameters are invalid"),
        ],
    },
)
def test_strategies_without_parameters(fakeplat: Fakeplat, expected: list[Outcome]) -> None:
    """Later releases take a strategy without parameters, if it needs none."""

    def create(name: str) -> Outcome:
        reply = fakeplat.as_user("dev").post(PATH, json={"name": name.lower(), "strategies": [{"name": name}]})
        if reply.status != 201:
            return outcome(reply)
        return 201, [{key: row[key] for key in ("name", "parameters")} for row in reply.json()["strategies"]]

    assert expected == [create("default"), create("userWithId")]


PERCENTAGE = "must be a string between 0 and 100 inclusive"
XIDS = "userIds must be a string of unique comma separated values each 256 characters or less"


@pytest.mark.parametrize(
    ("strategy", "text"),
    [
        ({"name": "nothing", "parameters": {}}, "name strategy name is invalid"),
        ({"name": "default", "parameters": {"a": "b"}}, "parameters parameters are invalid"),
        ({"name": "userWithId", "parameters": []}, "parameters parameters are invalid"),
        ({**GRADUAL, "parameters": {"bad": "params"}}, "parameters parameters are invalid"),
        *(
            ({**GRADUAL, "parameters": {"groupId": "a", "percentage": value}}, f"parameters percentage {PERCENTAGE}")
            for value in ("101", "-1", "5.5", "", "01", 50)
        ),
        *(
            (
                {**GRADUAL, "parameters": {"groupId": value, "percentage": "0"}},
                "parameters groupId parameter is invalid",
            )
            for value in ("", "a" * 33, "A", 4)
        ),
        (
            {**FLEXIBLE, "parameters": {"groupId": "a", "rollout": "100", "stickiness": "x"}},
            "parameters stickiness parameter must be DEFAULT, USERID, SESSIONID, or RANDOM",
        ),
        (
            {**FLEXIBLE, "parameters": {"groupId": "a", "rollout": "1000", "stickiness": "RANDOM"}},
            f"parameters rollout {PERCENTAGE}",
        ),
        *(
            ({**USERS, "parameters": {"userIds": value}}, f"parameters {XIDS}")
            for value in ("a,a", "a,,b", "a, b", ",a", "a\tb", "x" * 257, 3)
        ),
        ({"name": "gitlabUserList", "parameters": {}}, "user list can't be blank"),
    ],
    ids=range(24),
)
def test_invalid_strategies_are_refused(fakeplat: Fakeplat, strategy: dict[str, Any], text: str) -> None:
    """Invalid strategies are refused in new flags and in updates."""
    flag = create_new(fakeplat, DEFAULT)
    body = {"name": "ok", "version": "new_version_flag", "strategies": [strategy]}
    changes = {"strategies": [{"id": flag["strategies"][0]["id"], **strategy}]}

    assert invalid_flag(f"Strategies {text}") == refusal(fakeplat, "dev", "POST", PATH, json=body)
    assert invalid_flag(f"Strategies {text}") == refusal(fakeplat, "dev", "PUT", f"{PATH}/fresh", json=changes)


@pytest.mark.parametrize("value", ["0", "100", "9"])
def test_a_percentage_is_a_text_from_0_to_100(fakeplat: Fakeplat, value: str) -> None:
    """The percentage of a gradual rollout is a text from 0 to 100."""
    assert create_new(fakeplat, {**GRADUAL, "parameters": {"groupId": "a", "percentage": value}})


@pytest.mark.parametrize(
    ("strategies", "texts"),
    [
        ({"name": "default"}, ["must be an array of strategy hashes"]),
        ([1], ["must be an array of strategy hashes"]),
        ([{"name": "gitlabUserList", "parameters": {}}], ["strategy name is invalid"]),
        ([{"name": "userWithId", "parameters": {"userIds": "a,a"}}], [XIDS]),
    ],
    ids=["hash", "number", "user list", "parameters"],
)
def test_invalid_strategies_of_scopes_are_refused(fakeplat: Fakeplat, strategies: Any, texts: list[str]) -> None:
    """The first version has the same strategies, except the lists of users."""
    scope = {"environment_scope": "*", "active": True, "strategies": strategies}
    expected = invalid_flag(*(f"Scopes strategies {text}" for text in texts))
    assert expected == refusal(fakeplat, "dev", "POST", PATH, json={"name": "ok", "scopes": [scope]})


def test_environment_scopes_are_unique_and_well_formed(fakeplat: Fakeplat) -> None:
    """Environment scopes are valid and unique within a flag or strategy."""
    scopes = [{"environment_scope": name, "active": True, "strategies": [DEFAULT]} for name in ("*", "a?", "*")]
    form = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"
    expected = invalid_flag(f"Scopes environment scope {form}", "Scopes environment scope (*) has already been taken")
    assert expected == refusal(fakeplat, "dev", "POST", PATH, json={"name": "ok", "scopes": scopes})
    scopes[1]["environment_scope"], scopes[2]["environment_scope"] = "a" * 256, "a" * 255
    expected = invalid_flag("Scopes environment scope is too long (maximum is 255 characters)")
    assert expected == refusal(fakeplat, "dev", "POST", PATH, json={"name": "ok", "scopes": scopes})


@pytest.mark.parametrize(
    ("user", "method", "path", "expected"),
    [
        (None, "GET", PATH, resource_not_found("Project")),
        ("eve", "GET", PATH, resource_not_found("Project")),
        ("rep", "GET", PATH, FORBIDDEN),
        ("rep", "POST", PATH, FORBIDDEN),
        ("rep", "PUT", f"{PATH}/fresh", FORBIDDEN),
        ("rep", "DELETE", f"{PATH}/fresh", FORBIDDEN),
        (None, "GET", "projects/acme%2Fdocs/feature_flags", FORBIDDEN),
        ("dev", "GET", f"{PATH}/nothing", NOT_FOUND),
    ],
)
def test_feature_flags_are_for_developers(
    fakeplat: Fakeplat, user: str | None, method: str, path: str, expected: Outcome
) -> None:
    """The permission is checked before the parameters."""
    create_flag(fakeplat)

    assert expected == refusal(fakeplat, user, method, path)


def test_flags_are_off_with_the_repository(fakeplat: Fakeplat) -> None:
    """Without a repository nobody has access to feature flags."""
    fakeplat.as_user("root").put("projects/acme%2Fsite", json={"repository_access_level": "disabled"})

    for path in (PATH, LISTS):
        assert FORBIDDEN == refusal(fakeplat, "dev", "GET", path)


def test_a_strategy_or_scope_of_another_flag_is_not_found(fakeplat: Fakeplat) -> None:
    """Ids are looked up in the flag."""
    strategy = create_new(fakeplat, DEFAULT)["strategies"][0]
    create_flag(fakeplat, "other", version="new_version_flag")

    for changes in ({"id": strategy["id"]}, {"scopes": [{"id": 1}], **DEFAULT}):
        body = {"strategies": [changes]}
        assert NOT_FOUND == refusal(fakeplat, "dev", "PUT", f"{PATH}/other", json=body)


def create_list(fake: Fakeplat, name: str = "mylist", user_xids: str = "user1") -> dict[str, Any]:
    reply = fake.as_user("dev").post(LISTS, json={"name": name, "user_xids": user_xids})
    assert 201 == reply.status
    return dict(reply.json())


def test_user_lists_are_numbered_in_their_project(fakeplat: Fakeplat) -> None:
    """User lists are found by a number that counts within their project."""
    first, second = create_list(fakeplat), create_list(fakeplat, "other", "user1,user2")
    dev = fakeplat.as_user("dev")

    times = {"created_at": NOW, "updated_at": NOW}
    site = dev.get("projects/acme%2Fsite").json()["id"]
    assert {"id": first["id"], "iid": 1, "project_id": site, "name": "mylist", "user_xids": "user1", **times} == first
    assert [first, second] == dev.get(LISTS).json()
    assert second == dev.get(f"{LISTS}/2").json()


def test_user_lists_are_searched_by_the_words_of_their_names(fakeplat: Fakeplat) -> None:
    """A search of user lists requires all words in the name."""
    for name in ("test_list", "list_b", "test_again"):
        create_list(fakeplat, name)

    for search, expected in (("test", ["test_list", "test_again"]), ("test list", ["test_list"]), ("", None)):
        rows = fakeplat.as_user("dev").get(f"{LISTS}?search={search.replace(' ', '+')}").json()
        assert (expected or ["test_list", "list_b", "test_again"]) == names(rows, "name")


def test_a_user_list_can_be_updated_and_deleted(fakeplat: Fakeplat) -> None:
    """An update of a user list keeps what is not sent."""
    user_list, dev = create_list(fakeplat), fakeplat.as_user("dev")

    assert user_list == dev.put(f"{LISTS}/1", json={}).json()
    changed = dev.put(f"{LISTS}/1", json={"name": "renamed", "user_xids": "456,789"}).json()
    assert ("renamed", "456,789") == (changed["name"], changed["user_xids"])
    reply = dev.delete(f"{LISTS}/1")
    assert (204, b"") == (reply.status, reply.content)
    assert NOT_FOUND == refusal(fakeplat, "dev", "DELETE", f"{LISTS}/1")
    assert 2 == create_list(fakeplat)["iid"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"user_xids": "user1"}, "name is missing"),
        ({"name": "empty"}, "user_xids is missing"),
        ({"name": "mylist", "user_xids": "a"}, ["Name has already been taken"]),
        ({"name": "", "user_xids": "a"}, ["Name can't be blank", "Name is too short (minimum is 1 character)"]),
        (
            {"name": "x", "user_xids": "a,a"},
            ["User xids user_xids must be a string of unique comma separated values each 256 characters or less"],
        ),
    ],
    ids=range(5),
)
def test_invalid_user_lists_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Any) -> None:
    """Invalid user lists report errors of parameters under `message`, too."""
    create_list(fakeplat)

    assert (400, {"message": expected}) == refusal(fakeplat, "dev", "POST", LISTS, json=body)


def test_an_invalid_update_of_a_user_list_is_refused(fakeplat: Fakeplat) -> None:
    """The name is taken; the list with that number does not exist."""
    create_list(fakeplat, "taken")
    create_list(fakeplat)

    assert invalid_flag("Name has already been taken") == refusal(
        fakeplat, "dev", "PUT", f"{LISTS}/2", json={"name": "taken"}
    )
    for iid in ("3", "abc"):
        assert NOT_FOUND == refusal(fakeplat, "dev", "PUT", f"{LISTS}/{iid}", json={"name": "x"})


def test_a_user_list_in_use_is_not_deleted(fakeplat: Fakeplat) -> None:
    """A user list cannot be deleted while a strategy uses it."""
    create_list(fakeplat)
    strategy = {"name": "gitlabUserList", "user_list": "mylist"}
    flags = [{"name": "fresh", "strategies": [strategy]}]
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "feature_flags": flags}]})

    in_use = (409, {"message": ["User list is associated with a strategy"]})
    assert in_use == refusal(fakeplat, "dev", "DELETE", f"{LISTS}/1")
    (stored,) = fakeplat.as_user("dev").get(f"{PATH}/fresh").json()["strategies"]
    update_flag(fakeplat, {"id": stored["id"], "name": "default"})
    assert 204 == fakeplat.as_user("dev").delete(f"{LISTS}/1").status


@newer
def test_newer_releases_have_flags_of_the_second_version(fakeplat: Fakeplat) -> None:
    """In newer releases new flags have version 2 and strategies with user lists."""
    assert "new_version_flag" == create_flag(fakeplat, "other")["version"]
    user_list = create_list(fakeplat)
    assert "/acme/site/-/feature_flags_user_lists/1" == user_list["path"]
    assert "/acme/site/-/feature_flags_user_lists/1/edit" == user_list["edit_path"]
    sticky = {**FLEXIBLE, "parameters": {"groupId": "a", "rollout": "1", "stickiness": "userId"}}
    flag = create_new(fakeplat, {"name": "gitlabUserList", "parameters": {}, "user_list_id": user_list["id"]}, sticky)

    fields = {name: user_list[name] for name in ("id", "iid", "name", "user_xids")}
    assert [fields, None] == [strategy["user_list"] for strategy in flag["strategies"]]
    missing = {"name": "ok", "strategies": [{**DEFAULT, "user_list_id": user_list["id"] + 1}]}
    assert NOT_FOUND == refusal(fakeplat, "dev", "POST", PATH, json=missing)
    body = {"name": "ok", "strategies": [{**DEFAULT, "user_list_id": user_list["id"]}]}
    assert invalid_flag("Strategies user list must be blank") == refusal(fakeplat, "dev", "POST", PATH, json=body)


@by_release(CAMEL_CASE_STICKINESS, "words", {"13.12": {"USERID"}, "14.0": {"userId"}})
def test_words_of_stickiness_changed(fakeplat: Fakeplat, words: set[str]) -> None:
    """The stickiness of a flexible rollout is in capitals before 14.0, then in camel case."""
    accepted = set()
    for number, word in enumerate(("USERID", "userId")):
        strategy = {**FLEXIBLE, "parameters": {"groupId": "a", "rollout": "1", "stickiness": word}}
        body = {"name": f"flag{number}", "version": "new_version_flag", "strategies": [strategy]}
        if fakeplat.as_user("dev").post(PATH, json=body).status == 201:
            accepted.add(word)
    assert words == accepted


def test_the_release_does_not_know_lists_of_strategies(fakeplat: Fakeplat) -> None:
    """At 13.5 the user list of a strategy is ignored."""
    user_list = create_list(fakeplat)
    strategy = {"name": "gitlabUserList", "parameters": {}, "user_list_id": user_list["id"]}
    body = {"name": "ok", "version": "new_version_flag", "strategies": [strategy]}

    assert invalid_flag("Strategies user list can't be blank") == refusal(fakeplat, "dev", "POST", PATH, json=body)
