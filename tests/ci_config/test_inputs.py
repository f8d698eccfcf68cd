"""Inputs of configurations: their declaration, their values, and the blocks that they fill.

Source: spec/lib/gitlab/ci/config/interpolation/**, spec/lib/gitlab/ci/config/header/**, doc/ci/inputs, doc/ci/yaml.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from fakeplat.ci_config.conditions import RefFacts
from fakeplat.ci_config.configuration import Configuration, load
from fakeplat.ci_config.globs import matches_wildcards
from fakeplat.ci_config.includes import Component, Include, IncludeFailed, MatchingPaths
from fakeplat.core.release import LATEST, parse_release, profile_of


def read(text: str, files: Mapping[str, str] | None = None, *, release: str = LATEST, **inputs: Any) -> Configuration:
    """Read a configuration with the files that it may include, and the inputs of the pipeline."""
    profile = profile_of(parse_release(release))

    def fetch(include: Include) -> str:
        if include.location not in (files or {}):
            raise IncludeFailed(f"no {include.location}")
        return (files or {})[include.location]

    def facts() -> RefFacts:
        return RefFacts(
            ref="main",
            predefined={"CI_COMMIT_BRANCH": "main"},
            variables={"PLAIN": "p", "SECRET": "s"},
            masked=lambda: ["SECRET"],
            profile=profile,
        )

    return load(text, fetch, profile, facts, inputs)


def read_value(spec: str, block: str, *, release: str = LATEST, **inputs: Any) -> object:
    """Return the first line of the script that a block becomes, or the mistake."""
    text = f"spec: {{inputs: {{x: {spec}}}}}\n---\njob:\n  script:\n  - {block}\n"
    configuration = read(text, release=release, **inputs)
    return configuration.errors[0] if configuration.errors else configuration.jobs[0].options["script"][0]


@pytest.mark.parametrize(
    ("spec", "block", "inputs", "expected"),
    [
        ("{default: a}", "$[[ inputs.x ]]", {}, "a"),
        ("{default: a}", "echo $[[inputs.x]]-$[[ inputs.x ]]", {}, "echo a-a"),
        ("{default: a}", "$[[ inputs.x ]]", {"x": "b"}, "b"),
        ("", "$[[ inputs.x ]]", {"x": "b"}, "b"),
        ("{default: ''}", "echo $[[ inputs.x ]].", {}, "echo ."),
        ("{type: number, default: 1}", "echo $[[ inputs.x ]]", {}, "echo 1"),
        ("{type: boolean, default: false}", "echo $[[ inputs.x ]]", {}, "echo false"),
        ("{default: abcdef}", "$[[ inputs.x | truncate(1,3) ]]", {}, "bcd"),
        ("{default: abcdef}", "$[[ inputs.x | truncate(1,3) | truncate(1,1) ]]", {}, "c"),
        ("{default: a $PLAIN $OTHER}", "$[[ inputs.x | expand_vars ]]", {}, "a p $OTHER"),
        ("{default: a b}", "$[[ inputs.x | posix_escape ]]", {}, "a\\ b"),
        ("{type: array, default: [a, b]}", "echo $[[ inputs.x[1] ]]", {}, "echo b"),
        ("{default: 'a, b,,'}", "echo $[[ inputs.x | split(',') ]]", {}, 'echo ["a","b"]'),
    ],
)
def test_blocks_become_values(spec: str, block: str, inputs: Mapping[str, Any], expected: str) -> None:
    """A block becomes the value of the input, perhaps after functions."""
    assert expected == read_value(spec, block, **inputs)


@pytest.mark.parametrize(
    ("spec", "inputs", "expected"),
    [
        ("", {}, "`x` input: required value has not been provided"),
        ("{type: number}", {"x": "one"}, "`x` input: provided value is not a number"),
        ("{type: number}", {"x": "true"}, "`x` input: provided value is not a number"),
        ("{type: boolean}", {"x": "yes"}, "`x` input: provided value is not a boolean"),
        ("{type: array}", {"x": "a"}, "`x` input: provided value is not an array"),
        (
            "{options: [a, b]}",
            {"x": "c"},
            "`x` input: `c` cannot be used because it is not in the list of allowed options",
        ),
        (
            "{options: [a, b], default: c}",
            {"x": "a"},
            "`x` input: `c` cannot be used because it is not in the list of allowed options",
        ),
        (
            "{type: number, options: [1]}",
            {"x": 2},
            "`x` input: `2` cannot be used because it is not in the list of the allowed options",
        ),
        (
            "{type: boolean, options: [true]}",
            {"x": True},
            "`x` input: Options can only be used with string and number inputs",
        ),
        ("{regex: ^v}", {"x": "a"}, "`x` input: provided value does not match required RegEx pattern"),
        ("{regex: ^v, default: a}", {}, "`x` input: default value does not match required RegEx pattern"),
        ("{regex: '['}", {"x": "a"}, "`x` input: invalid regular expression"),
        ("{type: number, regex: a}", {"x": 1}, "`x` input: RegEx validation can only be used with string inputs"),
        ("{default: a}", {"y": 1, "z": 2}, "unknown input arguments: y, z"),
        ("a", {}, "header:spec:inputs:x config should be a hash"),
        ("{type: foo}", {}, "header:spec:inputs:x input type unknown value: foo"),
        ("{other: a}", {}, "header:spec:inputs:x config contains unknown keys: other"),
    ],
)
def test_wrong_inputs_are_refused(spec: str, inputs: Mapping[str, Any], expected: str) -> None:
    """An input must have a value of its type, among its options and of its pattern; a wrong default counts, too."""
    assert expected == read_value(spec, "$[[ inputs.x ]]", **inputs)


@pytest.mark.parametrize(
    ("spec", "inputs", "before", "later"),
    [
        ("{default: 1}", {}, "`x` input: default value is not a string", "echo 1"),
        ("{default: a}", {"x": 1}, "`x` input: provided value is not a string", "echo 1"),
        ("{default: a}", {"x": True}, "`x` input: provided value is not a string", "echo true"),
        ("{type: number}", {"x": "1"}, "`x` input: provided value is not a number", "echo 1"),
        ("{type: boolean}", {"x": "true"}, "`x` input: provided value is not a boolean", "echo true"),
        ("{type: array}", {"x": '["a"]'}, "`x` input: provided value is not an array", 'echo ["a"]'),
    ],
)
def test_later_releases_convert_values(spec: str, inputs: Mapping[str, Any], before: str, later: str) -> None:
    """From 18.6 at the latest, texts are read as JSON for all types but strings, which take the text of any value."""
    block = "'echo $[[ inputs.x ]]'"

    assert before == read_value(spec, block, release="18.5", **inputs)
    assert later == read_value(spec, block, **inputs)


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("$[[ inputs ]]", "invalid pattern used for interpolation. valid pattern is $[[ inputs.input ]]"),
        ("$[[ inputs.y ]]", "unknown interpolation provided: `y` in `inputs.y`"),
        ("$[[ inputs.x.y ]]", "unknown interpolation provided: `y` in `inputs.x.y`"),
        ("$[[ other.x ]]", "unknown interpolation provided: `other` in `other.x`"),
        (f"$[[ inputs.{'y' * 1_024} ]]", "maximum interpolation expression size exceeded"),
        (
            "$[[ inputs.x | truncate(0,1) | truncate(0,1) | truncate(0,1) | truncate(0,1) ]]",
            "too many functions in interpolation block",
        ),
        (
            "$[[ inputs.x | upcase ]]",
            "no function matching `upcase`: check that the function name, arguments, and types are correct",
        ),
        (
            "$[[ inputs.n | truncate(0,1) ]]",
            "error in `truncate` function: invalid input type: truncate can only be used with string inputs",
        ),
        (
            "$[[ inputs.n | expand_vars ]]",
            "error in `expand_vars` function: invalid input type: expand_vars can only be used with string inputs",
        ),
        (
            "$[[ inputs.s | expand_vars ]]",
            "error in `expand_vars` function: variable expansion error: masked variables cannot be expanded",
        ),
    ],
)
def test_wrong_blocks_are_refused(block: str, expected: str) -> None:
    """A block names an input, and at most three functions that accept it."""
    spec = "x: {default: a}, n: {type: number, default: 1}, s: {default: $SECRET}"
    configuration = read(f"spec: {{inputs: {{{spec}}}}}\n---\njob: {{script: '{block}'}}\n")

    assert (expected,) == configuration.errors


@pytest.mark.parametrize(
    ("release", "block", "expected"),
    [
        ("15.11", "$[[ inputs.y ]]", "unknown interpolation key: `y`"),
        ("17.0", "$[[ inputs.y ]]", "unknown input name provided: `y` in `inputs.y`"),
        ("18.6", "$[[ inputs.y ]]", "unknown interpolation provided: `y` in `inputs.y`"),
        ("15.11", "$[[ inputs ]]", "invalid interpolation access pattern"),
        ("16.2", "$[[ inputs.x | truncate(0,1) ]]", "no function matching `truncate(0,1)`"),
        ("16.3", "$[[ inputs.x | truncate(0,1) ]]", "a"),
        ("16.4", "$[[ inputs.x | expand_vars ]]", "no function matching `expand_vars`"),
        ("16.5", "$[[ inputs.x | expand_vars ]]", "ab"),
        ("18.5", "$[[ inputs.x | posix_escape ]]", "no function matching `posix_escape`"),
        ("18.6", "$[[ inputs.x | posix_escape ]]", "ab"),
        ("18.10", "echo $[[ inputs.x[0] ]]", "unknown interpolation provided: `x[0]` in `inputs.x[0]`"),
    ],
)
def test_blocks_have_their_releases(release: str, block: str, expected: str) -> None:
    """Functions begin with a release, and messages change."""
    assert str(read_value("{default: ab}", block, release=release)).startswith(expected)


def test_an_array_is_a_list() -> None:
    """An array fills in a list, of texts and of mappings."""
    text = """
spec:
  inputs:
    lines: {type: array, default: [a, "b c"]}
    rules: {type: array, default: [{if: $A}, {when: manual}]}
---
job: {script: $[[ inputs.lines ]], rules: $[[ inputs.rules ]]}
"""
    (job,) = read(text).jobs

    assert ["a", "b c"] == job.options["script"]
    assert ["$A", None] == [rule.condition for rule in job.rules or ()]


def test_names_of_jobs_may_have_blocks() -> None:
    """Blocks may stand in keys."""
    text = "spec: {inputs: {x: {default: a}}}\n---\n$[[ inputs.x ]]-job: {script: b}\n"

    assert ["a-job"] == [job.name for job in read(text).jobs]


FILE = "spec: {inputs: {x: {default: a}}}\n---\njob-$[[ inputs.x ]]: {script: b}\n"


@pytest.mark.parametrize(("release", "key"), [("15.11", "with"), ("16.0", "inputs"), (LATEST, "inputs")])
def test_an_include_has_inputs(release: str, key: str) -> None:
    """Each include of a file has inputs of its own."""
    text = f"include: [{{local: f.yml, {key}: {{x: b}}}}, {{local: f.yml}}]"

    assert ["job-b", "job-a"] == [job.name for job in read(text, {"f.yml": FILE}, release=release).jobs]


@pytest.mark.parametrize(
    ("file", "inputs", "expected"),
    [
        (FILE, "{y: 1}", "`f.yml`: unknown input arguments: y"),
        (
            "job: {script: a}",
            "{y: 1}",
            "`f.yml`: Given inputs not defined in the `spec` section of the included configuration file",
        ),
        (
            "spec: {inputs: {x: }}\n---\njob: {script: a}",
            "{}",
            "`f.yml`: `x` input: required value has not been provided",
        ),
        ("a\n---\nb\n---\nc", "{}", "`f.yml`: The parsed YAML has too many documents"),
    ],
)
def test_mistakes_of_included_files_name_the_file(file: str, inputs: str, expected: str) -> None:
    """What is wrong with the inputs of an included file is said with its location."""
    assert (expected,) == read(f"include: [{{local: f.yml, inputs: {inputs}}}]", {"f.yml": file}).errors


def test_a_header_counts_only_before_other_content() -> None:
    """A file with ``spec`` alone has no header."""
    assert read("spec: {inputs: {x: {default: a}}}").errors


def test_a_document_after_the_first_is_ignored() -> None:
    """Without a header, the first document is the configuration."""
    assert ["job"] == [job.name for job in read("---\njob: {script: a}\n---\nother: {script: b}\n").jobs]


def test_blocks_of_files_without_a_header_are_text() -> None:
    """Without a header, nothing is filled in."""
    assert ["$[[ inputs.x ]]"] == read("job: {script: '$[[ inputs.x ]]'}").jobs[0].options["script"]


@pytest.mark.parametrize(("release", "valid"), [("13.8", False), ("13.9", True)])
def test_locations_of_includes_have_variables(release: str, valid: bool) -> None:
    """From 13.9 on, variables stand for their values in what an include names."""
    text = "include: {local: $CI_COMMIT_BRANCH-f.yml}"

    assert valid == read(text, {"main-f.yml": "job: {script: a}"}, release=release).is_valid


def test_configurations_that_depend_on_variables_are_read_anew() -> None:
    """Rules of includes are decided for each pipeline, also when nothing was included before."""
    text = "include: [{local: f.yml, rules: [{if: '$CI_COMMIT_BRANCH == \"main\"'}]}]\njob: {script: a}"
    profile = profile_of(parse_release(LATEST))

    def fetch(_include: Include) -> str:
        return "other: {script: a}"

    def names(branch: str) -> list[str]:
        facts = RefFacts(ref=branch, predefined={"CI_COMMIT_BRANCH": branch}, profile=profile)
        return [job.name for job in load(text, fetch, profile, lambda: facts).jobs]

    assert ["job"] == names("topic")
    assert ["other", "job"] == names("main")


SIZES = """
spec:
  inputs:
    size:
      rules:
      - {if: '$[[ inputs.cloud ]] == "aws" && $[[ inputs.live ]] == "true"', options: [m5, m6], default: m6}
      - {if: '$[[ inputs.cloud ]] == "aws"', options: [t2, t3], default: t3}
      - {if: '$[[ inputs.cloud ]] == "none"', default: nothing}
      - {options: [small, large], default: small}
    cloud: {default: aws, options: [aws, other, none]}
    live: {type: boolean, default: false}
---
job: {script: $[[ inputs.size ]]}
"""


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({}, "t3"),
        ({"size": "t2"}, "t2"),
        ({"live": True}, "m6"),
        ({"live": True, "size": "m5"}, "m5"),
        ({"cloud": "none"}, "nothing"),
        ({"cloud": "none", "size": "anything"}, "anything"),
        ({"cloud": "other"}, "small"),
        ({"cloud": "other", "size": "large"}, "large"),
    ],
)
def test_the_rule_that_holds_gives_options_and_a_default(inputs: Mapping[str, Any], expected: str) -> None:
    """The first rule whose condition holds says what an input may be, also of inputs that are declared later."""
    (job,) = read(SIZES, **inputs).jobs

    assert [expected] == job.options["script"]


def test_a_value_outside_the_options_of_the_rule_is_refused() -> None:
    """A value has to be one of the options of the rule that holds."""
    expected = "`size` input: `t2` cannot be used because it is not in the list of allowed options"

    assert (expected,) == read(SIZES, cloud="other", size="t2").errors


@pytest.mark.parametrize(
    ("specs", "expected"),
    [
        ("{x: {options: [a], rules: [{options: [a]}]}}", "these keys cannot be used together: options, rules"),
        ("{x: {default: a, rules: [{options: [a]}]}}", "these keys cannot be used together: default, rules"),
        ("{x: {rules: a}}", "rules config should be a array"),
        ("{x: {rules: [a]}}", "config should be a hash"),
        ("{x: {rules: [{options: [a], when: always}]}}", "config contains unknown keys: when"),
        ("{x: {rules: [{default: a}]}}", "fallback rule must define 'options'"),
        ("{x: {rules: [{if: $[[ inputs.y ]]}]}, y: {}}", "rule with 'if' must define 'options' or 'default'"),
        ("{x: {rules: [{if: $[[ inputs.y ]], default: a}]}}", "rule[0] references undefined inputs: y"),
        ("{x: {rules: [{if: $[[ inputs.x ]], default: a}]}}", "circular dependency detected"),
        (
            "{x: {rules: [{if: $[[ inputs.y ]], default: a}]}, y: {rules: [{if: $[[ inputs.x ]], default: a}]}}",
            "circular dependency detected",
        ),
    ],
)
def test_rules_of_inputs_are_checked(specs: str, expected: str) -> None:
    """Rules have options, conditions name inputs, and none depends on itself."""
    specs = specs.replace("$[[ inputs.x ]]", "'$[[ inputs.x ]]'").replace("$[[ inputs.y ]]", "'$[[ inputs.y ]]'")
    (error,) = read(f"spec: {{inputs: {specs}}}\n---\njob: {{script: a}}\n").errors

    assert expected in error


def test_an_input_whose_rules_do_not_hold_is_required_without_defaults() -> None:
    """An input needs a value if no rule has a default or is a fallback."""
    rules = "{rules: [{if: '$[[ inputs.y ]] == \"a\"', options: [b]}]}"
    text = f"spec: {{inputs: {{x: {rules}, y: {{default: c}}}}}}\n---\njob: {{script: $[[ inputs.x ]]}}\n"

    assert ("`x` input: required value has not been provided",) == read(text).errors
    assert [["d"]] == [job.options["script"] for job in read(text, x="d").jobs]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("[name, color]", "contains unknown values: color"),
        ("name", "should be an array of strings"),
        ("[1]", "should be an array of strings"),
    ],
)
def test_only_known_facts_of_components_are_asked_for(names: str, expected: str) -> None:
    """A header asks for known facts of its component."""
    (error,) = read(f"spec: {{component: {names}}}\n---\njob: {{script: a}}\n").errors

    assert expected in error


def test_a_file_that_is_no_component_knows_nothing_of_itself() -> None:
    """The facts of a component are unknown to other files."""
    text = "spec: {component: [name]}\n---\njob: {script: '$[[ component.name ]]'}\n"

    assert ("unknown interpolation provided: `name` in `component.name`",) == read(text).errors


HEADER = (
    "spec: {{include: {include}, inputs: {{own: {{default: o}}}}}}\n---\njob: {{script: '$[[ inputs.own ]]-{block}'}}\n"
)
SHARED = {"shared.yml": "inputs: {shared: {default: s, options: [s, t]}}", "more.yml": "inputs: {more: {default: m}}"}


def read_header(include: str, files: Mapping[str, str] = SHARED, *, block: str = "", **inputs: Any) -> Any:
    """Return the script of a job whose header includes files, or the mistakes."""
    configuration = read(HEADER.format(include=include, block=block), files, **inputs)
    return configuration.errors or configuration.jobs[0].options["script"]


def test_a_header_includes_inputs_of_other_files() -> None:
    """The inputs of the files that a header includes are inputs of the configuration."""
    block = "$[[ inputs.shared ]]-$[[ inputs.more ]]"
    include = "[/shared.yml, {local: more.yml}]"

    assert ["o-s-m"] == read_header(include, block=block)
    assert ["o-t-m"] == read_header(include, block=block, shared="t")


@pytest.mark.parametrize(
    ("include", "files", "inputs", "expected"),
    [
        (
            "[a.yml, b.yml]",
            {"a.yml": "inputs: {x: {default: a}}", "b.yml": "inputs: {x: {default: b}}"},
            {},
            (
                "Duplicate input keys found: x. "
                "Input keys must be unique across all included files and inline specifications."
            ),
        ),
        (
            "[a.yml]",
            {"a.yml": "inputs: {own: {default: a}}"},
            {},
            (
                "Duplicate input keys found: own. "
                "Input keys must be unique across all included files and inline specifications."
            ),
        ),
        (
            "[a.yml]",
            {"a.yml": "inputs: {}\ntest: {script: a}\ninclude: b.yml"},
            {},
            "Header include file `a.yml` contains unknown keys: [:test, :include]",
        ),
        ("[/a.yml]", {"a.yml": " "}, {}, "Local file `a.yml` is empty!"),
        ("[a.yml]", {"a.yml": "just text"}, {}, "`a.yml`: Invalid configuration format"),
        ("[a.yml]", {}, {"x": "b"}, "no a.yml, unknown input arguments: x"),
        ("[{template: a.yml}]", {}, {}, "header:spec:include:include config contains unknown keys: template"),
        ("[{component: a.yml}]", {}, {}, "header:spec:include:include config contains unknown keys: component"),
        ("[a.yml]", SHARED | {"a.yml": "inputs:"}, {"shared": "s"}, "unknown input arguments: shared"),
        (
            "[shared.yml]",
            SHARED,
            {"shared": "u"},
            "`shared` input: `u` cannot be used because it is not in the list of allowed options",
        ),
    ],
    ids=[
        "two-files",
        "own-input",
        "other-keys",
        "empty",
        "text",
        "missing",
        "template",
        "component",
        "no-inputs",
        "value",
    ],
)
def test_a_header_refuses_files_that_are_not_about_inputs_alone(
    include: str, files: Mapping[str, str], inputs: Mapping[str, Any], expected: str
) -> None:
    """A file of a header has inputs only, each input has one declaration, and each file is there."""
    assert (expected,) == read_header(include, files, **inputs)


def test_a_component_has_no_header_that_includes_files() -> None:
    """A component declares its inputs itself."""
    text = "include: [{component: host/acme/part/lint@main}]"
    component = Component("spec: {include: [a.yml]}\n---\nlint: {script: a}", {})

    assert (
        (
            "Included file `host/acme/part/lint@main` cannot use `spec:include`. "
            "This keyword is not supported in components"
        ),
    ) == load(text, lambda _: component, profile_of(parse_release(LATEST))).errors


def test_earlier_releases_know_no_files_of_a_header() -> None:
    """Before 18.9, the header has no includes."""
    expected = ("header:spec config contains unknown keys: include",)

    assert expected == read(HEADER.format(include="[a.yml]", block=""), release="18.8").errors


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("ci/*.yml", ["a"]), ("ci/**.yml", ["a", "b"]), ("/ci/**/*.yml", ["b"]), ("none/*.yml", [])],
    ids=["folder", "folders", "folders-within", "nothing"],
)
def test_a_local_location_may_have_wildcards(pattern: str, expected: list[str]) -> None:
    """A star stands for any part of a name, and two stars for folders as well."""
    files = {"ci/a.yml": "a: {script: a}", "ci/deep/b.yml": "b: {script: b}", "c.yml": "c: {script: c}"}

    def fetch(include: Include) -> str | MatchingPaths:
        if "*" not in include.location:
            return files[include.location]
        wanted = include.location.removeprefix("/")
        return MatchingPaths([path for path in files if matches_wildcards(wanted, path)])

    text = f"include: '{pattern}'\njob: {{script: x}}\n"
    configuration = load(text, fetch, profile_of(parse_release("13.12")))

    assert (*expected, "job") == tuple(job.name for job in configuration.jobs)


def test_a_variable_says_whether_a_location_is_a_url() -> None:
    """A location is a URL or a path after its variables have their values."""
    found = []

    def fetch(include: Include) -> str:
        found.append((include.kind, include.location))
        return "a: {script: a}"

    profile = profile_of(parse_release(LATEST))
    facts = RefFacts(ref="main", predefined={"CI_SERVER_URL": "https://example.com"}, profile=profile)
    load("include: $CI_SERVER_URL/a.yml", fetch, profile, lambda: facts)

    assert [("remote", "https://example.com/a.yml")] == found


DIGEST = "sha256-J9yPx3sUP4Dam+VigBMiNYLCKSyBz9KMf5tzFaiOP28="
"""Of `a: {script: a}`."""


@pytest.mark.parametrize(
    ("digest", "release", "expected"),
    [
        (DIGEST, LATEST, ()),
        ("sha256-YQ==", LATEST, ("Remote file `https://example.com/a.yml` failed integrity check!",)),
        ("sha256-YQ==", "17.8", ()),
    ],
    ids=["same", "different", "before-17.9"],
)
def test_a_remote_file_has_the_digest_of_its_location(digest: str, release: str, expected: tuple[str, ...]) -> None:
    """A remote file with another digest is refused since 17.9."""
    text = f"include: [{{remote: 'https://example.com/a.yml', integrity: '{digest}'}}]"

    assert expected == read(text, {"https://example.com/a.yml": "a: {script: a}"}, release=release).errors


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("local: a.yml, integrity: sha256-YQ==", "integrity can only be specified for remote includes"),
        ("remote: 'https://example.com/a.yml', integrity: md5-YQ==", "integrity hash must start with 'sha256-'"),
        ("remote: 'https://example.com/a.yml', integrity: sha256-*", "integrity hash must be base64 encoded"),
    ],
    ids=["local", "prefix", "encoding"],
)
def test_the_digest_of_a_child_file_has_a_form(location: str, expected: str) -> None:
    """Only remote files have digests, of SHA-256 in Base64."""
    errors = read(f"child: {{trigger: {{include: [{{{location}}}]}}}}").errors

    assert (f"jobs:child:trigger:include:include config {expected}",) == errors
