"""What exists in which release of the platform."""

from collections.abc import Callable
from typing import Annotated

import pytest

from fakeplat.core.params.binder import Binder
from fakeplat.core.params.fields import fields_of
from fakeplat.core.params.params import Params
from fakeplat.core.release import EVERYTHING, NEWEST, Lifetime, parse_release, profile_of
from fakeplat.harness.fake import Fakeplat


class ListThings(Params):
    state: str = "all"
    reviewer: Annotated[str | None, Lifetime(since="13.8")] = None
    wip: Annotated[str | None, Lifetime(since="", until="14.8")] = None


@pytest.mark.parametrize(
    ("text", "expected"), [("13.5.1", (13, 5)), ("13.12", (13, 12)), ("14.0.0-ee", (14, 0)), ("newer", NEWEST)]
)
def test_releases_are_compared_by_major_and_minor(text: str, expected: tuple[int, int]) -> None:
    """A release is parsed into numbers, so 13.12 is later than 13.5."""
    assert expected == parse_release(text)


@pytest.mark.parametrize("text", ["", "13", "x.y", "13.", ".5", "13.x"])
def test_what_is_no_release_is_refused(text: str) -> None:
    """A text that is not a release raises ValueError."""
    with pytest.raises(ValueError, match="is not a release"):
        parse_release(text)


@pytest.mark.parametrize(
    ("lifetime", "release", "expected"),
    [
        (Lifetime(), (1, 0), True),
        (Lifetime("13.8"), (13, 7), False),
        (Lifetime("13.8"), (13, 8), True),
        (Lifetime("13.8"), (14, 0), True),
        (Lifetime("newer"), (99, 0), False),
        (Lifetime("newer"), NEWEST, True),
        (Lifetime("", "14.8"), (14, 7), True),
        (Lifetime("", "14.8"), (14, 8), False),
    ],
)
def test_a_lifetime_goes_from_one_release_to_before_another(
    lifetime: Lifetime, release: tuple[int, int], expected: bool
) -> None:
    """A lifetime includes its first release and excludes its end; both are optional."""
    assert expected is lifetime.covers(release)


@pytest.mark.parametrize(
    ("release", "known"),
    [((13, 5), ["state", "wip"]), ((13, 8), ["state", "reviewer", "wip"]), ((14, 8), ["state", "reviewer"])],
)
def test_parameters_are_known_in_their_releases(release: tuple[int, int], known: list[str]) -> None:
    """A parameter that a release does not know is ignored and not in its schema."""
    plan = Binder(ListThings, profile_of(release))
    given = {"state": "a", "reviewer": "b", "wip": "c"}
    bound = plan.bind(given)
    assert {name: given[name] if name in known else None for name in given} == {
        name: getattr(bound, name) for name in given
    }
    assert known == list(plan.schema()["properties"])


def test_a_required_parameter_has_no_lifetime() -> None:
    """A required parameter with a lifetime raises TypeError."""

    class Wrong(Params):
        name: Annotated[str, Lifetime(since="13.8")]

    with pytest.raises(TypeError, match="so it needs a default"):
        list(fields_of(Wrong, EVERYTHING))


NEWER = "/api/v4/projects/acme%2Fsite/access_tokens"


@pytest.mark.parametrize(
    ("instance", "status"),
    [({}, 404), ({"version": "13.8.0"}, 404), ({"newer": True}, 200)],
    ids=["13.5", "13.8", "newer"],
)
def test_the_version_decides_which_operations_exist(
    fakeplat_factory: Callable[..., Fakeplat], instance: dict[str, object], status: int
) -> None:
    """The release of an instance decides whether a newer operation exists."""
    world = fakeplat_factory(**instance)
    assert status == world.as_user("root").get(NEWER).status
    world.stop()


@pytest.mark.parametrize(("version", "status"), [("13.5.1", 404), ("13.8.9", 404), ("13.9.0", 200), ("14.1", 200)])
def test_an_operation_exists_from_its_release_on(
    fakeplat_factory: Callable[..., Fakeplat], version: str, status: int
) -> None:
    """The groups of a project can be listed in release 13.9 and later."""
    with fakeplat_factory(version=version) as world:
        assert status == world.as_user("dev").get("projects/acme%2Fsite/groups").status
