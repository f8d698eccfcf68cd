"""CI variables of projects, groups and the instance.

Sources: the platform's requests specs of variables; its model of variables and what can be masked.
"""

from typing import Any

import pytest

from fakeplat.domain.ci import variables
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    GROUP_VARIABLES_ARE_FILTERED,
    MASKED_TILDES,
    OWNERS_ADMINISTER_GROUP_VARIABLES,
)
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    names,
    outcome,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

pytestmark = STARTER_AT_NINE
OF_PROJECT, OF_GROUP, OF_INSTANCE = "projects/acme%2Fsite/variables", "groups/acme/variables", "admin/ci/variables"
EVERYWHERE = pytest.mark.parametrize("path", [OF_PROJECT, OF_GROUP, OF_INSTANCE], ids=["project", "group", "instance"])
SEVERAL: Outcome = (
    409,
    {"message": "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'"},
)
BASIC = {"variable_type": "env_var", "key": "TOKEN", "value": "secret", "protected": False, "masked": False}


def create_variable(
    fake: Fakeplat, path: str = OF_PROJECT, key: str = "TOKEN", value: str = "secret", **fields: Any
) -> Any:
    reply = fake.as_user("root").post(path, json={"key": key, "value": value, **fields})
    assert 201 == reply.status
    return reply.json()


def test_a_variable_of_a_project_has_an_environment_scope(fakeplat: Fakeplat) -> None:
    """A project's variable has every environment as scope by default."""
    assert {**BASIC, "environment_scope": "*"} == create_variable(fakeplat)


@pytest.mark.parametrize("path", [OF_GROUP, OF_INSTANCE])
def test_variables_of_groups_and_of_the_instance_have_no_scope(fakeplat: Fakeplat, path: str) -> None:
    """In release 13.5 variables of groups and of the instance have no environment scope."""
    assert BASIC == create_variable(fakeplat, path, environment_scope="production")


@pytest.mark.fakeplat(tier="premium", version="13.12.0")
def test_variables_of_groups_are_scoped_later(fakeplat: Fakeplat) -> None:
    """From 13.11 on group variables have an environment scope on paid tiers."""
    assert {**BASIC, "environment_scope": "production"} == create_variable(
        fakeplat, OF_GROUP, environment_scope="production"
    )


@EVERYWHERE
def test_a_variable_is_read_changed_and_deleted_by_its_key(fakeplat: Fakeplat, path: str) -> None:
    """A variable is found by its key, and an update keeps what is not sent."""
    variable, root = create_variable(fakeplat, path), fakeplat.as_user("root")
    changes = {"value": "long-enough", "variable_type": "file", "protected": True, "masked": True}

    assert [variable] == root.get(path).json()
    assert variable == root.get(f"{path}/TOKEN").json()
    assert (200, {**variable, **changes}) == outcome(root.put(f"{path}/TOKEN", json={**changes, "key": "OTHER"}))
    assert {**variable, **changes, "protected": False} == root.put(f"{path}/TOKEN", json={"protected": False}).json()
    assert 204 == root.delete(f"{path}/TOKEN").status
    assert [] == root.get(path).json()


def test_only_the_deletion_of_a_group_variable_is_conditional(fakeplat: Fakeplat) -> None:
    """The others have no time of their last change on the platform."""
    for path in (OF_PROJECT, OF_GROUP, OF_INSTANCE):
        create_variable(fakeplat, path)

    assert STALE == refusal(fakeplat, "root", "DELETE", f"{OF_GROUP}/TOKEN", headers=LONG_AGO)
    for path in (OF_PROJECT, OF_INSTANCE):
        assert 204 == fakeplat.as_user("root").delete(f"{path}/TOKEN", headers=LONG_AGO).status


@pytest.mark.parametrize(
    ("path", "resource"),
    [(OF_PROJECT, "Variable"), (OF_GROUP, "GroupVariable"), (OF_INSTANCE, "InstanceVariable")],
)
def test_an_unknown_key_is_not_found(fakeplat: Fakeplat, path: str, resource: str) -> None:
    """The text names the kind of variable."""
    for method in ("GET", "PUT", "DELETE"):
        assert resource_not_found(resource) == refusal(fakeplat, "root", method, f"{path}/NONE")


@EVERYWHERE
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"value": "x"}, invalid("key is missing")),
        ({"key": "X"}, invalid("value is missing")),
        ({"key": "X", "value": "x", "variable_type": "text"}, invalid("variable_type does not have a valid value")),
        ({"key": "TOKEN", "value": "x"}, invalid_record(key=["(TOKEN) has already been taken"])),
        ({"key": "A-B", "value": "x"}, invalid_record(key=["can contain only letters, digits and '_'."])),
        (
            {"key": " ", "value": "x"},
            invalid_record(key=["can't be blank", "can contain only letters, digits and '_'."]),
        ),
        ({"key": "X" * 256, "value": "x"}, invalid_record(key=["is too long (maximum is 255 characters)"])),
        ({"key": "X", "value": "short", "masked": True}, invalid_record(value=["is invalid"])),
    ],
)
def test_invalid_variables_are_refused(fakeplat: Fakeplat, path: str, body: dict[str, Any], expected: Any) -> None:
    """Variables are validated by their parameters first, then by the model."""
    create_variable(fakeplat, path)
    assert expected == refusal(fakeplat, "root", "POST", path, json=body)


def test_a_key_loses_the_space_around_it(fakeplat: Fakeplat) -> None:
    """Spaces around the key of a variable are removed before it is validated."""
    assert "TOKEN" == create_variable(fakeplat, key=" TOKEN ")["key"]


@pytest.mark.parametrize(
    ("value", "is_maskable"),
    [
        ("12345678", True),
        ("1234567", False),
        ("aZ09_+=/@:.-", True),
        ("with space", False),
        ("two\nlines", False),
        ("$VARIABLE", False),
        ("ends-with-a-newline\n", False),
        ("tilde~~~~", False),
    ],
)
def test_values_that_can_be_masked(fakeplat: Fakeplat, value: str, is_maskable: bool) -> None:
    """A masked value is one line of at least eight allowed characters."""
    body = {"key": "X", "value": value, "masked": True}
    expected = 201 if is_maskable else 400

    assert expected == fakeplat.as_user("root").post(OF_PROJECT, json=body).status


@by_release(MASKED_TILDES, "status", {"13.11": 400, "13.12": 201})
def test_a_tilde_can_be_masked_later(fakeplat: Fakeplat, status: int) -> None:
    """From release 13.12 on a value with a tilde can be masked."""
    body = {"key": "TOKEN", "value": "tilde~~~~", "masked": True}
    assert status == fakeplat.as_user("root").post(OF_PROJECT, json=body).status


def test_a_change_is_validated_like_a_new_variable(fakeplat: Fakeplat) -> None:
    """Together with what stays: a short value cannot be masked."""
    create_variable(fakeplat)
    assert invalid_record(value=["is invalid"]) == refusal(
        fakeplat, "root", "PUT", f"{OF_PROJECT}/TOKEN", json={"masked": True}
    )


def test_the_same_key_may_have_several_scopes(fakeplat: Fakeplat) -> None:
    """Variables of the same key are distinguished by their environment scope."""
    create_variable(fakeplat)
    review = create_variable(fakeplat, value="other", environment_scope="review/*")
    root, variable_path = fakeplat.as_user("root"), f"{OF_PROJECT}/TOKEN"

    assert SEVERAL == refusal(fakeplat, "root", "GET", variable_path)
    assert SEVERAL == refusal(fakeplat, "root", "PUT", variable_path, json={"value": "x"})
    assert SEVERAL == refusal(fakeplat, "root", "DELETE", variable_path)
    assert review == root.get(f"{variable_path}?filter[environment_scope]=review/*").json()
    changed = root.put(variable_path, json={"value": "new", "filter": {"environment_scope": "review/*"}}).json()
    assert {**review, "value": "new"} == changed
    assert 204 == root.delete(f"{variable_path}?filter[environment_scope]=*").status
    assert [changed] == root.get(OF_PROJECT).json()


def create_scoped_group_variables(fake: Fakeplat) -> list[dict[str, Any]]:
    """Create two variables of the group acme with the same key and different scopes."""
    bodies = [{"key": "TOKEN", "value": scope, "environment_scope": scope} for scope in ("production", "review/*")]
    return [dict(fake.as_user("root").post(OF_GROUP, json=body).json()) for body in bodies]


@pytest.mark.fakeplat(tier="premium", version="16.9")
def test_variables_of_a_group_are_told_apart_by_their_scope(fakeplat: Fakeplat) -> None:
    """From release 16.9 on a filter is needed to read or delete one of several variables; changes take the first."""
    first, second = create_scoped_group_variables(fakeplat)
    root, path = fakeplat.as_user("root"), f"{OF_GROUP}/TOKEN"
    of_review = f"{path}?filter[environment_scope]=review/*"

    assert SEVERAL == refusal(fakeplat, "root", "GET", path)
    assert SEVERAL == refusal(fakeplat, "root", "DELETE", path)
    assert second == root.get(of_review).json()
    unknown = refusal(fakeplat, "root", "PUT", f"{path}?filter[environment_scope]=*", json={"value": "x"})
    assert resource_not_found("GroupVariable") == unknown
    assert {**first, "value": "new"} == root.put(path, json={"value": "new"}).json()
    assert {**second, "value": "other"} == root.put(of_review, json={"value": "other"}).json()
    assert 204 == root.delete(of_review).status
    assert [{**first, "value": "new"}] == root.get(OF_GROUP).json()


@pytest.mark.fakeplat(tier="premium")
@by_release(GROUP_VARIABLES_ARE_FILTERED, "is_filtered", {"16.8": False, "16.9": True})
def test_earlier_releases_take_the_first_variable_of_a_group(fakeplat: Fakeplat, is_filtered: bool) -> None:
    """Before 16.9 the filter is unknown, and the oldest variable of a group with the key is read."""
    first, second = create_scoped_group_variables(fakeplat)
    read = fakeplat.as_user("root").get(f"{OF_GROUP}/TOKEN?filter[environment_scope]=review/*").json()
    assert (second if is_filtered else first) == read


def test_a_scope_is_taken_and_validated(fakeplat: Fakeplat) -> None:
    """A variable cannot move to the scope of another one of the same key."""
    create_variable(fakeplat)
    create_variable(fakeplat, environment_scope="review/*")
    variable_path = f"{OF_PROJECT}/TOKEN?filter[environment_scope]=*"
    text = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"
    taken = invalid_record(key=["(TOKEN) has already been taken"])

    assert taken == refusal(fakeplat, "root", "PUT", variable_path, json={"environment_scope": "review/*"})
    assert invalid_record(environment_scope=[text]) == refusal(
        fakeplat, "root", "PUT", variable_path, json={"environment_scope": "a?b"}
    )
    assert resource_not_found("Variable") == refusal(
        fakeplat, "root", "GET", f"{OF_PROJECT}/TOKEN?filter[environment_scope]=production"
    )
    assert invalid("filter is invalid") == refusal(fakeplat, "root", "GET", f"{OF_PROJECT}/TOKEN?filter=x")


@pytest.mark.parametrize(
    ("path", "owner"),
    [(OF_PROJECT, "project acme/site"), (OF_GROUP, "group acme"), (OF_INSTANCE, "the instance")],
    ids=["project", "group", "instance"],
)
def test_the_reason_of_a_missing_variable_names_its_owner(fakeplat: Fakeplat, path: str, owner: str) -> None:
    """The journal says which project or group, or that the instance, has no variable with the key."""
    assert 404 == fakeplat.as_user("root").get(f"{path}/TOKEN").status
    assert str(fakeplat.requests[-1].reason).startswith(owner)


def test_values_and_numbers_of_instance_variables_are_limited(fakeplat: Fakeplat) -> None:
    """Instance variables are limited to 25, and their values to 10,000 characters."""
    text = "The value of the provided variable exceeds the 10000 character limit"
    too_long = {"key": "X", "value": "x" * 10_001}

    assert invalid_record(value=[text]) == refusal(fakeplat, "root", "POST", OF_INSTANCE, json=too_long)
    for number in range(25):
        create_variable(fakeplat, OF_INSTANCE, key=f"X{number}", value="x" * 10_000)
    assert invalid_record(base=["Maximum number of ci instance level variables (25) exceeded"]) == refusal(
        fakeplat, "root", "POST", OF_INSTANCE, json={"key": "X", "value": "x"}
    )


@pytest.mark.parametrize(
    ("user", "path", "expected"),
    [
        (None, OF_PROJECT, UNAUTHORIZED),
        (None, OF_GROUP, UNAUTHORIZED),
        (None, OF_INSTANCE, UNAUTHORIZED),
        ("eve", OF_PROJECT, resource_not_found("Project")),
        ("dev", OF_PROJECT, FORBIDDEN),
        ("dev", OF_GROUP, FORBIDDEN),
        ("ada", OF_INSTANCE, FORBIDDEN),
    ],
)
def test_refused_requests(fakeplat: Fakeplat, user: str | None, path: str, expected: Outcome) -> None:
    """The caller is checked before the parameters."""
    assert expected == refusal(fakeplat, user, "GET", path)
    assert expected == refusal(fakeplat, user, "POST", path, json={})
    assert expected == refusal(fakeplat, user, "PUT", f"{path}/NONE", json={"variable_type": "text"})


def test_maintainers_manage_variables_of_projects_and_groups(fakeplat: Fakeplat) -> None:
    """Maintainers manage the variables of their project and of their group."""
    mia = fakeplat.as_user("mia")

    assert 201 == mia.post(OF_PROJECT, json={"key": "X", "value": "x"}).status
    assert 201 == mia.post(OF_GROUP, json={"key": "X", "value": "x"}).status
    assert [["X"], ["X"]] == [names(mia.get(path).json(), "key") for path in (OF_PROJECT, OF_GROUP)]


WORLD = {
    "extends": "starter",
    "variables": [{"key": "A", "value": "instance"}, {"key": "B", "value": "instance"}],
    "groups": [
        {
            "path": "acme",
            "variables": [{"key": "B", "value": "group"}, {"key": "C", "value": "group"}],
            "groups": [
                {
                    "path": "inner",
                    "variables": [{"key": "C", "value": "subgroup"}],
                    "projects": [
                        {
                            "path": "deep",
                            "variables": [
                                {"key": "D", "value": "named", "environment_scope": "review/one"},
                                {"key": "D", "value": "all", "environment_scope": "*"},
                                {"key": "D", "value": "pattern", "environment_scope": "review/*"},
                                {"key": "E", "value": "protected", "protected": True},
                            ],
                        }
                    ],
                }
            ],
        }
    ],
}
OUTER = {"A": "instance", "B": "group", "C": "subgroup"}


@pytest.mark.fakeplat(scenario=WORLD)
@pytest.mark.parametrize(
    ("environment", "is_protected", "own"),
    [
        (None, False, {"D": "all"}),
        (None, True, {"D": "all", "E": "protected"}),
        ("review/one", False, {"D": "named"}),
        ("review/two", False, {"D": "pattern"}),
        ("production", True, {"D": "all", "E": "protected"}),
    ],
)
def test_variables_of_a_job(
    fakeplat: Fakeplat, environment: str | None, is_protected: bool, own: dict[str, str]
) -> None:
    """A job gets the variable of the inner owner and the more specific scope."""
    world = fakeplat.bench.platform.view
    project = next(project for project in world.projects.all() if project.path == "deep")

    collected = variables.collect(world, project, ref_is_protected=is_protected, environment=environment)
    assert {**OUTER, **own} == collected


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(
    ("path", "fields"),
    [
        (OF_PROJECT, {"hidden": False, "environment_scope": "*"}),
        (OF_GROUP, {"hidden": False, "environment_scope": "*"}),
        (OF_INSTANCE, {}),
    ],
    ids=["project", "group", "instance"],
)
def test_variables_are_described_and_raw_later(fakeplat: Fakeplat, path: str, fields: dict[str, Any]) -> None:
    """From 15.7 on variables are raw, and from 16.2 on described."""
    variable = create_variable(fakeplat, path, raw=True, description="Signs in")
    assert {**BASIC, **fields, "raw": True, "description": "Signs in"} == variable
    changed = fakeplat.as_user("root").put(f"{path}/TOKEN", json={"raw": False, "description": "Out"})
    assert (200, {**variable, "raw": False, "description": "Out"}) == outcome(changed)


@pytest.mark.parametrize("path", [OF_PROJECT, OF_GROUP])
@pytest.mark.fakeplat(version="latest")
def test_the_value_of_a_hidden_variable_is_not_shown(fakeplat: Fakeplat, path: str) -> None:
    """From 17.4 on the value of a hidden variable is never shown."""
    variable = create_variable(fakeplat, path, value="long-enough", masked_and_hidden=True)
    assert (None, True, True) == (variable["value"], variable["masked"], variable["hidden"])
    assert (200, variable) == outcome(fakeplat.as_user("root").get(f"{path}/TOKEN"))
    short = fakeplat.as_user("root").post(path, json={"key": "OTHER", "value": "short", "masked_and_hidden": True})
    assert invalid_record(value=["is invalid"]) == outcome(short)


@pytest.mark.parametrize("path", [OF_PROJECT, OF_GROUP])
@pytest.mark.fakeplat(version="latest")
def test_a_hidden_variable_stays_masked(fakeplat: Fakeplat, path: str) -> None:
    """A hidden variable keeps its mask when it is changed; its value may change."""
    create_variable(fakeplat, path, value="long-enough", masked_and_hidden=True)
    text = "The visibility setting cannot be changed for masked and hidden variables."
    expected = invalid_record(base=[text])
    assert expected == refusal(fakeplat, "root", "PUT", f"{path}/TOKEN", json={"masked": False})
    assert 200 == fakeplat.as_user("root").put(f"{path}/TOKEN", json={"value": "other-value"}).status


@pytest.mark.parametrize("path", [OF_PROJECT, OF_GROUP])
@pytest.mark.fakeplat(version="latest")
def test_the_description_of_a_variable_is_limited(fakeplat: Fakeplat, path: str) -> None:
    """The description of a variable has at most 255 characters."""
    sent = {"key": "A", "value": "b", "description": "x" * 256}
    expected = invalid_record(description=["is too long (maximum is 255 characters)"])
    assert expected == refusal(fakeplat, "root", "POST", path, json=sent)


@by_release(OWNERS_ADMINISTER_GROUP_VARIABLES, "expected", {"15.2": 200, "15.3": 403})
def test_variables_of_groups_are_for_owners(fakeplat: Fakeplat, expected: int) -> None:
    """Maintainers of a group lose its variables in later releases; its Owners keep them."""
    assert (expected, 200) == tuple(fakeplat.as_user(name).get(OF_GROUP).status for name in ("mia", "ada"))
