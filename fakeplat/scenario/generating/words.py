"""Words of generated records, drawn from Faker with the seed.

This is the only module that imports Faker, and only `generate` imports this module: Faker is slow to import.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from faker import Faker

from fakeplat.core.store.frozen import frozen

_LOCALE: Final = "en_US"
_POOL_SIZE: Final = 200
_VERBS: Final = ("Add", "Check", "Document", "Drop", "Explain", "Fix", "Improve", "Move", "Rename", "Support", "Test")


@frozen
class Words:
    """Pools of words. ``things`` are phrases for products, ``terms`` single words."""

    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    companies: tuple[str, ...]
    things: tuple[str, ...]
    terms: tuple[str, ...]
    sentences: tuple[str, ...]
    verbs: tuple[str, ...] = _VERBS


@lru_cache(8)
def words_of(seed: int) -> Words:
    """Return the pools of words of a seed, the same in each process with one release of Faker."""
    faker = Faker(_LOCALE)
    # An instance has random numbers of its own, so nothing depends on what else uses Faker in the process.
    faker.seed_instance(seed)
    return Words(
        first_names=_draw(faker.first_name),
        last_names=_draw(faker.last_name),
        companies=_draw(faker.company),
        things=_draw(lambda: faker.catch_phrase().replace("/", "-")),
        terms=_draw(faker.word),
        sentences=_draw(faker.sentence),
    )


def _draw(draw: Callable[[], str]) -> tuple[str, ...]:
    """Return distinct words, in the order in which they are drawn."""
    return tuple(dict.fromkeys(draw() for _ in range(_POOL_SIZE)))
