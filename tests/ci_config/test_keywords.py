"""What each keyword may have for a value: valid configurations have jobs, invalid ones the platform's message.

Source: app/assets/javascripts/editor/schema/ci.json with its cases, lib/gitlab/ci/config/entry/**.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from ruamel.yaml import YAML

from fakeplat.ci_config.configuration import load
from fakeplat.core.release import LATEST, parse_release, profile_of
from tests.ci_config.cases import FILES

KEYWORDS = YAML(typ="safe", pure=True).load((FILES / "keywords.yml").read_text(encoding="utf-8"))


def list_cases(kind: str) -> Iterator[Any]:
    """The cases of one kind as parameters, named after their configurations."""
    for entry in KEYWORDS:
        for case in entry[kind]:
            text = case.get("job") or case["whole"]
            yield pytest.param(case, id=f"{entry['keyword']}-{text}".replace("\n", " "))


def read(case: Mapping[str, str]) -> Any:
    text = case.get("whole") or f"test: {{script: a, {case['job']}}}"
    return load(text, lambda _: "included: {script: a}", profile_of(parse_release(LATEST)))


@pytest.mark.parametrize(
    ("release", "text", "expected"),
    [
        (
            "13.5",
            "{script: 1}",
            "jobs:test:script config should be a string or an array containing strings and arrays of strings",
        ),
        (
            "15.0",
            "{script: 1}",
            "jobs:test:script config should be a string or a nested array of strings up to 10 levels deep",
        ),
        (
            "15.0",
            "{script: a, before_script: b}",
            "jobs:test:before_script config should be an array containing strings and arrays of strings",
        ),
        (
            "15.0",
            "{script: a, stage: gone}",
            "test job: chosen stage does not exist; available stages are .pre, build, test, deploy, .post",
        ),
        ("13.5", "{script: a, cache: {path: [b]}}", "jobs:test:cache config contains unknown keys: path"),
        ("16.0", "{script: a, publish: b}", "jobs:test config contains unknown keys: publish"),
        (
            "13.5",
            "{script: a, rules: [{if: $A}], only: null}",
            "jobs:test config key may not be used with `rules`: only",
        ),
        (
            "13.5",
            "{script: a, when: [manual]}",
            "jobs:test when should be one of: on_success, on_failure, always, manual, delayed",
        ),
        ("13.5", "{script: a, secrets: {A: {}}}", "jobs:test:secrets:a config missing required keys: vault"),
        (
            "16.3",
            "{script: a, secrets: {A: {}}}",
            "jobs:test:secrets:a config must use exactly one of these keys: vault, azure_key_vault",
        ),
        (
            "16.7",
            "{script: a, image: {name: b, docker: {platform: 1}}}",
            "jobs:test:image executor opts '/docker/platform' must be a valid 'string'",
        ),
        ("17.4", "{run: [{name: a, script: b}]}", "jobs test config should implement a script: or a trigger: keyword"),
    ],
)
def test_earlier_releases_have_other_messages(release: str, text: str, expected: str) -> None:
    """Messages are those of the release."""
    assert expected == load(f"test: {text}", lambda _: "", profile_of(parse_release(release))).errors[0]


@pytest.mark.parametrize("case", [*list_cases("valid")])
def test_a_valid_configuration_has_jobs(case: Mapping[str, str]) -> None:
    """What the schema allows makes a pipeline."""
    configuration = read(case)

    assert () == configuration.errors
    assert configuration.jobs


@pytest.mark.parametrize("case", [*list_cases("invalid")])
def test_an_invalid_configuration_is_refused(case: Mapping[str, str]) -> None:
    """What the schema forbids is refused with the message of its entry."""
    configuration = read(case)

    assert case.get("error") == (configuration.errors or (None,))[0]
    assert () == configuration.jobs
