"""No content makes the reader fail: whatever is written, there are jobs or messages."""

import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from fakeplat.ci_config import document_writing, expressions, globs, regexps
from fakeplat.ci_config.conditions import RefFacts
from fakeplat.ci_config.configuration import load
from fakeplat.ci_config.documents import FormatError, parse, parse_mapping
from fakeplat.ci_config.includes import Include, IncludeFailed
from fakeplat.ci_config.interpolation import expand
from fakeplat.ci_config.selection import select_jobs
from fakeplat.core.release import Profile, profile_of
from tests.examples import examples

PROFILE = profile_of((13, 9))
PROFILES = (profile_of((13, 5)), PROFILE, profile_of((18, 11)))

KEYS = (
    "stages types variables image services before_script after_script cache default workflow include rspec .hidden job "
    "script stage type only except rules when start_in allow_failure needs dependencies artifacts environment retry "
    "parallel matrix trigger extends inherit tags timeout coverage release secrets resource_group interruptible name "
    "url action on_stop key files prefix paths policy if changes exists refs project file ref local remote template "
    "artifacts pipeline strategy max reports expire_in expose_as links assets kubernetes value options expand forward "
    "fallback_keys compare_to pull_policy docker id_tokens aud hooks auto_cancel exit_codes component inputs spec "
    "pages coverage_report optional access rules"
).split()
TEXTS = st.sampled_from(
    [*KEYS, "", " ", "$A", "/a/", "/*a/", "1 day", "x", "never", "manual", "delayed", "test", ".pre", "a/b.yml", "<<"]
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-3, 99), st.floats(), TEXTS, st.text(max_size=5))


def documents(keys: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Documents of known keywords, with values that contain other keys as well."""
    values = st.recursive(
        SCALARS,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=6)),
        max_leaves=25,
    )
    return st.dictionaries(st.sampled_from(KEYS), values, max_size=6)


DOCUMENTS = documents(st.one_of(TEXTS, st.integers(0, 9)))


def fetch(include: Include) -> str:
    if "a" in include.location:
        raise IncludeFailed("no such file")
    return "included: {script: x}\n"


def write_yaml(document: dict[str, Any]) -> str:
    stream = io.StringIO()
    YAML(typ="safe", pure=True).dump(document, stream)
    return stream.getvalue()


def load_and_select(text: str) -> None:
    """Load a text in several releases, and select jobs if it is valid."""
    for profile in PROFILES:
        load_and_select_of(profile, text)


def load_and_select_of(profile: Profile, text: str) -> None:
    configuration = load(text, fetch, profile)
    assert configuration.merged_yaml is None or configuration.merged_yaml.startswith("---")
    assert all(message and isinstance(message, str) for message in configuration.errors)
    if configuration.is_valid:
        assert configuration.jobs
        select_jobs(
            configuration,
            RefFacts(ref="master", profile=profile, file_paths=lambda: ["a"], changed_paths=lambda: ["b"]),
        )


@settings(max_examples=examples(33))
@given(DOCUMENTS)
def test_any_document_gives_jobs_or_messages(document: dict[str, Any]) -> None:
    """A document of known keywords with values of any type gives jobs or errors."""
    load_and_select(write_yaml(document))


@settings(max_examples=examples(33))
@given(st.dictionaries(st.sampled_from(["job", "other", ".base"]), DOCUMENTS.map(lambda job: {"script": "x", **job})))
def test_any_job_gives_jobs_or_messages(document: dict[str, Any]) -> None:
    """Jobs with a script and values of any type give jobs or errors."""
    load_and_select(write_yaml(document))


@settings(max_examples=examples(33))
@given(st.text(alphabet="ab:-[]{}&*!|>'\"\n #%,?~<\t\x00\ud800", max_size=60))
def test_any_text_gives_jobs_or_messages(text: str) -> None:
    """Any text, YAML or not, gives jobs or errors."""
    load_and_select(text)


@given(st.binary(max_size=40))
def test_any_bytes_give_jobs_or_messages(content: bytes) -> None:
    """A file of any bytes, UTF-8 or not, gives jobs or errors."""
    assert isinstance(load(content, fetch, PROFILE).errors, tuple)


@settings(max_examples=examples(33))
@given(st.text(alphabet="$AB\"'/=!~&|() null\\", max_size=30))
def test_any_expression_is_true_or_not(expression: str) -> None:
    """Any expression can be evaluated, and an invalid one is not true."""
    result = expressions.is_true(expression, {"A": "a"})

    assert not result or expressions.is_valid(expression)


@settings(max_examples=examples(33))
@given(st.text(alphabet="ab/*+?[](){}\\^$|.:,-<>=!QEpPxz12ims", max_size=20), st.text(alphabet="ab\n", max_size=6))
def test_any_pattern_and_glob_matches_or_not(pattern: str, text: str) -> None:
    """Any glob, pattern and text with variables can be processed."""
    assert isinstance(globs.matches(pattern, text), bool)
    assert isinstance(regexps.is_valid(f"/{pattern}/"), bool)
    assert isinstance(expand(pattern, {"a": text}), str)


@settings(max_examples=examples(33))
@given(documents(st.one_of(st.sampled_from(["", *KEYS]), st.integers(0, 9))))
def test_a_written_document_reads_as_before(document: dict[str, Any]) -> None:
    """A document written by lint, with symbols as keys, reads as before, as long as no name needs quotes."""
    try:
        written = document_writing.write(document)
        read = parse_mapping(written)
    except FormatError as error:
        pytest.fail(f"{error}: {document}")

    assert repr(with_text_keys(document)) == repr(with_text_keys(read))


def with_text_keys(value: Any) -> Any:
    """A value with keys that are texts, as symbols are none."""
    if isinstance(value, dict):
        return {str(key): with_text_keys(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_text_keys(item) for item in value]
    return str(value) if isinstance(value, str) else value


def test_endless_nesting_is_refused_at_once() -> None:
    """A text of 100,000 nested lists is refused."""
    with pytest.raises(FormatError):
        parse("[" * 100_000)


def test_references_to_references_are_limited() -> None:
    """References to references are limited in depth and size, also if they lead to nothing."""
    bombs = []
    for last in ("[]", "[x, x, x, x, x, x, x, x, x]"):
        jobs = [f".a{n}: {{script: [{', '.join([f'!reference [.a{n + 1}, script]'] * 9)}]}}\n" for n in range(9)]
        bombs.append("".join(jobs) + f".a9: {{script: {last}}}\njob: {{script: !reference [.a0, script]}}\n")
    deep = "[" * 90 + "!reference [.b{}, script]" + "]" * 90
    nested = "".join(f".b{n}: {{script: {deep.format(n + 1)}}}\n" for n in range(9)) + ".b9: {script: x}\n"
    errors = [
        load(text, fetch, PROFILE).errors for text in (*bombs, nested + "job: {script: !reference [.b0, script]}\n")
    ]

    assert ("jobs:job script can't be blank",) == errors[0]
    assert [("The parsed YAML is too big",)] * 2 == errors[1:]
