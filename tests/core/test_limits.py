from typing import Any

import pytest

from fakeplat.core.clock import LAST, Kind
from fakeplat.core.operations.errors import Throttled, TooManyRequests
from fakeplat.core.operations.http_messages import Headers
from fakeplat.core.operations.limits import RateLimiter, Throttle
from fakeplat.core.timestamps import MINUTE, SECOND
from tests.worlds import Site, SiteResponse, create_site

TWO_A_MINUTE = Throttle("throttle_authenticated_api", limit=2, period=MINUTE)
NINE = 1_605_862_800_000
NAMES = [
    "RateLimit-Limit",
    "RateLimit-Name",
    "RateLimit-Observed",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "RateLimit-ResetTime",
]
OFTEN = {"message": {"error": "This endpoint has been requested too many times. Try again later."}}


def rate_limit_headers(observed: int, remaining: int) -> Headers:
    """The headers of a request in the minute from 09:00, of two."""
    values = (
        "2",
        "throttle_authenticated_api",
        str(observed),
        str(remaining),
        "1605862860",
        "Fri, 20 Nov 2020 09:01:00 GMT",
    )
    return tuple(zip(NAMES, values, strict=True))


def get_throttled_headers(limiter: RateLimiter, now: int, caller: object = "ada") -> Headers:
    with pytest.raises(Throttled) as caught:
        limiter.count(TWO_A_MINUTE, caller, now)
    return caught.value.headers


def test_the_throttle_tells_what_is_left() -> None:
    """The RateLimit-* headers show the limit, the requests seen and left, and the time of the reset."""
    limiter = RateLimiter()
    assert rate_limit_headers(1, 1) == limiter.count(TWO_A_MINUTE, "ada", NINE)
    assert rate_limit_headers(2, 0) == limiter.count(TWO_A_MINUTE, "ada", NINE + 59 * SECOND)
    assert (("Retry-After", "1"), *rate_limit_headers(3, 0)) == get_throttled_headers(limiter, NINE + 59 * SECOND)


@pytest.mark.parametrize(
    ("after", "seconds"), [(0, "60"), (1, "60"), (45 * SECOND, "15"), (45 * SECOND + 1, "15"), (59_999, "1")]
)
def test_retry_after_is_the_time_to_the_end_of_the_period(after: int, seconds: str) -> None:
    """Retry-After is the rest of the period in whole seconds, rounded up."""
    limiter = RateLimiter()
    for _ in range(2):
        limiter.count(TWO_A_MINUTE, "ada", NINE + after)
    assert ("Retry-After", seconds) == get_throttled_headers(limiter, NINE + after)[0]


def test_a_new_period_starts_at_a_multiple_of_its_length() -> None:
    """Requests of an earlier period do not count in the next one, which starts at a multiple of its length."""
    limiter = RateLimiter()
    for _ in range(2):
        limiter.count(TWO_A_MINUTE, "ada", NINE + 59 * SECOND)
    get_throttled_headers(limiter, NINE + 59_999)
    assert ("RateLimit-Observed", "1") == limiter.count(TWO_A_MINUTE, "ada", NINE + MINUTE)[2]


def test_each_caller_is_counted_alone() -> None:
    """A caller who exceeds the limit does not affect another caller."""
    limiter = RateLimiter()
    for _ in range(2):
        limiter.count(TWO_A_MINUTE, "ada", NINE)
    get_throttled_headers(limiter, NINE)
    assert rate_limit_headers(1, 1) == limiter.count(TWO_A_MINUTE, "dev", NINE)


# limits of single endpoints


def try_acts(limiter: RateLimiter, *times: int, threshold: int = 2, key: object = "ada") -> list[bool]:
    """Which of several acts, at some ms after the first moment, were let through."""
    passed = []
    for time in times:
        try:
            limiter.count_action("issues_create", key, threshold, NINE + time)
            passed.append(True)
        except TooManyRequests:
            passed.append(False)
    return passed


@pytest.mark.parametrize(
    ("times", "passed"),
    [
        ((0, 1, 2), [True, True, False]),
        ((0, 1, 59_999), [True, True, False]),
        ((0, 1, 60_000), [True, True, True]),
        ((0, 59_000, 60_000, 61_000, 62_000), [True, True, True, True, False]),
        ((30_000, 31_000, 32_000, 89_999, 90_000), [True, True, False, False, True]),
    ],
)
def test_the_minute_of_an_endpoint_begins_with_the_first_act(times: tuple[int, ...], passed: list[bool]) -> None:
    """The period of an action lasts 60 s from the first one; refused actions do not prolong it."""
    assert passed == try_acts(RateLimiter(), *times)


def test_a_threshold_of_zero_is_no_limit() -> None:
    """A threshold of 0 disables a limit."""
    assert [True] * 50 == try_acts(RateLimiter(), *range(50), threshold=0)


def test_endpoints_and_keys_are_counted_apart() -> None:
    """The limit of an action is counted for each action and key separately."""
    limiter = RateLimiter()
    assert [True, True, False] == try_acts(limiter, 0, 0, 0)
    assert [True] == try_acts(limiter, 0, key="dev")
    limiter.count_action("play_pipeline_schedule", "ada", 1, NINE)


def refuse_act() -> TooManyRequests:
    limiter = RateLimiter()
    limiter.count_action("issues_create", "ada", 1, NINE)
    with pytest.raises(TooManyRequests) as caught:
        limiter.count_action("issues_create", "ada", 1, NINE)
    return caught.value


def test_the_refusal_of_an_endpoint_is_json() -> None:
    """The 429 of a limited action is JSON with key ``message`` and has no Retry-After."""
    response = refuse_act().response()
    assert (429, OFTEN) == (response.status, refuse_act().payload)
    assert "Retry-After" not in dict(response.headers)


def test_every_429_carries_the_rate_limit_headers() -> None:
    """The 429 of a limited action has the RateLimit-* headers."""
    assert NAMES == [name for name, _ in refuse_act().response().headers if name.startswith("RateLimit-")]


# through the platform


def create_throttled_site(clock: Kind = "virtual", *, limit: int = 2, **options: Any) -> Site:
    """A town where everybody, and every address, may ask twice a minute."""
    settings = {
        f"throttle_{who}_{name}": value
        for who in ("authenticated_api", "unauthenticated")
        for name, value in {"enabled": True, "requests_per_period": limit, "period_in_seconds": 60}.items()
    }
    return create_site(clock, settings={**settings, **options.pop("settings", {})}, **options)


def list_statuses(site: Site, count: int, by: str | None, **rest: Any) -> list[int]:
    return [site.get("projects", by, **rest).status for _ in range(count)]


def test_a_throttled_request_gets_plain_text() -> None:
    """A throttled request gets 429 with ``Retry later`` as text/plain, Retry-After and the RateLimit-* headers."""
    site = create_throttled_site()
    assert [200, 200] == list_statuses(site, 2, "ada")
    answer = site.get("projects", "ada")
    assert (429, b"Retry later\n", "text/plain") == (answer.status, answer.body, answer.headers["Content-Type"])
    assert {"Retry-After": "60", **dict(rate_limit_headers(3, 0))}.items() <= answer.headers.items()


def test_a_client_that_waits_at_the_end_of_time_is_refused_again() -> None:
    """The auto clock stops at its end, so a client whose Retry-After lies beyond it is refused again."""
    site = create_throttled_site("auto", limit=1, settings={"throttle_authenticated_api_period_in_seconds": 2**31 - 1})
    site.clock.set(LAST)
    assert [200, 429, 429] == list_statuses(site, 3, "ada")
    assert LAST == site.clock.now()


def test_a_throttled_request_does_nothing() -> None:
    """A throttled request writes nothing and does not advance the clock."""
    site = create_throttled_site(limit=1)
    site.get("user", "ada")
    before = site.platform.state, site.clock.now()
    assert 429 == site.ask("POST", "projects", "ada", json={"name": "own"}).status
    assert before == (site.platform.state, site.clock.now())


def test_the_signed_in_are_counted_by_user_and_others_by_address() -> None:
    """Requests are counted per user, whatever the token, and anonymous requests per address."""
    site = create_throttled_site()
    site.token("ada", "second")
    assert [200, 200, 429] == [*list_statuses(site, 2, "ada"), site.get("projects?private_token=second").status]
    assert [200, 200, 429] == list_statuses(site, 3, "dev")
    assert [200, 200, 429] == list_statuses(site, 3, None)
    assert [200] == list_statuses(site, 1, None, peer="10.0.0.7")


def test_a_credential_that_is_refused_counts_for_the_address() -> None:
    """Requests with invalid tokens are counted for the address, as anonymous ones are."""
    site = create_throttled_site()
    assert [401, 401, 429] == [site.get(f"user?private_token=guess{number}").status for number in range(3)]


@pytest.mark.parametrize(
    ("switch", "by", "statuses"),
    [
        ("throttle_authenticated_api_enabled", "ada", [200, 200, 200]),
        ("throttle_authenticated_api_enabled", None, [200, 200, 429]),
        ("throttle_unauthenticated_enabled", "ada", [200, 200, 429]),
        ("throttle_unauthenticated_enabled", None, [200, 200, 200]),
    ],
)
def test_each_throttle_can_be_off(switch: str, by: str | None, statuses: list[int]) -> None:
    """Each throttle can be disabled by its own setting."""
    assert statuses == list_statuses(create_throttled_site(settings={switch: False}), 3, by)


def test_the_text_of_a_refusal_is_a_setting() -> None:
    """The text of a throttled response can be set."""
    site = create_throttled_site(limit=1, settings={"rate_limiting_response_text": "Come back tomorrow"})
    list_statuses(site, 1, "ada")
    assert b"Come back tomorrow\n" == site.get("projects", "ada").body


def test_forms_of_pages_are_counted_by_session() -> None:
    """Posts to web pages are counted by session, although their CSRF token is in the body."""
    site = create_site(
        settings={"throttle_authenticated_web_enabled": True, "throttle_authenticated_web_requests_per_period": 1}
    )
    site.token("ada", "s1", "session")
    cookie = {"cookie": "_platform_session=s1"}
    statuses = [site.ask("POST", "/profile/password", headers=cookie).status for _ in range(2)]
    assert [422, 429] == statuses


@pytest.mark.parametrize(("path", "status"), [("/-/health", 200), ("/-/other", 429)])
def test_health_checks_are_not_counted(path: str, status: int) -> None:
    """/-/health is not throttled, while other paths below /-/ are."""
    site = create_throttled_site(limit=1)
    assert status == [site.ask("GET", path).status for _ in range(2)][-1]


def test_the_throttle_is_off_by_default() -> None:
    """By default no request is throttled, and no RateLimit-* header is sent."""
    site = create_site(settings={"throttle_authenticated_api_requests_per_period": 1})
    assert [200, 200, 200] == list_statuses(site, 3, "ada")
    assert [] == list_rate_limit_headers(site.get("user", "ada"))


def test_the_throttle_lets_in_again_when_its_period_is_over() -> None:
    """A throttled caller is let in again when the world's clock has reached the next period."""
    site = create_throttled_site()
    assert [200, 200, 429] == list_statuses(site, 3, "ada")
    site.platform.advance(MINUTE)
    assert [200] == list_statuses(site, 1, "ada")


def test_coming_back_to_a_moment_counts_anew() -> None:
    """Restoring a snapshot resets the counts of the throttle."""
    site = create_throttled_site()
    moment = site.platform.snapshot()
    list_statuses(site, 3, "ada")
    site.platform.restore(moment)
    assert [200, 200, 429] == list_statuses(site, 3, "ada")


def test_under_the_auto_clock_who_comes_back_after_a_429_is_let_in() -> None:
    """Under the auto clock, the next request of a throttled caller first advances the clock by Retry-After."""
    site = create_throttled_site("auto")
    now = site.clock.now()
    assert [200, 200, 429, 200, 200, 429, 200] == list_statuses(site, 7, "ada")
    assert now + 2 * MINUTE == site.clock.now()


def test_under_the_auto_clock_another_caller_moves_nothing() -> None:
    """Under the auto clock, the request of another caller does not advance the clock for a throttled one."""
    site = create_throttled_site("auto")
    now = site.clock.now()
    list_statuses(site, 3, "ada")
    assert [200] == list_statuses(site, 1, "dev")
    assert now == site.clock.now()
    assert [200] == list_statuses(site, 1, "ada")
    assert now + MINUTE == site.clock.now()


def list_rate_limit_headers(answer: SiteResponse) -> list[str]:
    return [name for name in answer.headers if name.startswith("RateLimit-")]


@pytest.mark.parametrize(
    ("method", "target", "by", "status"),
    [
        ("GET", "projects", "ada", 200),
        ("HEAD", "projects", "ada", 200),
        ("GET", "projects", None, 200),
        ("POST", "projects/acme%2Fsite/star", "ada", 201),
        ("POST", "projects/acme%2Fsite/unstar", "ada", 304),
        ("GET", "projects?page=x", "ada", 400),
        ("GET", "user", None, 401),
        ("GET", "projects/7", "ada", 404),
        ("GET", "nothing", "ada", 404),
    ],
)
@pytest.mark.parametrize("throttle", [True, False])
def test_a_hosted_or_throttled_world_tells_its_limits_on_every_answer(
    throttle: bool, method: str, target: str, by: str | None, status: int
) -> None:
    """Successes and refusals of a hosted or throttled world have the RateLimit-* headers."""
    site = create_throttled_site() if throttle else create_site(hosted=True)
    answer = site.ask(method, target, by)
    assert (status, NAMES) == (answer.status, list_rate_limit_headers(answer))


def create_busy_site(clock: Kind = "virtual") -> Site:
    """A hosted town whose throttle is off, and would let one request a period in."""
    return create_site(clock, hosted=True, settings={"throttle_authenticated_api_requests_per_period": 1})


def test_a_hosted_world_without_a_throttle_bars_nobody() -> None:
    """A hosted world without a throttle answers requests beyond the limit, with the RateLimit-* headers."""
    site = create_busy_site()
    answers = [site.get("user", "ada") for _ in range(3)]
    assert [(200, NAMES)] * 3 == [(answer.status, list_rate_limit_headers(answer)) for answer in answers]


def test_under_the_auto_clock_only_a_429_makes_time_pass() -> None:
    """Under the auto clock, requests of a caller who was never throttled do not advance the clock."""
    site = create_busy_site("auto")
    now = site.clock.now()
    assert ([200] * 4, now) == (list_statuses(site, 4, "ada"), site.clock.now())
