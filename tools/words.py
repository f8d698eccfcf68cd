"""Write the words of generated records, drawn from Faker: `python tools/words.py`.

Faker is a tool of the developers only. As a dependency of the package it would slow every start of pytest in the
environments of users, because it registers a plugin that imports all of it.
"""

from collections.abc import Callable
from pathlib import Path

import orjson
from faker import Faker

FILE = Path(__file__).parents[1] / "fakeplat/scenario/generating/words.json"
_LOCALE = "en_US"
_SEED = 0
_SIZE = 1_000


def draw_words() -> dict[str, list[str]]:
    """Return distinct words of each kind, at most some hundreds, always the same ones for a release of Faker."""
    faker = Faker(_LOCALE)
    faker.seed_instance(_SEED)
    kinds: dict[str, Callable[[], str]] = {
        "first_names": faker.first_name,
        "last_names": faker.last_name,
        "companies": faker.company,
        "things": lambda: faker.catch_phrase().replace("/", "-"),
        "terms": faker.word,
        "sentences": faker.sentence,
    }
    return {kind: list(dict.fromkeys(draw() for _ in range(_SIZE))) for kind, draw in kinds.items()}


if __name__ == "__main__":
    FILE.write_bytes(orjson.dumps(draw_words(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
