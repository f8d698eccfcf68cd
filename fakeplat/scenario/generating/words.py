"""Words from Faker, drawn once per seed, because Faker takes longer for a name than a record takes to create."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

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


def _deduplicate(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


@lru_cache(8)
def words_of(seed: int) -> Words:
    """Return the pools of words of a seed."""
    from faker import Faker

    # A separate instance with its own seed; tests and clients may use the global one.
    faker = Faker(_LOCALE)
    faker.seed_instance(seed)
    return Words(
        first_names=_deduplicate(faker.first_name() for _ in range(_POOL_SIZE)),
        last_names=_deduplicate(faker.last_name() for _ in range(_POOL_SIZE)),
        companies=_deduplicate(faker.company() for _ in range(_POOL_SIZE)),
        things=_deduplicate(faker.catch_phrase().replace("/", "-") for _ in range(_POOL_SIZE)),
        terms=_deduplicate(faker.word() for _ in range(_POOL_SIZE)),
        sentences=_deduplicate(faker.sentence() for _ in range(_POOL_SIZE)),
    )
