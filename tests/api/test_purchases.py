"""Minutes and add-ons that were bought for namespaces.

Sources: ee/spec/requests/api/ci/minutes_spec.rb and ee/spec/requests/api/gitlab_subscriptions/add_on_purchases_spec.rb
of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, outcome, refusal
from tests.scenario.worlds import create_platform, reload_export

pytestmark = pytest.mark.fakeplat(version="latest", tier="premium")
PACK = {"number_of_minutes": 10000, "expires_at": "2022-01-01", "purchase_xid": "46952fe69bebc1a4de10b2b4ff439d0c"}
MINUTES, MOVE = "namespaces/acme/minutes", "namespaces/acme/minutes/move/ada"
ADD_ON = "namespaces/acme/subscription_add_on_purchase/code_suggestions"
DATES = {"started_on": "2020-11-20", "expires_on": "2021-11-20"}
BOUGHT = {"quantity": 10, **DATES, "purchase_xid": "A-S00000001"}


def bad(text: str) -> Outcome:
    return 400, {"message": f"400 Bad request - {text}"}


def list_packs(fake: Fakeplat) -> list[tuple[str, int]]:
    """Return the paths of namespaces and the minutes that were bought for them."""
    world = fake.bench.platform.view
    return [(world.namespaces[pack.namespace_id].path, pack.number_of_minutes) for pack in world.minutes_packs.all()]


def test_minutes_are_added_once_for_each_purchase(fakeplat: Fakeplat) -> None:
    """A purchase that is known is answered as it was, and not added again."""
    root, id_ = fakeplat.as_user("root"), fakeplat.world.group("acme").id
    first = root.post(MINUTES, json={"packs": [PACK, PACK]})
    again = root.post(MINUTES, json={"packs": [{**PACK, "number_of_minutes": 5}, {**PACK, "purchase_xid": "b"}]})

    assert (201, [{"namespace_id": id_, **PACK}] * 2) == (first.status, first.json())
    assert [PACK["purchase_xid"], "b"] == [pack["purchase_xid"] for pack in again.json()]
    assert [10000, 10000] == [pack["number_of_minutes"] for pack in again.json()]
    assert [("acme", 10000)] * 2 == list_packs(fakeplat)


def test_minutes_are_moved_between_top_level_namespaces(fakeplat: Fakeplat) -> None:
    """All minutes of a namespace become those of another one; neither may be a subgroup."""
    root = fakeplat.as_user("root")
    root.post("groups", json={"name": "Sub", "path": "sub", "parent_id": fakeplat.world.group("acme").id})
    root.post(MINUTES, json={"packs": [PACK]})

    top = "must be a top-level namespace"
    assert bad(f"Namespace {top}") == refusal(fakeplat, "root", "PATCH", "namespaces/acme%2Fsub/minutes/move/ada")
    assert bad(f"Target namespace {top}") == refusal(fakeplat, "root", "PATCH", f"{MINUTES}/move/acme%2Fsub")
    same = refusal(fakeplat, "root", "PATCH", f"{MINUTES}/move/acme")
    assert bad("Namespace and target must be different") == same
    assert (202, {"message": "202 Accepted"}) == outcome(root.patch(MOVE))
    assert [("ada", 10000)] == list_packs(fakeplat)


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("namespaces/none/minutes", {"packs": [PACK]}, (404, {"message": "404 Namespace Not Found"})),
        (MINUTES, {}, invalid("packs is missing")),
        (MINUTES, {"packs": [{"number_of_minutes": 1}]}, None),
        (MINUTES, {"packs": [PACK, {**PACK, "purchase_xid": "x" * 33}]}, bad("Unable to save additional packs")),
    ],
)
def test_minutes_that_are_refused(fakeplat: Fakeplat, path: str, body: Any, expected: Outcome | None) -> None:
    """Minutes need a number, a date and an id of the purchase with at most 32 characters."""
    missing = "packs[0][expires_at] is missing, packs[0][purchase_xid] is missing"
    assert (expected or invalid(missing)) == refusal(fakeplat, "root", "POST", path, json=body)


@pytest.mark.parametrize(
    ("path", "name"), [("namespaces/none/minutes/move/ada", "Namespace"), (f"{MINUTES}/move/none", "Target namespace")]
)
def test_minutes_need_both_namespaces(fakeplat: Fakeplat, path: str, name: str) -> None:
    """A namespace that does not exist is named in the refusal."""
    assert (404, {"message": f"404 {name} Not Found"}) == refusal(fakeplat, "root", "PATCH", path)


def test_an_add_on_is_bought_and_changed(fakeplat: Fakeplat) -> None:
    """A namespace has one purchase of each add-on, which administrators change."""
    root, id_ = fakeplat.as_user("root"), fakeplat.world.group("acme").id
    shown = {"namespace_id": id_, "namespace_name": "Acme", "add_on": "Code Suggestions", **BOUGHT, "trial": False}

    assert (201, shown) == outcome(root.post(ADD_ON, json=BOUGHT))
    assert (200, shown) == outcome(root.get(ADD_ON))
    later = {**DATES, "expires_on": "2022-11-20"}
    assert (200, {**shown, **later}) == outcome(root.put(ADD_ON, json=later))
    more = {**later, "quantity": 20, "trial": True}
    assert (200, {**shown, **more}) == outcome(root.put(ADD_ON, json=more))
    expected = bad(
        "Add-on purchase for namespace Acme and add-on Code Suggestions already exists, update the existing record"
    )
    assert expected == refusal(fakeplat, "root", "POST", ADD_ON, json=BOUGHT)


@pytest.mark.parametrize(
    ("changes", "errors"),
    [
        ({"quantity": 0}, {"quantity": ["must be greater than or equal to 1"]}),
        ({"purchase_xid": ""}, {"purchase_xid": ["can't be blank"]}),
        ({"purchase_xid": "x" * 256}, {"purchase_xid": ["is too long (maximum is 255 characters)"]}),
    ],
)
def test_an_add_on_that_is_refused(fakeplat: Fakeplat, changes: dict[str, Any], errors: dict[str, list[str]]) -> None:
    """An add-on has at least one seat, and an id of its purchase."""
    body = {**BOUGHT, **changes}
    assert (400, {"message": errors}) == refusal(fakeplat, "root", "POST", ADD_ON, json=body)
    fakeplat.as_user("root").post(ADD_ON, json=BOUGHT)
    assert (400, {"message": errors}) == refusal(fakeplat, "root", "PUT", ADD_ON, json=body)


def test_an_add_on_that_was_not_bought(fakeplat: Fakeplat) -> None:
    """Without a purchase there is nothing to show or change."""
    text = "Add-on purchase for namespace Acme and add-on Code Suggestions does not exist, create a new record instead"
    assert 404 == fakeplat.as_user("root").get(ADD_ON).status
    assert bad(text) == refusal(fakeplat, "root", "PUT", ADD_ON, json=DATES)


def test_unknown_namespaces_and_add_ons_have_no_purchases(fakeplat: Fakeplat) -> None:
    """Both are looked for before the parameters; product analytics are sold where their feature is on."""
    root, analytics = fakeplat.as_user("root"), ADD_ON.replace("code_suggestions", "product_analytics")
    missing = (404, {"message": "404 Namespace Not Found"})
    assert missing == refusal(fakeplat, "root", "POST", ADD_ON.replace("acme", "none"))
    assert 404 == root.post(ADD_ON.replace("code_suggestions", "none")).status
    assert 404 == root.post(analytics, json=BOUGHT).status
    root.post("features/product_analytics_billing", json={"value": "true"})
    assert 201 == root.post(analytics, json=BOUGHT).status
    assert 201 == root.post(analytics.replace("acme", "ada"), json=BOUGHT).status


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", MINUTES, {"packs": [PACK]}),
        ("PATCH", MOVE, None),
        ("GET", ADD_ON, None),
        ("POST", ADD_ON, BOUGHT),
        ("PUT", ADD_ON, DATES),
    ],
)
def test_only_administrators_buy(fakeplat: Fakeplat, method: str, path: str, body: Any) -> None:
    """Owners of the namespace are refused."""
    rest = {} if body is None else {"json": body}
    assert FORBIDDEN == refusal(fakeplat, "ada", method, path, **rest)
    assert UNAUTHORIZED == refusal(fakeplat, None, method, path, **rest)


def test_purchases_survive_a_round_trip() -> None:
    """What was bought for groups and users is in the export of a world."""
    packs = [{**PACK, "purchase_xid": "a"}]
    add_ons = [{"name": "duo_enterprise", **BOUGHT, "trial": True}]
    bought = {"minutes_packs": packs, "add_on_purchases": add_ons}
    world = {"users": [{"username": "dev", **bought}], "groups": [{"full_path": "acme", **bought}]}
    for platform in (create_platform(world), reload_export(create_platform(world))):
        view = platform.view
        assert ["acme", "dev"] == sorted(view.namespaces[row.namespace_id].path for row in view.add_on_purchases.all())
        assert [("a", 10000)] * 2 == [(row.purchase_xid, row.number_of_minutes) for row in view.minutes_packs.all()]
        assert [("duo_enterprise", 10, True)] * 2 == [
            (row.name, row.quantity, row.trial) for row in view.add_on_purchases.all()
        ]
