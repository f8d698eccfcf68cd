"""Detection of the README and the licence among the files at the root of a repository.

Source: docs/platform/projects.md.
"""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

# Accepts ``README``, ``readme.md`` and ``Readme.txt``; refuses ``README.de.md``.
_README: Final = re.compile(r"readme(\.\w+)?", re.IGNORECASE)
_MARKUP: Final = re.compile(r".*\.(md|mkdn?|mdwn|markdown|rst|adoc|asciidoc|org|textile|rdoc)", re.IGNORECASE)
# Accepts both spellings, ``UNLICENSE``, ``COPYING``, ``MIT-LICENSE`` and one extension, as in ``LICENSE.md``.
_LICENSE: Final = re.compile(r"(un)?licen[sc]e(\.\w+)?|copying(\.\w+)?|mit-license(\.\w+)?", re.IGNORECASE)


class License(NamedTuple):
    """A licence as shown in projects."""

    key: str
    name: str
    nickname: str | None = None
    source_url: str | None = None


OTHER: Final = License("other", "Other")
# The first match wins: a title that contains another one must precede it.
_TITLES: Final = (
    ("gnu affero general public license", License("agpl-3.0", "GNU Affero General Public License v3.0", "GNU AGPLv3")),
    ("gnu lesser general public license", License("lgpl-3.0", "GNU Lesser General Public License v3.0", "GNU LGPLv3")),
    ("gnu general public license version 2", License("gpl-2.0", "GNU General Public License v2.0", "GNU GPLv2")),
    ("gnu general public license", License("gpl-3.0", "GNU General Public License v3.0", "GNU GPLv3")),
    ("mozilla public license version 2.0", License("mpl-2.0", "Mozilla Public License 2.0")),
    (
        "apache license version 2.0",
        License("apache-2.0", "Apache License 2.0", None, "http://www.apache.org/licenses/LICENSE-2.0.html"),
    ),
)
# The first match wins: the 3-clause BSD licence contains the phrase of the 2-clause one.
_PHRASES: Final = (
    (
        "permission is hereby granted free of charge to any person obtaining a copy",
        License("mit", "MIT License", None, "http://opensource.org/licenses/MIT"),
    ),
    (
        "permission to use copy modify and/or distribute this software",
        License("isc", "ISC License", None, "http://opensource.org/licenses/isc-license"),
    ),
    ("neither the name of", License("bsd-3-clause", 'BSD 3-Clause "New" or "Revised" License')),
    ("redistributions of source code must retain", License("bsd-2-clause", 'BSD 2-Clause "Simplified" License')),
    ("this is free and unencumbered software", License("unlicense", "The Unlicense")),
)
_HEADING: Final = 300
"""Number of characters searched for a licence's title; the rest of the text may mention other licences."""


def find_readme(names: Iterable[str]) -> str | None:
    """Return the README among file names: with a rendered markup first, then without an extension."""
    readmes = [name for name in names if _README.fullmatch(name)]
    # False sorts before True; the name makes the choice independent of the order of the files.
    return min(readmes, key=lambda name: (_MARKUP.fullmatch(name) is None, "." in name, name), default=None)


def find_license_file(names: Iterable[str]) -> str | None:
    """Return the licence file among file names."""
    return min(filter(_LICENSE.fullmatch, names), default=None)


def detect_license(content: bytes) -> License:
    """Detect the licence of a text by its title or characteristic words; ``other`` if unknown."""
    # Commas and line breaks differ between copies of the same licence.
    text = re.sub(r"[\s,]+", " ", content.decode(errors="replace")).lower()
    by_title = (license_ for title, license_ in _TITLES if title in text[:_HEADING])
    by_phrase = (license_ for words, license_ in _PHRASES if words in text)
    return next(by_title, None) or next(by_phrase, OTHER)
