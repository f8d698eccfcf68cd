"""Every operation refuses tokens without a sufficient scope.

Source: docs/platform/authentication.md, docs/platform/repository-files.md. Expectations are worked out from the method
and the path of an operation alone, not from its declaration.
"""

from collections.abc import Iterator
from typing import Any, Final

import orjson
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.operation import OPERATIONS, PREFIX, Operation
from fakeplat.domain.people import tokens
from fakeplat.model.people import Token, TokenKind
from fakeplat.platform import Platform
from tests.examples import examples
from tests.scenario.worlds import create_platform

SCOPES: Final = (*tokens.SCOPES, tokens.SUDO)
KINDS: Final[tuple[TokenKind, ...]] = ("personal", "impersonation", "oauth")
PROFILES: Final = ("/api/v4/user", "/api/v4/users", "/api/v4/user/", "/api/v4/users/")
READ_USER_ELSEWHERE: Final = {"get_version", "get_metadata", "list_events"}
"""What the scope ``read_user`` reads besides the paths of users."""
NOT_PROFILES: Final = {
    "list_user_contributed_projects",
    "list_user_projects",
    "list_user_starred_projects",
    "list_user_custom_attributes",
    "get_user_custom_attribute",
}
"""What stands below the path of a user, and is of projects or of custom attributes."""
FILES: Final = "/repository/files/"
"""What the scope ``read_repository`` reads, besides git."""
DESCRIPTION: Final = "The request requires higher privileges than provided by the access token."


def list_operations() -> Iterator[Operation]:
    """The operations that look at scopes: git, the registry and runners have credentials of their own.

    A token shows and revokes itself whatever its scopes.
    """
    for operation in OPERATIONS:
        area = operation.area
        if area.prefix == PREFIX and not (area.bare or area.basic or area.endpoint or area.any_scope):
            yield operation


ASKED: Final = tuple(list_operations())


@pytest.fixture(scope="module", params=["latest", "13.5.1"])
def platform(request: pytest.FixtureRequest) -> Platform:
    """A world for all tests, which none of them changes but for tokens; the first release has what ended later."""
    return create_platform({"extends": "starter", "instance": {"tier": "ultimate", "version": request.param}})


def is_served(platform: Platform, operation: Operation) -> bool:
    return platform.view.instance.profile.has(operation.lifetime)


def add_token(platform: Platform, kind: TokenKind, scopes: tuple[str, ...], **changes: Any) -> Token:
    """Add a token of the administrator, whom only scopes can stop."""
    with platform.acting() as ctx:
        root = ctx.world.users[1]
        token = tokens.create(ctx, root, kind, scopes=scopes)
        return ctx.world.tokens.change(token, **changes)


def send_request(platform: Platform, operation: Operation, token: Token) -> tuple[int, Any]:
    """Status and body of an answer; parameters of the path are numbers that name nothing."""
    path = "/".join("999999" if part[:1] in (":", "*") else part for part in operation.path.split("/"))
    request = Request(operation.method, path, "", {"authorization": f"Bearer {token.value}"})
    answer = platform.handle(request)
    is_json = answer.body[:1] in (b"{", b"[")
    return answer.status, orjson.loads(answer.body) if is_json else None


def is_sufficient(operation: Operation, scopes: tuple[str, ...]) -> bool:
    """Return whether the facts let a token with some scopes use an operation."""
    if "api" in scopes:
        return True
    # Later releases count this as a read, as it changes nothing.
    if operation.method != "GET" and operation.name != "render_markdown":
        return False
    is_profile = operation.path in PROFILES or operation.path.startswith(PROFILES[2:])
    reads_users = (is_profile and operation.name not in NOT_PROFILES) or operation.name in READ_USER_ELSEWHERE
    reads_files = FILES in operation.path and "read_repository" in scopes
    return "read_api" in scopes or reads_files or ("read_user" in scopes and reads_users)


@pytest.mark.parametrize("scope", SCOPES)
def test_an_insufficient_scope_is_refused_by_every_operation(platform: Platform, scope: str) -> None:
    """Every operation refuses insufficient scopes first and names sufficient ones."""
    token = add_token(platform, "personal", (scope,))
    wrong = []
    for operation in ASKED:
        if is_sufficient(operation, (scope,)) or not is_served(platform, operation):
            continue
        status, body = send_request(platform, operation, token)
        if (status, (body or {}).get("error_description")) != (403, DESCRIPTION):
            wrong.append((operation.name, status, body))
    assert [] == wrong


@pytest.mark.parametrize("scope", ["api", "read_api", "read_user"])
def test_a_sufficient_scope_is_not_refused(platform: Platform, scope: str) -> None:
    """No reading operation refuses a sufficient scope."""
    token = add_token(platform, "personal", (scope,))
    served = [operation for operation in ASKED if is_served(platform, operation)]
    reads = [operation for operation in served if operation.method == "GET" and is_sufficient(operation, (scope,))]
    refused = [
        operation.name
        for operation in reads
        if b"insufficient_scope" in orjson.dumps(send_request(platform, operation, token)[1])
    ]
    assert [] == refused


STATES: Final = st.sampled_from(({"revoked": True}, {"expires_at": "2020-11-19"}))


@settings(max_examples=examples(20), deadline=None)
@given(
    operation=st.sampled_from(ASKED),
    kind=st.sampled_from(KINDS),
    scopes=st.sets(st.sampled_from(SCOPES)).map(lambda scopes: tuple(sorted(scopes))),
    state=STATES,
)
def test_a_token_that_is_over_reaches_nothing(
    platform: Platform, operation: Operation, kind: TokenKind, scopes: tuple[str, ...], state: dict[str, Any]
) -> None:
    """A revoked or expired token gets 401 ``invalid_token``, whatever its kind and scopes are."""
    assume(is_served(platform, operation))
    before = platform.snapshot()
    token = add_token(platform, kind, scopes, **state)
    status, body = send_request(platform, operation, token)
    platform.restore(before)
    assert (401, "invalid_token") == (status, body["error"])


@settings(max_examples=examples(20), deadline=None)
@given(
    operation=st.sampled_from(ASKED),
    kind=st.sampled_from(KINDS),
    scopes=st.sets(st.sampled_from(SCOPES)).map(lambda scopes: tuple(sorted(scopes))),
)
def test_random_tokens_reach_what_their_scopes_allow(
    platform: Platform, operation: Operation, kind: TokenKind, scopes: tuple[str, ...]
) -> None:
    """A token is refused for its scopes exactly if none of them is sufficient."""
    assume(is_served(platform, operation))
    before = platform.snapshot()
    status, body = send_request(platform, operation, add_token(platform, kind, scopes))
    platform.restore(before)
    refused = status == 403 and isinstance(body, dict) and body.get("error") == "insufficient_scope"
    assert is_sufficient(operation, scopes) is not refused
