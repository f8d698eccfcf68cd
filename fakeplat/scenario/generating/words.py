"""Words of generated records: a selection for each seed from `words.json`, which tools/words.py draws from Faker."""

from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import orjson

from fakeplat.core.store.frozen import frozen
from fakeplat.scenario.generating.seeded_random import SeededRandom

_FILE: Final = Path(__file__).with_name("words.json")
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


@cache
def _read_words() -> dict[str, list[str]]:
    words: dict[str, list[str]] = orjson.loads(_FILE.read_bytes())
    return words


@lru_cache(8)
def words_of(seed: int) -> Words:
    """Return the pools of words of a seed."""
    random = SeededRandom(seed, "words")
    # Distinct words, in the order in which they were drawn.
    return Words(
        **{
            kind: tuple(dict.fromkeys(random.pick(words) for _ in range(_POOL_SIZE)))
            for kind, words in _read_words().items()
        }
    )
