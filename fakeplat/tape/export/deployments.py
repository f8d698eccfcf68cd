"""Conversion of environments, deployments, feature flags, freeze periods, deploy keys, tokens, runners and clusters."""

from collections import Counter
from collections.abc import Mapping
from re import compile as pattern
from typing import Final

from fakeplat.tape.export import field_mapping
from fakeplat.tape.export.field_mapping import Entry
from fakeplat.tape.export.natural_keys import Names, username
from fakeplat.tape.export.pipelines import PipelineNumbers
from fakeplat.tape.export.subresources import (
    CLUSTERS,
    DEPLOY_KEYS,
    DEPLOY_TOKENS,
    DEPLOYMENTS,
    ENVIRONMENTS,
    FEATURE_FLAGS,
    FREEZE_PERIODS,
    INSTANCE,
    USER_LISTS,
)
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import CLUSTER, PROJECT, RUNNER

_DEFAULT_USERNAME: Final = pattern(r"\w+\+deploy-token-\d+")
_STRATEGY_FIELDS: Final = ("name", "parameters")
Owner = tuple[object, ...]


def to_scenario(observations: Observations, owner: Owner, numbers: PipelineNumbers, left_out: Counter[str]) -> Entry:
    """Return what a project deploys to and how, without its keys, which several projects can share."""

    def rows(name: str) -> list[Document]:
        return observations.subresources_of(PROJECT, owner, name) or []

    entries: Entry = {
        ENVIRONMENTS: [field_mapping.map_fields("environment", row, left_out) for row in rows(ENVIRONMENTS)],
        DEPLOYMENTS: [_deployment(row, numbers, left_out) for row in rows(DEPLOYMENTS)],
        FEATURE_FLAGS: [_feature_flag(row, left_out) for row in rows(FEATURE_FLAGS)],
        "feature_flag_user_lists": [
            field_mapping.map_fields("feature_flag_user_list", row, left_out) for row in rows(USER_LISTS)
        ],
        FREEZE_PERIODS: [field_mapping.map_fields("freeze_period", row, left_out) for row in rows(FREEZE_PERIODS)],
        DEPLOY_TOKENS: deploy_tokens(observations, PROJECT, owner, left_out),
        CLUSTERS: clusters(observations, PROJECT, owner, left_out),
    }
    return {name: values for name, values in entries.items() if values}


def deploy_tokens(observations: Observations, kind: str, owner: Owner, left_out: Counter[str]) -> list[Entry]:
    """Return the deploy tokens of a project or group; the new world gives them other values."""
    tokens = observations.subresources_of(kind, owner, DEPLOY_TOKENS) or ()
    return [
        field_mapping.map_fields(
            "deploy_token",
            # The default username contains the id, which is another one in the new world.
            {**token, "username": None} if _DEFAULT_USERNAME.fullmatch(str(token.get("username"))) else token,
            left_out,
        )
        for token in tokens
    ]


def _deployment(deployment: Document, numbers: PipelineNumbers, left_out: Counter[str]) -> Entry:
    environment = next(iterate_objects(deployment.get("environment")), {})
    job = next(iterate_objects(deployment.get("deployable")), {})
    pipeline = numbers.number(job.get("pipeline"))
    user = username(deployment.get("user"))
    return {
        **field_mapping.map_fields("deployment", {**deployment, "environment": None, "user": None}, left_out),
        "environment": environment.get("name"),
        "status": deployment.get("status"),
        **({"user": user} if user else {}),
        **({"tag": True} if job.get("tag") else {}),
        **({} if pipeline is None else {"pipeline": pipeline, "job": job.get("name")}),
    }


def _feature_flag(flag: Document, left_out: Counter[str]) -> Entry:
    entry = field_mapping.map_fields("feature_flag", {**flag, "scopes": None, "strategies": None}, left_out)
    scopes = [
        {name: value for name, value in scope.items() if name != "id"} for scope in iterate_objects(flag.get("scopes"))
    ]
    strategies = [_strategy(strategy) for strategy in iterate_objects(flag.get("strategies"))]
    parts = {"scopes": scopes, "strategies": strategies}
    return {
        **entry,
        **({"version": flag["version"]} if flag.get("version") else {}),
        **{name: values for name, values in parts.items() if values},
    }


def _strategy(strategy: Document) -> Entry:
    user_list = next(iterate_objects(strategy.get("user_list")), {}).get("name")
    return {
        **{name: strategy[name] for name in _STRATEGY_FIELDS if name in strategy},
        "scopes": [scope.get("environment_scope") for scope in iterate_objects(strategy.get("scopes"))],
        **({"user_list": user_list} if user_list else {}),
    }


def deploy_keys(observations: Observations, projects: dict[int, str], left_out: Counter[str]) -> list[Entry]:
    """Return the deploy keys of all projects, each with the projects in which it is enabled."""
    entries: dict[object, Entry] = {}
    for id_, path in projects.items():
        for key in observations.subresources_of(PROJECT, (id_, path), DEPLOY_KEYS) or ():
            fields = {name: value for name, value in key.items() if name != "can_push"}
            entry = entries.setdefault(
                key.get("id"), {**field_mapping.map_fields("deploy_key", fields, left_out), "projects": {}}
            )
            entry["projects"][path] = bool(key.get("can_push"))
    return list(entries.values())


def runners(observations: Observations, names: Names, left_out: Counter[str]) -> list[Entry]:
    """Return the runners whose groups or projects are in the scenario, or that all projects share."""
    entries = [_runner(runner, names, left_out) for runner in observations.of_kind(RUNNER)]
    left_out["runners of projects that were not read"] += entries.count(None)
    return [entry for entry in entries if entry is not None]


def _runner(runner: Document, names: Names, left_out: Counter[str]) -> Entry | None:
    fields = {name: value for name, value in runner.items() if name not in ("projects", "groups", "runner_type")}
    groups = _known(runner.get("groups"), names.groups)
    projects = _known(runner.get("projects"), names.projects)
    if not (runner.get("is_shared") or groups or projects):
        return None
    place: Entry = {"group": groups[0]} if groups else {"projects": projects} if projects else {}
    return {**field_mapping.map_fields(RUNNER, fields, left_out), **place}


def clusters(observations: Observations, kind: str, owner: Owner, left_out: Counter[str]) -> list[Entry]:
    """Return the clusters of a project or group; the new world gives them another token."""
    return [_cluster(cluster, left_out) for cluster in observations.subresources_of(kind, owner, CLUSTERS) or ()]


def instance_clusters(observations: Observations, left_out: Counter[str]) -> list[Entry]:
    """Return the clusters of the instance."""
    kind, name = INSTANCE
    return clusters(observations, kind, (name,), left_out)


def _cluster(cluster: Document, left_out: Counter[str]) -> Entry:
    # Read as it is: in other documents, ``namespace`` is an object.
    parts = {
        name: {key: value for key, value in document.items() if value is not None and key != "cluster_id"}
        for name in ("platform_kubernetes", "provider_gcp")
        if isinstance(document := cluster.get(name), dict)
    }
    user = username(cluster.get("user"))
    project = next(iterate_objects(cluster.get("management_project")), {}).get("path_with_namespace")
    return {
        **field_mapping.map_fields(CLUSTER, {**cluster, **parts}, left_out),
        **({"user": user} if user else {}),
        **({"management_project": project} if project else {}),
    }


def _known(documents: object, paths: Mapping[int, str]) -> list[str]:
    return [paths[document["id"]] for document in iterate_objects(documents or []) if document.get("id") in paths]
