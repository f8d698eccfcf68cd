"""Cases of CI configuration files with what is expected of them, from the YAML files in `files/`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import has
from ruamel.yaml import YAML

from fakeplat.ci_config.conditions import RefFacts
from fakeplat.ci_config.configuration import Configuration, load
from fakeplat.ci_config.includes import Include, IncludeFailed
from fakeplat.core.release import parse_release, profile_of

FILES = Path(__file__).parent / "files"


def read_cases(name: str) -> list[Any]:
    """The cases of a file as parameters, each with its sentence as id."""
    cases = YAML(typ="safe", pure=True).load((FILES / name).read_text(encoding="utf-8"))
    return [pytest.param(case, id=case["case"]) for case in cases]


def describe_include(include: Include) -> str:
    """An include as one text: kind, project and ref if there are any, and location."""
    project = "" if include.project is None else f":{include.project}@{include.ref}"
    return f"{include.kind}{project}:{include.location.removeprefix('/')}"


def load_case(case: Mapping[str, Any]) -> Configuration:
    def fetch(include: Include) -> str:
        files = {location.replace(":/", ":"): text for location, text in case.get("includes", {}).items()}
        described = describe_include(include).replace(":/", ":")
        if described not in files:
            raise IncludeFailed(f"Local file `{include.location}` does not exist!")
        return str(files[described])

    return load(case["file"], fetch, profile_of(parse_release(case.get("release", "13.5"))))


def build_facts(plan: Mapping[str, Any]) -> RefFacts:
    known = {name: plan[name] for name in ("source", "is_tag", "is_merge_request", "project_path") if name in plan}
    return RefFacts(
        ref=plan["ref"],
        **known,
        variables=plan.get("variables", {}),
        predefined={"CI_COMMIT_REF_NAME": plan["ref"]},
        changed_paths=lambda: plan.get("changed"),
        paths_since=lambda ref: plan.get("changed_since", {}).get(ref),
        file_paths=lambda: plan.get("files", []),
        has_active_kubernetes=plan.get("has_active_kubernetes", False),
        profile=profile_of(parse_release(plan.get("release", "13.5"))),
    )


def select_job_attributes(job: Any, names: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes and options of a job that a case names, as plain data."""
    return {
        name: to_plain_data(getattr(job, name, job.options.get(name)), expected) for name, expected in names.items()
    }


def to_plain_data(value: Any, expected: Any) -> Any:
    """A value as plain data; of a record those attributes that are expected."""
    if isinstance(expected, Mapping) and has(type(value)):
        return {name: to_plain_data(getattr(value, name), inner) for name, inner in expected.items()}
    if isinstance(expected, Mapping) and isinstance(value, tuple):
        return dict(value)
    if isinstance(expected, Mapping) and isinstance(value, Mapping):
        return {name: to_plain_data(inner, expected.get(name)) for name, inner in value.items()}
    if isinstance(expected, list) and isinstance(value, tuple) and len(expected) == len(value):
        return [to_plain_data(item, inner) for item, inner in zip(value, expected, strict=True)]
    return list(value) if isinstance(value, tuple) else value
