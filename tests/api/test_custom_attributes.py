"""Custom attributes of users, groups and projects.

Source: docs/platform/users.md, docs/platform/projects.md. the choices.
"""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, outcome, refusal, resource_not_found

OWNERS = ["users/2", "groups/acme", "projects/acme%2Fsite"]
KEY = "custom_attributes/team"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})


@pytest.mark.parametrize("owner", OWNERS)
def test_the_life_of_a_custom_attribute(fakeplat: Fakeplat, owner: str) -> None:
    """A custom attribute is set, changed, read, listed and deleted."""
    calls = fakeplat.as_user("root")

    assert (200, []) == outcome(calls.get(f"{owner}/custom_attributes"))
    assert (200, {"key": "team", "value": "red"}) == outcome(calls.put(f"{owner}/{KEY}", json={"value": "red"}))
    assert (200, {"key": "team", "value": "blue"}) == outcome(calls.put(f"{owner}/{KEY}", json={"value": "blue"}))
    assert (200, {"key": "team", "value": "blue"}) == outcome(calls.get(f"{owner}/{KEY}"))
    assert (200, [{"key": "team", "value": "blue"}]) == outcome(calls.get(f"{owner}/custom_attributes"))
    assert (204, None) == outcome(calls.delete(f"{owner}/{KEY}"))
    assert NOT_FOUND == outcome(calls.get(f"{owner}/{KEY}"))
    assert (200, []) == outcome(calls.get(f"{owner}/custom_attributes"))


CALLS = [
    ("GET", "custom_attributes", {}),
    ("GET", KEY, {}),
    ("PUT", KEY, {"json": {"value": "red"}}),
    ("DELETE", KEY, {}),
]


@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize(("method", "below", "rest"), CALLS)
@pytest.mark.parametrize(("viewer", "expected"), [(None, UNAUTHORIZED), ("ada", FORBIDDEN)])
def test_custom_attributes_are_for_administrators(
    fakeplat: Fakeplat,
    owner: str,
    method: str,
    below: str,
    rest: dict[str, object],
    viewer: str | None,
    expected: Outcome,
) -> None:
    """Custom attributes answer 401 to anonymous callers and 403 to owners."""
    assert expected == refusal(fakeplat, viewer, method, f"{owner}/{below}", **rest)


@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_there_is_no_such_attribute(fakeplat: Fakeplat, owner: str, method: str) -> None:
    """An unknown key is a record that is not found."""
    assert NOT_FOUND == refusal(fakeplat, "root", method, f"{owner}/{KEY}")


@pytest.mark.parametrize("owner", OWNERS)
def test_a_value_is_needed(fakeplat: Fakeplat, owner: str) -> None:
    """Setting an attribute without a value is refused."""
    assert invalid("value is missing") == refusal(fakeplat, "root", "PUT", f"{owner}/{KEY}")


@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        ("users/999", resource_not_found("User")),
        ("groups/9999", resource_not_found("Group")),
        ("projects/9999", resource_not_found("Project")),
    ],
)
@pytest.mark.parametrize(("method", "below", "rest"), CALLS)
def test_attributes_of_unknown_records_are_not_found(
    fakeplat: Fakeplat, owner: str, method: str, below: str, rest: dict[str, object], expected: Outcome
) -> None:
    """Attributes of what is not there are not found."""
    assert expected == refusal(fakeplat, "root", method, f"{owner}/{below}", **rest)


@pytest.mark.parametrize(
    ("path", "owner"), [("users", "users/2"), ("groups", "groups/acme"), ("projects", "projects/acme%2Fsite")]
)
def test_lists_can_be_filtered_by_them(fakeplat: Fakeplat, path: str, owner: str) -> None:
    """A list with custom_attributes[key] has what carries that value; the filter of others is dropped."""
    calls = fakeplat.as_user("root")
    id_ = calls.get(owner).json()["id"]
    calls.put(f"{owner}/{KEY}", json={"value": "red"})

    assert [id_] == [row["id"] for row in calls.get(f"{path}?custom_attributes[team]=red").json()]
    assert [] == calls.get(f"{path}?custom_attributes[team]=blue").json()
    plain = fakeplat.as_user("eve").get(path).json()
    assert plain == fakeplat.as_user("eve").get(f"{path}?custom_attributes[team]=blue").json()


@pytest.mark.parametrize("owner", OWNERS)
def test_attributes_are_deleted_with_their_record(fakeplat: Fakeplat, owner: str) -> None:
    """Deleting a record deletes its custom attributes."""
    calls = fakeplat.as_user("root")
    calls.put(f"{owner}/{KEY}", json={"value": "red"})
    calls.delete(f"{owner}?hard_delete=true")

    assert 0 == len(list(fakeplat.bench.platform.view.custom_attributes.all()))


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize("owner", OWNERS)
def test_a_filter_does_not_hide_a_single_record(fakeplat: Fakeplat, owner: str) -> None:
    """The filter by custom attributes is accepted with a single record, which it never hides."""
    root = fakeplat.as_user("root")

    assert root.get(owner).json()["id"] == root.get(f"{owner}?custom_attributes[team]=red").json()["id"]
    assert (400, {"error": "custom_attributes is invalid"}) == refusal(
        fakeplat, "root", "GET", f"{owner}?custom_attributes=red"
    )
