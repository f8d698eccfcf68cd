"""What is wrong with a scenario is said with file, line, JSON path and the name that was perhaps meant."""

from pathlib import Path
from typing import Any

import pytest

from fakeplat import scenario
from fakeplat.scenario import Mistake, ScenarioError
from tests.scenario.worlds import create_platform

OUT_OF_RANGE = "a number is out of range: whole numbers have 64 bits, others are finite"
ONE_MISTAKE = [
    ("users:\n  - {username: ada, nme: Ada}", 2, "$.users[0].nme: unknown key 'nme', did you mean 'name'?"),
    ("usrs: []", 1, "$.usrs: unknown key 'usrs', did you mean 'users'?"),
    ("users:\n  - username: ada\n    name: A\n    name: B", 4, "$.users[0].name: duplicate key 'name'"),
    ("users:\n  - username: 7", 2, "$.users[0].username: must be text, not a whole number"),
    ("users:\n  - username: ada\n    admin: 'yes'", 3, "$.users[0].admin: must be true or false, not text"),
    ("users: {ada: 1}", 1, "$.users: must be a list, not a map"),
    ("seed: 1.5", 1, "$.seed: must be a whole number, not a number"),
    ("seed: true", 1, "$.seed: must be a whole number, not true or false"),
    ("users:\n  - name: Ada", 2, "$.users[0]: needs 'username'"),
    ("groups:\n  - name: Acme", 2, "$.groups[0]: needs exactly one of path, full_path"),
    ("groups: [{path: a, full_path: b}]", 1, "$.groups[0]: needs exactly one of path, full_path"),
    (
        "groups:\n  - path: acme\n    visibility: pubic",
        3,
        "$.groups[0].visibility: unknown value 'pubic', did you mean 'public'?",
    ),
    (
        "groups:\n  - path: acme\n    visibility: x",
        3,
        "$.groups[0].visibility: must be one of private, internal, public",
    ),
    (
        "users: [ada]\ngroups:\n  - path: acme\n    members:\n      ada: ownr",
        5,
        "$.groups[0].members.ada: unknown value 'ownr', did you mean 'owner'?",
    ),
    (
        "users: [ada]\ngroups:\n  - path: acme\n    members: {adda: owner}",
        4,
        "$.groups[0].members.adda: unknown user 'adda', did you mean 'ada'?",
    ),
    (
        "users: [ada]\ngroups:\n  - path: acme\n    members:\n      - username: adda\n        access_level: 30",
        5,
        "$.groups[0].members[0].username: unknown user 'adda', did you mean 'ada'?",
    ),
    (
        "groups:\n  - path: acme\n    shared_with_groups: {amce: 30}",
        3,
        "$.groups[0].shared_with_groups.amce: unknown group 'amce', did you mean 'acme'?",
    ),
    (
        "projects:\n  - path_with_namespace: amce/site\ngroups: [{path: acme}]",
        2,
        "$.projects[0].path_with_namespace: unknown group 'amce', did you mean 'acme'?",
    ),
    (
        "projects: [{path_with_namespace: site}]",
        1,
        "$.projects[0].path_with_namespace: must start with the path of a group or user",
    ),
    (
        "projects: [{path: site}]",
        1,
        "$.projects[0].path: needs path_with_namespace, or must be listed in a group or user",
    ),
    ("users:\n  - ada\n  - bob\n  - ADA", 4, "$.users[2]: 'ADA' is listed twice"),
    (
        "users:\n  - username: ada\n    email: no address",
        3,
        "$.users[0].email: is invalid",
    ),
    (
        "users:\n  - ada\n  - username: eve\n    email: ada@example.test",
        3,
        "$.users[1]: Email has already been taken",
    ),
    (
        "groups:\n  - path: acme\n    projects:\n      - {path: docs, visibility: public}",
        4,
        "$.groups[0].projects[0].visibility: public is not allowed in a private group.",
    ),
    (
        "groups:\n  - path: acme\n    members:\n      root: {}",
        4,
        "$.groups[0].members.root: must be one of ",
    ),
    (
        "users:\n  - username: ada\n    created_at: yesterday",
        3,
        "$.users[0].created_at: must be a time such as 2020-11-20T09:00:00Z, not 'yesterday'",
    ),
    (
        "users:\n  - username: ada\n    last_activity_on: 2020-13-01",
        3,
        "$.users[0].last_activity_on: must be a date such as 2020-11-20, not '2020-13-01'",
    ),
    ("clock:\n  tick: soon", 2, "$.clock.tick: must be a duration such as 1h30m, 2s or 250ms, not 'soon'"),
    ("clock:\n  tick: -1", 2, "$.clock.tick: must be at least 0"),
    ("clock: {tick: 1000000000000000000}", 1, "$.clock.tick: must be at most 94608000000000"),
    *(
        (
            f"clock:\n  start: {time}",
            2,
            f"$.clock.start: must be a time in the years 1000 to 8999, such as 2020-11-20T09:00:00Z, not '{time}'",
        )
        for time in ("9999-12-31T23:59:58Z", "9000-01-01T00:00:00Z", "0999-12-31T23:59:59Z")
    ),
    (f"seed: {'9' * 6000}", 1, f"invalid YAML: {OUT_OF_RANGE}"),
    (f"users: []\nseed: {2**64}", 2, f"invalid YAML: {OUT_OF_RANGE}"),
    *(
        (f"instance: {{throttle: {{requests: 5, period: {period}}}}}", 1, f"$.instance.throttle.period: must be {text}")
        for period, text in [
            ("0s", "a duration of at least a second, such as 1m, not '0s'"),
            ("999ms", "a duration of at least a second, such as 1m, not '999ms'"),
            ("3000w 3000d 999999999h", "a duration of at least a second, such as 1m, not '3000w 3000d 999999999h'"),
            ("0", "at least 1"),
            ("0.5", "at least 1"),
            ("2147483648", "at most 2147483647"),
        ]
    ),
    ("instance: {throttle: {requests: 5, period: .nan}}", 1, f"invalid YAML: {OUT_OF_RANGE}"),
    ("instance: {merge_check: {after: 1e30}}", 1, "$.instance.merge_check.after: must be at most 94608000000"),
    *(
        (f"settings:\n  throttle_{who}_period_in_seconds: {period}", 2, f"$.settings.throttle_{who}_{text}")
        for who in ("authenticated_api", "authenticated_web", "unauthenticated", "protected_paths")
        for period, text in [
            (0, "period_in_seconds: must be at least 1"),
            (2**31, "period_in_seconds: must be at most 2147483647"),
        ]
    ),
    ("instance: {teir: free}", 1, "$.instance.teir: unknown key 'teir', did you mean 'tier'?"),
    (
        "settings: {default_projects_limt: 1}",
        1,
        "$.settings.default_projects_limt: unknown key 'default_projects_limt', did you mean 'default_projects_limit'?",
    ),
    (
        "users:\n  - username: ada\n    avatar: {filename: a.png, content_base64: '?'}",
        3,
        "$.users[0].avatar.content_base64: must be base64",
    ),
    (
        "users:\n  - username: ada\n    avatar: {filename: a.exe, content_base64: AAAA}",
        3,
        "$.users[0].avatar: file format is not supported.",
    ),
    (
        "users:\n  - username: ada\n    tokens:\n      - value: root-token",
        4,
        "$.users[0].tokens[0]: token has already been taken",
    ),
    (
        "users:\n  - username: ada\n    admin: true\n    is_admin: false",
        4,
        "$.users[0].is_admin: 'is_admin' and 'admin' are the same key",
    ),
    (
        "users:\n  - ada\n  - {username: ghost, kind: ghost, email: ada@example.test}",
        3,
        "$.users[1]: email 'ada@example.test' has already been taken",
    ),
    ("users:\n  - username: ada\n    projects_limit: -1", 3, "$.users[0].projects_limit: must be at least 0"),
    ("extends: startr", 1, "$.extends: there is no scenario 'startr', did you mean 'starter'?"),
    ("users: [", 2, "invalid YAML: "),
    ("- a", 1, "must be a map, not a list"),
    ("users: &all [{username: a, projects: *all}]", None, ""),
    ("groups: &all [{path: a, groups: *all}]", None, "is nested too deeply, or contains itself"),
]


@pytest.mark.parametrize(("text", "line", "message"), ONE_MISTAKE)
def test_a_mistake_says_where_and_what(text: str, line: int | None, message: str, tmp_path: Path) -> None:
    """A mistake is one line with the file, its line, the path, the reason and the nearest valid value."""
    file = tmp_path / "wrong.yaml"
    file.write_text(text + "\n", "utf-8")
    mistakes = scenario.check_file(file)

    assert mistakes
    if message:
        assert len(mistakes) == 1, mistakes
        location = f"{file}:{line}: " if message[:1] == "$" or "YAML" in message else f"{file}: "
        assert str(mistakes[0]).startswith(location + message)
        assert str(mistakes[0]).count("\n") == 0


def test_a_mistake_has_parts() -> None:
    """A mistake gives its file, line, JSON path, text and nearest name separately."""
    mistake = Mistake("unknown key 'nme'", ("users", 0, "nme"), "name", "file.yaml", 12)

    assert "file.yaml:12: $.users[0].nme: unknown key 'nme', did you mean 'name'?" == str(mistake)
    assert "$.users[0].nme" == mistake.json_path


@pytest.mark.parametrize(
    ("path", "quoted"),
    [(("a", "b-c"), "$.a['b-c']"), (("x", 3, "y"), "$.x[3].y"), ((), "$")],
)
def test_a_json_path_is_quoted_where_it_must_be(path: Any, quoted: str) -> None:
    """A JSON path puts names that are not plain words in brackets."""
    assert quoted == Mistake("", path).json_path


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    """All mistakes of form are reported together, each on a line of its own."""
    file = tmp_path / "wrong.yaml"
    file.write_text("sed: 1\nusers:\n  - {username: ada, nme: A}\n  - {username: 5}\n", "utf-8")
    with pytest.raises(ScenarioError) as error:
        scenario.base_world(scenario.get_scenario(file))

    assert [1, 3, 4] == [mistake.line for mistake in error.value.mistakes]
    assert 3 == len(str(error.value).splitlines())


def test_consequences_of_a_mistake_are_not_reported(tmp_path: Path) -> None:
    """Records inside a record that could not be created, or that refer to it, add no further mistakes."""
    file = tmp_path / "wrong.yaml"
    file.write_text(
        "users: [{username: ada, email: wrong}]\n"
        "groups:\n  - {path: -a, members: {ada: owner}, projects: [{path: p}]}\n"
        "  - {path: ok, members: {ada: guest}}\n",
        "utf-8",
    )

    assert [1, 3] == [mistake.line for mistake in scenario.check_file(file)]


def test_a_mistake_of_what_is_built_on_names_that_file(tmp_path: Path) -> None:
    """A mistake in an extended scenario is reported with the file and line of that scenario."""
    (tmp_path / "below.yaml").write_text("\nusers: [{nme: x}]\n", "utf-8")
    (tmp_path / "above.yaml").write_text("extends: below\n", "utf-8")

    assert {(str(tmp_path / "below.yaml"), 2)} == {
        (m.file, m.line) for m in scenario.check_file(tmp_path / "above.yaml")
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"users": [\n {"username": "a", "nme": 1}]}', ":2: $.users[0].nme: unknown key 'nme', did you mean 'name'?"),
        ('{"seed": 1,\n "seed": 2}', ":2: $.seed: duplicate key 'seed'"),
        ('{"seed": }', ":1: invalid JSON: Expecting value"),
        (f'{{"users": [],\n "seed": {"9" * 6000}}}', f":2: {OUT_OF_RANGE}"),
        (f'{{"seed":\n{-(2**63) - 1}}}', f":2: {OUT_OF_RANGE}"),
        ('{"seed":\n1e999}', f":2: {OUT_OF_RANGE}"),
        ('{"seed":\nNaN}', f":2: {OUT_OF_RANGE}"),
    ],
)
def test_mistakes_in_json_files_are_reported_like_those_in_yaml(text: str, message: str, tmp_path: Path) -> None:
    """Mistakes in JSON files are reported with their line, as in YAML files."""
    file = tmp_path / "wrong.json"
    file.write_text(text, "utf-8")

    assert [f"{file}{message}"] == [str(mistake) for mistake in scenario.check_file(file)]


def test_data_has_no_file_and_no_line() -> None:
    """A mistake in inline data is reported with only its JSON path."""
    with pytest.raises(ScenarioError, match=r"^\$\.users\[0\]\.nme: unknown key 'nme', did you mean 'name'\?$"):
        scenario.base_world(scenario.get_scenario({"users": [{"username": "a", "nme": 1}]}))


def test_options_of_the_caller_are_checked_too() -> None:
    """An unknown instance key from the caller is refused with the nearest key."""
    with pytest.raises(ScenarioError, match=r"^\$\.instance\.teir: unknown key 'teir', did you mean 'tier'\?$"):
        scenario.base_world(scenario.get_scenario("empty"), instance={"teir": "free"})


def test_nothing_is_wrong_with_what_is_right(tmp_path: Path) -> None:
    """A file with only a comment is a valid, empty scenario."""
    (tmp_path / "empty.yaml").write_text("# nothing\n", "utf-8")

    assert [] == scenario.check_file(tmp_path / "empty.yaml")


MERGE_REQUEST = """\
extends: starter
projects:
  - path_with_namespace: acme/{project}
    merge_requests:
      - title: New
        source_branch: {branch}
"""


@pytest.mark.parametrize(
    ("project", "branch", "text"),
    [
        ("site", "featur", "acme/site has no branch 'featur', did you mean 'feature'?"),
        ("notes", "topic", "acme/notes has no repository with branches"),
    ],
)
def test_an_open_merge_request_needs_its_source_branch(project: str, branch: str, text: str, tmp_path: Path) -> None:
    """Checking a file reports an open merge request whose source branch does not exist."""
    file = tmp_path / "world.yaml"
    file.write_text(MERGE_REQUEST.format(project=project, branch=branch), "utf-8")
    expected = f"{file}:6: $.projects[0].merge_requests[0].source_branch: {text}"
    assert [expected] == [str(mistake) for mistake in scenario.check_file(file)]


def test_a_scenario_that_extends_itself_is_reported_as_a_cycle(tmp_path: Path) -> None:
    """A scenario that extends itself is reported with the files of the cycle."""
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.yaml").write_text(f"extends: {other}.yaml\n", "utf-8")
    (mistake,) = scenario.check_file(tmp_path / "a.yaml")
    assert "extends itself: a.yaml → b.yaml → a.yaml" == mistake.text


DEEP = 200_000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("brackets.json", "[" * DEEP + "]" * DEEP),
        ("brackets.yaml", "[" * DEEP + "]" * DEEP),
        ("braces.yaml", "{a: " * DEEP + "}" * DEEP),
        ("dashes.yaml", "-  " * DEEP),
        ("question marks.yaml", "? " * DEEP),
        ("within.yaml", f"settings: {'[' * DEEP}{']' * DEEP}"),
    ],
    ids=["JSON", "brackets", "braces", "dashes", "question marks", "within a map"],
)
def test_what_is_nested_too_deep_is_a_mistake(name: str, text: str, tmp_path: Path) -> None:
    """A file with 200,000 nested collections is reported, whatever the stack of the process holds."""
    file = tmp_path / name
    file.write_text(text, "utf-8")
    assert ["is nested too deeply, or contains itself"] == [mistake.text for mistake in scenario.check_file(file)]


def test_a_file_of_many_flow_maps_has_times(tmp_path: Path) -> None:
    """Hundreds of maps within lines, with colons in their values, are read as those of a small file are."""
    file = tmp_path / "world.yaml"
    users = [f"  - {{username: user-{number}, created_at: 2020-11-20T09:00:00Z}}" for number in range(600)]
    file.write_text("\n".join(["users:", *users]), "utf-8")
    assert [] == scenario.check_file(file)


PLACES: list[tuple[dict[str, Any], str]] = [
    (
        {"members": {"ada": "owner"}},
        "$.members: unknown key 'members', which belongs in groups or projects",
    ),
    ({"users": [{"username": "a", "zzz": 1}]}, "$.users[0].zzz: unknown key 'zzz'; known are username, name, email, "),
    ({"groups": [{"path": "a", "issues": []}]}, "$.groups[0].issues: unknown key 'issues', which belongs in "),
    (
        {"generate": [{"into": "a", "issue": 1}]},
        "$.generate[0].issue: unknown key 'issue', which belongs in received or todos, did you mean 'issues'?",
    ),
]


@pytest.mark.parametrize(("document", "beginning"), PLACES, ids=[next(iter(document)) for document, _ in PLACES])
def test_an_unknown_key_names_its_place_or_the_known_keys(document: dict[str, object], beginning: str) -> None:
    """An unknown key is reported with the maps that have it, or else with the known keys of its map."""
    with pytest.raises(ScenarioError) as error:
        create_platform(document)
    assert beginning == str(error.value.mistakes[0])[: len(beginning)]


def test_keys_for_anchors_are_skipped() -> None:
    """Top-level keys that begin with `x-` may have any value."""
    assert create_platform({"x-team": {"ada": "owner"}, "users": ["ada"]}).view.users.find("username", "ada")


def test_a_million_records_are_generated_at_most() -> None:
    """A count of more than a million generated records is refused."""
    with pytest.raises(ScenarioError) as error:
        create_platform({"generate": [{"issues": 100_000_000}]})
    assert ["$.generate[0].issues: must be at most 1000000"] == [str(mistake) for mistake in error.value.mistakes]
