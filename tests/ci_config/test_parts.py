"""Durations, patterns, globs, variables in texts, and YAML documents."""

from typing import Any

import pytest

from fakeplat.ci_config import document_writing, globs, regexps
from fakeplat.ci_config.documents import FormatError, parse, parse_mapping
from fakeplat.ci_config.interpolation import expand
from fakeplat.core import durations

HOUR = 3600
DAY = 24 * HOUR


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1 day", DAY),
        ("2 hrs 20 min", 2 * HOUR + 1200),
        ("2h20min", 2 * HOUR + 1200),
        ("1m 3s", 63),
        ("1h 30m", 5400),
        ("6 mos 1 day", 181 * DAY),
        ("3 weeks and 2 days", 23 * DAY),
        ("two hours", 2 * HOUR),
        ("1.5 hours", 5400),
        ("1:30", 90),
        ("42", 42),
        ("7 elephants", None),
        ("", None),
        ("0", None),
        ("day", None),
    ],
)
def test_a_duration_in_words(text: str, seconds: int | None) -> None:
    """A duration is parsed from numbers with units; a number without a unit counts seconds."""
    assert seconds == durations.parse(text)


@pytest.mark.parametrize(
    ("literal", "text", "matches"),
    [
        ("/^issue-.*$/", "issue-12", True),
        ("/^ISSUE/i", "issue-12", True),
        ("/issue$/", "issue\n", False),
        ("/a.b/", "a\nb", False),
        ("/a.b/s", "a\nb", True),
        ("/^b/", "a\nb", False),
        ("/^b/m", "a\nb", True),
        ("/a+?/U", "caat", True),
        (r"/\Aa\z/", "a", True),
        (r"/^\d+$/", "\u0661", False),
        ("/^[[:alpha:]]+$/", "abc", True),
        (r"/^\Qa.b\E$/", "a.b", True),
        (r"/^\x{61}$/", "a", True),
        ("/^[a[b]+$/", "a[b", True),
        ("/^(?P<name>x)|(?:y)|(?i)Z/", "y", True),
    ],
)
def test_a_pattern_matches_as_in_re2(literal: str, text: str, matches: bool) -> None:
    """A pattern matches as in RE2: the end is the very end of the text, classes are ASCII, flags are supported."""
    assert matches == regexps.compile_literal(literal).is_in(text)


@pytest.mark.parametrize(
    "literal",
    [
        "/a(?=b)/",
        "/a(?!b)/",
        "/(?<=a)b/",
        "/(?>a)/",
        r"/(a)\1/",
        "/a++/",
        "/*a/",
        "/(a/",
        "/[b-a]/",
        "a",
        "/a/x",
        "/a{2000,1}/",
    ],
)
def test_a_pattern_that_re2_does_not_know_is_invalid(literal: str) -> None:
    """Lookaround, references and possessive repetition are refused, like broken syntax."""
    assert not regexps.is_valid(literal)


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("README.md", "README.md", True),
        ("README.md", "docs/README.md", False),
        ("*.md", "README.md", True),
        ("*.md", "docs/README.md", False),
        ("**/*.md", "README.md", True),
        ("**/*.md", "docs/a/README.md", True),
        ("docs/**/*", "docs/a/b/c", True),
        ("docs/*", "docs/a/b", False),
        ("docs/**", "docs/a/b", False),
        ("*", ".hidden", True),
        ("{app,lib}/*.{rb,py}", "lib/a.py", True),
        ("{app,lib}/*.{rb,py}", "bin/a.py", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[a-c]x", "bx", True),
        ("[!a-c]x", "bx", False),
        (r"\*", "*", True),
        (r"\*", "a", False),
        ("[", "[", True),
        ("a.b", "axb", False),
    ],
)
def test_a_glob_matches_paths(glob: str, path: str, matches: bool) -> None:
    """A star stays within a directory; two stars and a slash match any number of directories."""
    assert matches == globs.matches(glob, path)


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("review/$REF", "review/master"),
        ("review/${REF}-$REF", "review/master-master"),
        ("%REF%/%MISSING%", "master/"),
        ("review/id1$CI_PIPELINE_ID/id2$CI_BUILD_ID", "review/id1/id2"),
        ("costs $5 and 100%", "costs $5 and 100%"),
    ],
)
def test_variables_in_a_text_are_replaced(text: str, expanded: str) -> None:
    """$NAME, ${NAME} and %NAME% become the variable's value, or nothing if it is unknown."""
    assert expanded == expand(text, {"REF": "master"})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True),
        ("Off", False),
        ("y", "y"),
        ("~", None),
        ("Null", None),
        ("0644", 420),
        ("0x1F", 31),
        ("0b11", 3),
        ("1_000", 1000),
        ("1:30", 90),
        ("1.5", 1.5),
        ("1e3", "1e3"),
        (".5", 0.5),
        ("1.2.3", "1.2.3"),
        ("08", "08"),
        ("'1'", "1"),
        (":sym", "sym"),
        ("'yes'", "yes"),
        ("!reference [a, b]", ("a", "b")),
    ],
)
def test_plain_values_have_the_types_of_ruby(text: str, value: Any) -> None:
    """Plain values have the types of YAML 1.1 in Ruby, with words for booleans and numbers of other bases."""
    read = parse(text)

    assert value == getattr(read, "path", read)
    assert type(value) is bool or not isinstance(read, bool)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[docker:dind, 'a:b', c:d:e]", ["docker:dind", "a:b", "c:d:e"]),
        ("[https://example.com:80/a:b]", ["https://example.com:80/a:b"]),
        ("{a:b: c:d, e: f}", {"a:b": "c:d", "e": "f"}),
        ('{"a":b, c:d: e}', {"a": "b", "c:d": "e"}),
        ("[12:30, 1::2]", [750, "1::2"]),
        ("{x: [a:b], y: &z c:d, w: *z}", {"x": ["a:b"], "y": "c:d", "w": "c:d"}),
        ("[ä, b:c]", ["ä", "b:c"]),
        ("\ufeff[a:b]\r\n", ["a:b"]),
        ("- [a:b]\n- |\n  c:d\n", [["a:b"], "c:d\n"]),
    ],
)
def test_plain_values_in_flow_collections_have_colons(text: str, value: Any) -> None:
    """A colon without a space after it is a part of a plain value, also within brackets and braces."""
    assert value == parse(text)


@pytest.mark.parametrize("text", ["[a:]", "{a: b:, c: d}", "[a:b, c:]", "[a:[b]]", "[\ue000, a:b]"])
def test_a_colon_before_an_indicator_is_refused(text: str) -> None:
    """A colon may not come before a comma, a bracket, a brace or a question mark."""
    with pytest.raises(FormatError, match="found unexpected ':' while scanning a plain scalar"):
        parse(text)


def test_a_document_is_limited_in_size_and_depth() -> None:
    """A document over a megabyte, counting each use of an alias, or over 100 levels is refused."""
    texts = [
        "a: &a [x, x, x]\n"
        + "".join(f"b{n}: &b{n} [{', '.join([f'*b{n - 1}' if n else '*a'] * 9)}]\n" for n in range(9)),
        "a: " + "[" * 101 + "]" * 101,
        "a: '" + "x" * 1_048_577 + "'",
    ]
    for text in texts:
        with pytest.raises(FormatError, match="The parsed YAML is too big"):
            parse_mapping(text)


def test_a_document_is_written_with_symbols_as_keys() -> None:
    """A document is written with symbols as keys, and texts that would be read as another type are quoted."""
    document = {
        "test job": {
            "script": ["echo 1", "a\nb", "true", "1", "", "$A", ".pre", '$A == "b"', "y", "<<"],
            "when": None,
            "tags": [],
            "variables": {},
        },
        "deploy": {"parallel": 2, "interruptible": True},
    }

    assert (
        document_writing.write(document)
        == """\
---
:test job:
  :script:
  - echo 1
  - |-
    a
    b
  - 'true'
  - '1'
  - ''
  - "$A"
  - ".pre"
  - $A == "b"
  - "y"
  - '<<'
  :when:
  :tags: []
  :variables: {}
:deploy:
  :parallel: 2
  :interruptible: true
""".replace(":when:\n", ":when: \n")
    )
