"""Plausible words from Faker, drawn once per seed: one name takes Faker longer than a record takes to make."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from fakeplat.core.store.frozen import frozen

_LOCALE: Final = "en_US"
_MANY: Final = 200
_VERBS: Final = ("Add", "Check", "Document", "Drop", "Explain", "Fix", "Improve", "Move", "Rename", "Support", "Test")


@frozen
class Words:
    """Pools to pick from. ``things`` are phrases for what people build, ``terms`` single words."""

    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    companies: tuple[str, ...]
    things: tuple[str, ...]
    terms: tuple[str, ...]
    sentences: tuple[str, ...]
    verbs: tuple[str, ...] = _VERBS


def _different(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))


@lru_cache(8)
def words_of(seed: int) -> Words:
    """The pools of a seed."""
    from faker import Faker

    faker = Faker(_LOCALE)
    faker.seed_instance(seed)
    return Words(
        first_names=_different(faker.first_name() for _ in range(_MANY)),
        last_names=_different(faker.last_name() for _ in range(_MANY)),
        companies=_different(faker.company() for _ in range(_MANY)),
        things=_different(faker.catch_phrase().replace("/", "-") for _ in range(_MANY)),
        terms=_different(faker.word() for _ in range(_MANY)),
        sentences=_different(faker.sentence() for _ in range(_MANY)),
    )
