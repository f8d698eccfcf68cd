"""The instance: appearance, features, statistics, licence, background jobs, avatars.

Source: docs/platform/version-and-metadata.md; the platform's request specs.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.documents import get_scenario
from fakeplat.scenario.export import export_world
from fakeplat.scenario.worlds import create_platform
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, form, invalid, invalid_record, refusal

pytestmark = STARTER_AT_NINE
APPEARANCE = "application/appearance"
DEFAULT_APPEARANCE = {
    "title": "",
    "description": "",
    "logo": None,
    "header_logo": None,
    "favicon": None,
    "new_project_guidelines": "",
    "profile_image_guidelines": "",
    "header_message": "",
    "footer_message": "",
    "message_background_color": "#E75E40",
    "message_font_color": "#FFFFFF",
    "email_header_and_footer_enabled": False,
}
PNG = ("dk.png", "image/png", b"\x89PNG")


def exported_twin(fake: Fakeplat) -> Any:
    """A world from the export of this one."""
    return create_platform(get_scenario(export_world(fake.bench.platform))).view


def test_the_appearance_of_a_new_instance(fakeplat: Fakeplat) -> None:
    """A new instance's appearance has two colours and nothing else."""
    assert DEFAULT_APPEARANCE == fakeplat.as_user("root").get(APPEARANCE).json()


def test_administrators_change_texts_and_colours(fakeplat: Fakeplat) -> None:
    """An update of the appearance keeps what is not sent, and null clears a text."""
    root = fakeplat.as_user("root")
    changes: dict[str, Any] = {"title": "Test Instance", "footer_message": "F", "message_font_color": "#ffffff"}
    changes |= {"email_header_and_footer_enabled": True}

    assert {**DEFAULT_APPEARANCE, **changes} == root.put(APPEARANCE, json=changes).json()
    assert {**DEFAULT_APPEARANCE, **changes, "title": ""} == root.put(APPEARANCE, json={"title": None}).json()
    assert {**DEFAULT_APPEARANCE, **changes, "title": ""} == root.get(APPEARANCE).json()


def test_images_are_uploaded_and_downloaded(fakeplat: Fakeplat) -> None:
    """A new one replaces the old one; they survive an export."""
    root = fakeplat.as_user("root")
    appearance = root.request("PUT", APPEARANCE, **form(logo=PNG, header_logo=PNG, favicon=PNG)).json()
    paths = {
        name: f"/uploads/-/system/appearance/{name}/20000001/dk.png" for name in ("logo", "header_logo", "favicon")
    }
    image = fakeplat.as_user(None).get(f"http://site.test{paths['logo']}")

    assert paths == {name: appearance[name] for name in paths}
    assert (200, b"\x89PNG") == (image.status, image.content)

    replaced = root.request("PUT", APPEARANCE, **form(logo=("new.png", "image/png", b"new"))).json()
    assert "/uploads/-/system/appearance/logo/20000001/new.png" == replaced["logo"]
    assert 404 == fakeplat.as_user(None).get(f"http://site.test{paths['logo']}").status
    assert [b"new", b"\x89PNG", b"\x89PNG"] == sorted(
        (file.data for file in exported_twin(fakeplat).files.all()), key=len
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            {"json": {"message_font_color": "No Color"}},
            invalid_record(message_font_color=["must be a valid color code"]),
        ),
        (
            {"json": {"message_background_color": "#1"}},
            invalid_record(message_background_color=["must be a valid color code"]),
        ),
        ({"json": {"logo": "not-a-file.png"}}, invalid("logo is invalid")),
        (
            form(favicon=("x.svg", "image/svg+xml", b"<svg/>")),
            invalid_record(favicon=['You are not allowed to upload "svg" files, allowed types: png, ico']),
        ),
        (
            {"json": {"profile_image_guidelines": "x" * 4097}},
            invalid_record(profile_image_guidelines=["is too long (maximum is 4096 characters)"]),
        ),
    ],
    ids=["font", "background", "text as file", "svg", "too long"],
)
def test_invalid_appearances_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """Appearances are validated by their parameters first, then by the model."""
    assert expected == refusal(fakeplat, "root", "PUT", APPEARANCE, **body)


def set_feature(fake: Fakeplat, name: str = "known", **body: Any) -> dict[str, Any]:
    reply = fake.as_user("root").post(f"features/{name}", json=body)
    assert 201 == reply.status
    return dict(reply.json())


def build_gates(**others: Any) -> list[dict[str, Any]]:
    return [{"key": key, "value": value} for key, value in {"boolean": False, **others}.items()]


@pytest.mark.parametrize(
    ("body", "state", "expected"),
    [
        ({"value": "true"}, "on", build_gates(boolean=True)),
        ({"value": True}, "on", build_gates(boolean=True)),
        ({"value": "false"}, "off", build_gates()),
        ({"value": 0}, "off", build_gates()),
        ({"value": "50"}, "conditional", build_gates(percentage_of_time=50)),
        ({"value": "100"}, "on", build_gates(percentage_of_time=100)),
        ({"value": 42, "key": "percentage_of_actors"}, "conditional", build_gates(percentage_of_actors=42)),
        ({"value": "some"}, "off", build_gates()),
        ({"value": "true", "feature_group": "perf_team"}, "conditional", build_gates(groups=["perf_team"])),
        ({"value": "true", "project": "mep/to/the/mep"}, "off", build_gates()),
        ({"value": "true", "group": "not/a/group"}, "off", build_gates()),
        ({"value": "true", "user": "nobody"}, "off", build_gates()),
    ],
)
def test_features_are_switched(fakeplat: Fakeplat, body: dict[str, Any], state: str, expected: Any) -> None:
    """Features are enabled for everybody, a percentage or actors; unknown actors are ignored."""
    assert {"name": "known", "state": state, "gates": expected} == set_feature(fakeplat, **body)


def test_features_are_switched_for_actors(fakeplat: Fakeplat) -> None:
    """Features are enabled and disabled for users, groups and projects."""
    world = fakeplat.world
    dev, acme, site = world.user("dev").id, world.group("acme").id, world.project("acme/site").id
    set_feature(fakeplat, value="true", user="dev", group="acme", project="acme/site")
    without_group = set_feature(fakeplat, value="false", group="acme")

    assert build_gates(actors=[f"User:{dev}", f"Project:{site}"]) == without_group["gates"]
    assert (
        build_gates(actors=[f"User:{dev}", f"Group:{acme}", f"Project:{site}"])
        == set_feature(fakeplat, value="true", group="acme")["gates"]
    )
    assert 1 == len(exported_twin(fakeplat).features.find("name", "known").group_ids)
    assert build_gates() == set_feature(fakeplat, value="false")["gates"]


def test_switched_features_are_listed_until_they_are_deleted(fakeplat: Fakeplat) -> None:
    """Deleting one that was never switched has the same answer."""
    root = fakeplat.as_user("root")
    features = [set_feature(fakeplat, name, value=value) for name, value in (("one", "true"), ("two", "false"))]

    assert features == root.get("features").json()
    assert [204, 204] == [root.delete(f"features/{name}").status for name in ("one", "never")]
    assert features[1:] == root.get("features").json()


@pytest.mark.fakeplat(scenario="starter", version="latest")
def test_newer_releases_show_definitions(fakeplat: Fakeplat) -> None:
    """In newer releases features have a definition, which is null here."""
    assert None is set_feature(fakeplat, value="true")["definition"]


@pytest.mark.parametrize(
    ("user", "method", "path", "body", "expected"),
    [
        ("root", "POST", "features/x", {}, invalid("value is missing")),
        ("root", "POST", "features/x", {"value": "101"}, invalid("value is invalid")),
        (
            "root",
            "POST",
            "features/x",
            {"value": "1", "key": "percentage_of_actors", "user": "dev"},
            invalid("key, user are mutually exclusive"),
        ),
        ("dev", "POST", "features/x", {}, FORBIDDEN),
        (None, "PUT", APPEARANCE, {"title": 1}, UNAUTHORIZED),
        ("dev", "PUT", APPEARANCE, {"logo": "x"}, FORBIDDEN),
        ("dev", "GET", "sidekiq/job_stats", None, FORBIDDEN),
    ],
)
def test_refused_requests(
    fakeplat: Fakeplat, user: str | None, method: str, path: str, body: Any, expected: Outcome
) -> None:
    """The caller is checked before the parameters."""
    assert expected == refusal(fakeplat, user, method, path, json=body)


def test_statistics_are_texts(fakeplat: Fakeplat) -> None:
    """The statistics count the records of the instance as texts."""
    expected = {
        "forks": "0",
        "issues": "7",
        "merge_requests": "2",
        "snippets": "0",
        "ssh_keys": "0",
        "milestones": "3",
        "users": "9",
        "projects": "4",
        "groups": "2",
        "active_users": "8",
    }
    statistics = fakeplat.as_user("root").get("application/statistics").json()
    assert {**expected, "notes": statistics["notes"]} == statistics
    assert statistics["notes"].isdigit()


def test_background_jobs_are_done(fakeplat: Fakeplat) -> None:
    """Clients wait until the process is not busy."""
    root = fakeplat.as_user("root")
    compound = root.get("sidekiq/compound_metrics").json()
    parts = [root.get(f"sidekiq/{name}").json() for name in ("queue_metrics", "process_metrics", "job_stats")]

    assert {"default": {"backlog": 0, "latency": 0}} == compound["queues"]
    assert {"processed": 0, "failed": 0, "enqueued": 0, "dead": 0} == compound["jobs"]
    assert {"hostname", "pid", "tag", "started_at", "queues", "labels", "concurrency", "busy"} == set(
        compound["processes"][0]
    )
    assert (0, compound) == (compound["processes"][0]["busy"], {**parts[0], **parts[1], **parts[2]})


def test_the_free_tier_has_neither_a_licence_nor_nodes(fakeplat: Fakeplat) -> None:
    """Clients take the 404 for that tier."""
    for path in ("license", "licenses", "geo_nodes"):
        assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "root", "GET", path)


@pytest.mark.fakeplat(scenario="starter", tier="ultimate")
def test_a_paid_tier_has_a_licence(fakeplat: Fakeplat) -> None:
    """On a paid tier the instance has a licence for a year without a limit of users."""
    licence = fakeplat.as_user("root").get("license").json()
    expected = {"plan": "gold", "expired": False, "overage": 0, "user_limit": 0, "active_users": 8, "add_ons": {}}

    assert expected == {name: licence[name] for name in expected}
    assert {"Name": "Administrator"} == licence["licensee"]
    assert [] == fakeplat.as_user("root").get("geo_nodes").json()
    del licence["active_users"]
    assert [licence] == fakeplat.as_user("root").get("licenses").json()


@pytest.mark.fakeplat(scenario="starter", version="latest")
def test_metadata(fakeplat: Fakeplat) -> None:
    """The metadata contains version, revision, agent server and edition."""
    metadata = fakeplat.as_user("dev").get("metadata").json()
    kas = {"enabled": False, "externalUrl": None, "externalK8sProxyUrl": None, "version": None}
    assert ("19.3.0", kas, False) == (metadata["version"], metadata["kas"], metadata["enterprise"])
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", "metadata")


def test_metadata_is_newer(fakeplat: Fakeplat) -> None:
    """In 13.5 the metadata answers 404."""
    assert (404, {"error": "404 Not Found"}) == refusal(fakeplat, "root", "GET", "metadata")


@pytest.mark.parametrize(("size", "pixels"), [(None, 80), (32, 64), (0, 80)])
def test_avatars_of_unknown_addresses_are_generated(fakeplat: Fakeplat, size: int | None, pixels: int) -> None:
    """Avatars of unknown addresses are generated in twice the size, also anonymously."""
    params = {"email": "Private@Example.com ", **({} if size is None else {"size": size})}
    avatar = fakeplat.as_user(None).get("avatar", params=params).json()
    assert avatar["avatar_url"].endswith(f"/avatar/2a1454e724832f3b0d3b15c42b347401?s={pixels}&d=identicon")


def test_avatars_of_public_addresses_are_the_users_own(fakeplat: Fakeplat) -> None:
    """The avatar of a user's public address is the picture that the user uploaded."""
    root, dev = fakeplat.as_user("root"), fakeplat.world.user("dev").id
    body = form(public_email="dev@example.test", avatar=("me.png", "image/png", b"png"))
    url = root.request("PUT", f"users/{dev}", **body).json()["avatar_url"]

    assert {"avatar_url": url} == fakeplat.as_user(None).get("avatar?email=dev@example.test").json()


def test_avatars_need_an_address_and_may_need_a_login(fakeplat: Fakeplat) -> None:
    """An avatar requires an address, and a login where public profiles are restricted."""
    assert invalid("email is missing") == refusal(fakeplat, None, "GET", "avatar")
    fakeplat.load({"settings": {"restricted_visibility_levels": ["public"]}})
    unauthorized = (403, {"message": "403 Forbidden - Unauthorized access"})

    assert unauthorized == refusal(fakeplat, None, "GET", "avatar?email=x@y.test")
    assert 200 == fakeplat.as_user("dev").get("avatar?email=x@y.test").status
