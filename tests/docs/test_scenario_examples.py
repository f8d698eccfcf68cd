"""The page of scenario keys shows examples that load."""

import re
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from fakeplat import scenario
from tests.scenario.worlds import create_platform
from tools.scenario_reference import (
    example_of,
    example_text,
    examples,
    flatten,
    key_examples,
    maps_in,
    scenario_keys_page,
)

PAIRS = [(section, key) for section, sections in examples().items() for key in sections]
SECRET_OF_RUNNER = "runner-token"  # the runner that the job's example names


EPICS = [{"title": "One", "author": "ada"}, {"title": "Two", "author": "ada"}]  # that an example names
STATUS_CHECK = {"name": "Security", "external_url": "http://127.0.0.1:9000/check"}  # that an example names


def put_into_project(key: str, entry: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"projects": [{"path_with_namespace": "acme/site", key: [entry], **more}]}


def put_into_issue(entry: dict[str, Any]) -> dict[str, Any]:
    return put_into_project("issues", {"title": "Crash", "author": "dev", **entry})


def build_document(section: str, key: str, value: Any) -> dict[str, Any]:
    """Return a scenario that has the value where it belongs."""
    entry = {key: value}
    if key == "repository":
        return {"projects": [{"path_with_namespace": "ada/fresh", **entry}]}
    if key == "job_token_allowlist":
        entry |= {"job_token_scope_enabled": True}
    if key == "wiki_notes":
        entry |= {"wiki": examples()["project"]["wiki"]}
    if key == "related_epic_links":
        entry |= {"groups": [{"full_path": "acme", "epics": EPICS}]}
    if key == "namespace_commit_emails":
        entry |= {"emails": examples()["user"]["emails"]}
    if key == "custom_field_values":
        fields = examples()["group"]["custom_fields"]
        return {"groups": [{"full_path": "acme", "custom_fields": fields}], **put_into_issue(entry)}
    if key == "admin_role":
        roles = [{"name": "Helpdesk", "read_admin_users": True}]
        return {"member_roles": roles, "users": [{"username": "dev", **entry}]}
    if key == "awarded_achievements":
        achievements = examples()["group"]["achievements"]
        return {
            "groups": [{"full_path": "acme", "achievements": achievements}],
            "users": [{"username": "dev", **entry}],
        }
    if key == "issue_contacts":
        contacts = examples()["group"]["crm_contacts"]
        return {"groups": [{"full_path": "acme", "crm_contacts": contacts}], **put_into_issue(entry)}
    job = {"name": "test", **entry}
    return {
        "scenario": entry,
        "user": {"users": [{"username": "dev", **entry}]},
        "group": {"groups": [{"full_path": "acme", **entry}]},
        "project": {"projects": [{"path_with_namespace": "acme/site", **entry}]},
        "issue": put_into_issue(entry),
        "board": {"groups": [{"full_path": "acme", "epics": EPICS, "boards": [{"name": "All", **entry}]}]},
        "merge_request": put_into_project(
            "merge_requests",
            {"title": "New", "source_branch": "readme", "target_branch": "feature", **entry},
            external_status_checks=[STATUS_CHECK],
        ),
        "pipeline": put_into_project("pipelines", {"ref": "master", **entry}),
        "job": {
            "runners": [{"description": "shared", "token": SECRET_OF_RUNNER}],
            **put_into_project("pipelines", {"ref": "master", "jobs": [job]}),
        },
        "bulk_import": {
            "bulk_imports": [{"user": "ada", "source_url": "https://a.test", "status": "finished", **entry}]
        },
        "environment": put_into_project("environments", {"name": "production", **entry}),
        "runner_controller": {"runner_controllers": [{"description": "gate", **entry}]},
        "runner": {"runners": [{"description": "shared", **entry}]},
        "oauth_application": {"applications": [{"name": "A", "redirect_uri": "https://a.example.test", **entry}]},
        "alerts": {"projects": [{"path_with_namespace": "acme/site", "alerts": entry}]},
    }[section]


@pytest.mark.parametrize(("section", "key"), PAIRS, ids=[f"{section}-{key}" for section, key in PAIRS])
def test_the_example_of_a_section_loads(section: str, key: str) -> None:
    """The example of each section loads into the starter scenario with all features."""
    data = build_document(section, key, examples()[section][key])
    instance = {"tier": "ultimate", "version": "latest", "default_branch": "master"}
    create_platform({"extends": "starter", "instance": instance, **data})


def test_every_section_has_an_example() -> None:
    """Each definition of the scenario schema has an example."""
    assert set() == scenario.schema()["$defs"].keys() - {key for _, key in PAIRS}


def list_keys() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the path of each key, which begins with its section, and its schema."""
    schema = orjson.loads(orjson.dumps(scenario.schema()))
    maps = {name: schema["properties"][name] for name in ("instance", "clock", "settings")}
    for section, part in ({"scenario": schema} | maps | schema["$defs"]).items():
        for path, key in flatten(part):
            yield f"{section}.{path}", key


def test_every_key_has_an_example() -> None:
    """Each scenario key has an example in its row or in the section that it refers to."""
    assert [] == [path for path, key in list_keys() if not example_text(path, key) and not list(maps_in(key))]


def test_examples_belong_to_keys() -> None:
    """Each declared example belongs to an existing key or to the ending of its name."""
    paths = [path for path, _ in list_keys()]
    assert [] == [
        key for key in key_examples() if not any(re.search(rf"(^|[._]){re.escape(key)}$", path) for path in paths)
    ]


def test_the_page_describes_every_key() -> None:
    """The page has a heading for each section and a row for each of its keys."""
    page = scenario_keys_page()
    definitions = scenario.schema()["$defs"]
    assert [] == [name for name in definitions if f"\n## {name}\n" not in page]
    rows = {name: page.partition(f"\n## {name}\n")[2].partition("\n## ")[0] for name in definitions}
    assert [] == [
        f"{name}.{key}"
        for name, definition in definitions.items()
        for key in definition["properties"]
        if f"| `{key}`" not in rows[name]
    ]


def test_the_examples_of_keys_are_valid() -> None:
    """The example of each key is valid by the schema of that key."""
    definitions = scenario.schema()["$defs"]
    wrong = [
        (path, example)
        for path, key in list_keys()
        if (example := example_of(path, key)) is not None
        and not Draft202012Validator({**key, "$defs": definitions}).is_valid(example)
    ]
    assert [] == wrong
