from fakeplat.core.rng import random_bytes
from tests.worlds import Site


def test_the_same_seed_purpose_and_number_draw_the_same() -> None:
    """The same seed, purpose and number give the same random bytes."""
    assert random_bytes(7, "token", 1, 20) == random_bytes(7, "token", 1, 20)
    assert 20 == len(random_bytes(7, "token", 1, 20))


def test_any_other_seed_purpose_or_number_draws_something_else() -> None:
    """Another seed, purpose or number gives other random bytes."""
    draws = [
        random_bytes(*what) for what in [(7, "a", 1), (8, "a", 1), (7, "b", 1), (7, "a", 2), (7, "a", 11), (71, "a", 1)]
    ]
    assert len(draws) == len(set(draws))


def test_two_worlds_of_a_seed_are_the_same_and_of_another_are_not() -> None:
    """Two worlds with one seed draw the same secrets and request ids, and a world with another seed draws others."""
    first, same, other = (_draw_values(Site(seed=seed)) for seed in (5, 5, 6))
    assert first == same
    assert not set(first) & set(other)


def _draw_values(site: Site) -> list[str]:
    project = site.project("root/own")
    return [project.runners_token, *(site.get("version", "root").headers["X-Request-Id"] for _ in range(3))]


def test_each_request_has_an_id_of_its_own() -> None:
    """No value that a world draws, X-Request-Id included, repeats."""
    drawn = _draw_values(Site())
    assert len(drawn) == len(set(drawn))


def test_what_a_refused_request_drew_is_drawn_again() -> None:
    """A refused request does not change the random values that later requests draw."""
    first, other = Site(), Site()
    assert 400 == first.ask("POST", "projects", "root", json={"name": "own", "build_timeout": 1}).status
    assert first.project("root/own").runners_token == other.project("root/own").runners_token


def test_coming_back_to_a_moment_repeats_what_follows() -> None:
    """After a restore the same requests draw the same values, request ids included."""
    site = Site()
    moment = site.platform.snapshot()
    before = _draw_values(site)
    site.platform.restore(moment)
    assert before == _draw_values(site)
