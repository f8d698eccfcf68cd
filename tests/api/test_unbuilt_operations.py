"""Operations that the platform is known to have and fakeplat does not answer as their releases say."""

import re
from collections.abc import Callable, Iterator

import pytest

from fakeplat.catalog.unbuilt import UnbuiltOperation, unbuilt_operations
from fakeplat.core.release import LATEST, parse_release, profile_of
from fakeplat.harness.fake import Fakeplat

NO_ROUTE = (404, {"error": "404 Not Found"})
Factory = Callable[..., Fakeplat]
Outcome = tuple[int, object]


def fill_path(operation: UnbuiltOperation) -> str:
    return re.sub(r"(?<=/)[:*]\w+", "1", operation.path)


def ask(world: Fakeplat, method: str, path: str) -> Outcome:
    answer = world.as_user("root").request(method, path)
    return answer.status, answer.json()


def find_wrong_answers(world: Fakeplat, version: str) -> Iterator[tuple[str, Outcome]]:
    """Yield what is neither 501, in a release that has the operation, nor 404.

    Where the release has another operation with an id in that place, it may read the word as such.
    """
    profile = profile_of(parse_release(version))
    for operation in unbuilt_operations():
        status, body = outcome = ask(world, operation.method, fill_path(operation))
        if profile.has(operation.lifetime):
            is_right = status == 501 and f": {operation.name}. " in str(body)
        elif world.requests[-1].operation:
            is_right = world.requests[-1].operation != operation.name and status in (400, 401, 404, 501)
        else:
            is_right = outcome == NO_ROUTE and f"{operation.name} exists " in str(world.requests[-1].reason)
        if not is_right:
            yield operation.name, outcome


@pytest.mark.parametrize("version", ["13.5.1", "16.11", LATEST])
def test_every_unbuilt_operation_answers_as_its_releases_say(fakeplat_factory: Factory, version: str) -> None:
    """An unbuilt operation is 501 in the releases that have it, an unknown route before and after."""
    with fakeplat_factory(version=version, tier="ultimate") as world:
        assert [] == list(find_wrong_answers(world, version))


def build_refusal(operation: str, sentence: str = "") -> Outcome:
    return 501, {"message": f"501 Not Implemented: {operation}.{sentence} See /_fakeplat/coverage"}


@pytest.mark.parametrize(
    ("method", "path", "version", "expected"),
    [
        ("DELETE", "personal_access_tokens/self", "14.10", (404, {"message": "404 Not found"})),
        ("GET", "personal_access_tokens/self", "15.0", NO_ROUTE),
        ("GET", "personal_access_tokens/self", "15.3", (404, {"message": "404 Not Found"})),
        ("DELETE", "runners/managers", "17.8", (400, {"error": "runner_id is invalid"})),
        ("DELETE", "runners/managers", "17.9", (400, {"error": "token is missing, system_id is missing"})),
    ],
)
def test_a_word_is_an_id_only_where_the_release_does_not_have_it(
    fakeplat_factory: Factory, method: str, path: str, version: str, expected: Outcome
) -> None:
    """`self` is a token's id until the release has an operation with that word."""
    with fakeplat_factory(version=version) as world:
        assert expected == ask(world, method, path)


@pytest.mark.parametrize(("version", "expected"), [("18.8", NO_ROUTE), ("18.9", (200, None))])
def test_another_method_of_a_path_is_not_refused_as_a_mistake(
    fakeplat_factory: Factory, version: str, expected: Outcome
) -> None:
    """A method that a later release added to a path is an unknown route before, and never 405."""
    with fakeplat_factory(version=version) as world:
        assert expected == ask(world, "PATCH", "user/status")


def test_what_will_not_be_built_says_so(fakeplat_factory: Factory) -> None:
    """The refusal of an operation that is left out for good says why."""
    with fakeplat_factory(tier="premium") as world:
        expected = build_refusal("get_geo_node_status", " fakeplat leaves out Geo.")
        assert expected == ask(world, "GET", "geo_nodes/1/status")


def test_the_reason_names_the_releases(fakeplat_factory: Factory) -> None:
    """An operation of another release is an unknown route, whose reason names its releases."""
    with fakeplat_factory(version="13.5.1") as world:
        assert NO_ROUTE == ask(world, "GET", "projects/1/invitations")
        expected = "list_project_invitations exists since 13.6; this world is 13.5.1 (instance.version)"
        assert expected == world.requests[-1].reason
