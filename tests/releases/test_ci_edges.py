"""CI configurations just before and just after a keyword, value or limit began or ended, by the platform's pages."""

import pytest

from fakeplat.ci_config.configuration import Configuration, load
from fakeplat.ci_config.includes import Include
from fakeplat.core.release import Release, parse_release, profile_of
from fakeplat.domain.ci.known_names import list_known_names
from tests.releases.ci_keywords import build_configuration, list_keyword_edges, list_variable_edges
from tests.releases.ci_worlds import FILES, CiWorld, list_variables
from tests.releases.edges import Edge, for_each

# The name, the last release on the refusing side, the first on the accepting one, and a job or a whole file.
BEGINNINGS = [
    ("rules.variables", "13.6", "13.7", "rules: [{if: $A, variables: {B: x}}]"),
    ("allow_failure.exit_codes", "13.7", "13.8", "allow_failure: {exit_codes: [1, 2]}"),
    ("needs.optional", "13.9", "13.10", "stage: test, needs: [{job: first, optional: true}]"),
    ("environment.deployment_tier", "13.9", "13.10", "environment: {name: x, deployment_tier: staging}"),
    ("cache-list", "13.10", "13.11", "cache: [{paths: [a]}, {paths: [b]}]"),
    ("dast_configuration", "14.0", "14.1", "dast_configuration: {site_profile: x}"),
    ("needs-without-stage", "14.1", "14.2", "needs: [first]"),
    ("services.variables", "14.4", "14.5", "services: [{name: x, variables: {A: b}}]"),
    ("rules-with-when", "14.5", "14.6", "when: manual, rules: [{if: $A}]"),
    ("rules.changes.paths", "15.1", "15.2", "rules: [{changes: {paths: [a]}}]"),
    ("image.pull_policy", "15.1", "15.2", "image: {name: x, pull_policy: always}"),
    ("rules.changes.compare_to", "15.2", "15.3", "rules: [{changes: {paths: [a], compare_to: main}}]"),
    ("release.tag_message", "15.2", "15.3", "release: {tag_name: v, description: x, tag_message: y}"),
    ("id_tokens", "15.6", "15.7", "id_tokens: {A: {aud: x}}"),
    ("cache.unprotect", "15.7", "15.8", "cache: {paths: [a], unprotect: true}"),
    ("parallel-200", "15.8", "15.9", "parallel: 51"),
    ("hooks", "15.9", "15.10", "hooks: {pre_get_sources_script: x}"),
    ("cache.fallback_keys", "15.11", "16.0", "cache: {paths: [a], fallback_keys: [x]}"),
    ("publish", "16.0", "16.1", "---\npages: {script: x, publish: public}"),
    ("cache.policy-variable", "16.0", "16.1", "cache: {paths: [a], policy: $A}"),
    ("rules.needs", "16.1", "16.2", "rules: [{if: $A, needs: [first]}]"),
    ("image.docker", "16.6", "16.7", "image: {name: x, docker: {platform: arm64}}"),
    ("artifacts.public", "16.6", "16.7", "artifacts: {paths: [a], public: false}"),
    ("identity", "16.8", "16.9", "identity: google_cloud"),
    ("rules.interruptible", "16.9", "16.10", "rules: [{if: $A, interruptible: true}]"),
    ("artifacts.access", "16.10", "16.11", "artifacts: {paths: [a], access: developer}"),
    ("retry.exit_codes", "16.10", "16.11", "retry: {max: 1, exit_codes: 137}"),
    ("rules.exists.paths", "16.11", "17.0", "rules: [{exists: {paths: [a]}}]"),
    ("manual_confirmation", "17.0", "17.1", "manual_confirmation: Sure"),
    ("image.kubernetes", "17.11", "18.0", "image: {name: x, kubernetes: {user: '1000'}}"),
    ("artifacts.access-maintainer", "18.3", "18.4", "artifacts: {paths: [a], access: maintainer}"),
    ("variables.description", "13.6", "13.7", "---\nvariables: {A: {value: b, description: c}}\njob: {script: x}"),
    ("variables.options", "15.6", "15.7", "---\nvariables: {A: {value: b, options: [b, c]}}\njob: {script: x}"),
    ("variables.expand", "15.6", "15.7", "---\nvariables: {A: {value: b, expand: false}}\njob: {script: x}"),
    ("workflow.rules.variables", "13.10", "13.11", "---\nworkflow: {rules: [{variables: {A: b}}]}\njob: {script: x}"),
    ("trigger.forward", "14.9", "14.10", "---\njob: {trigger: {project: a/b, forward: {pipeline_variables: true}}}"),
    ("workflow.name", "15.6", "15.7", "---\nworkflow: {name: x}\njob: {script: x}"),
    ("workflow.auto_cancel", "16.8", "16.9", "---\nworkflow: {auto_cancel: {on_new_commit: none}}\njob: {script: x}"),
    ("stages-nested", "16.8", "16.9", "---\nstages: [[test]]\njob: {script: x}"),
    ("trigger.strategy=mirror", "18.1", "18.2", "---\njob: {trigger: {project: a/b, strategy: mirror}}"),
]
ENDINGS = [
    ("tags-without-limit", "14.2", "14.3", f"tags: [{', '.join(f't{n}' for n in range(50))}]"),
    ("type", "14.10", "15.0", "type: test"),
    ("reports.cobertura", "14.10", "15.0", "artifacts: {reports: {cobertura: a.xml}}"),
    ("types", "14.10", "15.0", "---\ntypes: [test]\njob: {script: x}"),
]

IGNORED = ("include.component", "include.inputs", "include.rules.if", "include.with")
"""Keywords that earlier releases do not refuse: they ignore what they do not know of an include."""


def write(text: str) -> str:
    """Return a whole configuration: a text that begins with ``---`` is one already."""
    return text if text.startswith("---") else f"first: {{stage: build, script: x}}\njob: {{script: x, {text}}}"


def read(release: str, text: str) -> Configuration:
    return load(write(text), refuse, profile_of(parse_release(release)))


def refuse(include: Include) -> str:
    raise AssertionError(include)


@pytest.mark.parametrize(
    ("before", "after", "text"), [case[1:] for case in BEGINNINGS], ids=[f"{c[0]}-since-{c[2]}" for c in BEGINNINGS]
)
def test_a_beginning_is_refused_before_its_release(before: str, after: str, text: str) -> None:
    """A keyword is refused by the release before the one that its page names, and accepted from that one on."""
    assert read(before, text).errors
    assert () == read(after, text).errors


@pytest.mark.parametrize(
    ("before", "after", "text"), [case[1:] for case in ENDINGS], ids=[f"{c[0]}-until-{c[2]}" for c in ENDINGS]
)
def test_an_ending_is_refused_from_its_release_on(before: str, after: str, text: str) -> None:
    """A keyword or form that ended is accepted by the last release that had it, and refused afterwards."""
    assert () == read(before, text).errors
    assert read(after, text).errors


def test_an_unknown_key_is_named() -> None:
    """A release names a key that it does not know like any other unknown key."""
    assert ("jobs:job config contains unknown keys: id_tokens",) == read("13.5", "id_tokens: {A: {aud: x}}").errors


def test_needs_in_a_circle_are_refused() -> None:
    """Needs within a stage may not form a circle."""
    text = "---\na: {script: x, needs: [b]}\nb: {script: x, needs: [a]}"

    assert ("The pipeline has circular dependencies",) == read("14.2", text).errors
    named = 'The pipeline has circular dependencies: topological sort failed: ["a", "b"]'
    assert (named,) == read("18.6", text).errors


def test_a_keyword_without_effect_is_listed() -> None:
    """A configuration lists the keywords that are known and have no effect yet."""
    assert ("jobs:job:identity",) == read("16.9", "identity: google_cloud").inert


def test_every_keyword_and_variable_has_its_releases() -> None:
    """The list of keywords and variables has the releases that their pages name."""
    lifetimes = {(known.kind, known.name): str(known.lifetime) for known in list_known_names()}

    assert "since 13.10" == lifetimes["keyword", "job.needs.optional"]
    assert "since 13.8, until 14.0" == lifetimes["variable", "CI_PROJECT_CONFIG_PATH"]


def _fetch(include: Include) -> str:
    return FILES.get(include.location, FILES["extra.yml"])


@for_each(edge for edge in list_keyword_edges() if edge.name not in IGNORED)
def test_a_keyword_begins_and_ends_with_its_release(edge: Edge) -> None:
    """Releases that lack a keyword refuse it, and those that have it do not, except as not built."""
    text = build_configuration(edge.name)
    errors = [load(text, _fetch, profile_of(at)).errors for at in (edge.before, edge.release)]

    assert edge.expected == tuple(all("has not built yet" in text for text in texts) for texts in errors)


CASES = {
    **{f"{name}-since-{after}": (before, after, write(text)) for name, before, after, text in BEGINNINGS},
    **{f"{name}-until-{after}": (before, after, write(text)) for name, before, after, text in ENDINGS},
}


def check_agreement(release: Release, text: str) -> None:
    world = CiWorld(release)
    verdict = world.lint(text)

    assert verdict == world.create_pipeline(text)
    assert verdict == world.push(text)


@for_each(list_keyword_edges())
def test_lint_and_creation_agree_about_each_keyword(edge: Edge) -> None:
    """Lint, the creation of a pipeline and a push agree whether a configuration is valid, and on the first mistake."""
    check_agreement(edge.before, build_configuration(edge.name))
    check_agreement(edge.release, build_configuration(edge.name))


@pytest.mark.parametrize(("before", "after", "text"), CASES.values(), ids=CASES)
def test_lint_and_creation_agree_about_each_change(before: str, after: str, text: str) -> None:
    """Lint, the creation of a pipeline and a push agree before and after each change of configurations."""
    check_agreement(parse_release(before), text)
    check_agreement(parse_release(after), text)


@for_each(list_variable_edges())
def test_a_variable_begins_and_ends_with_its_release(edge: Edge) -> None:
    """A runner gets a predefined variable from its release on, and until the one that ended it."""
    assert edge.expected == tuple(edge.name in list_variables(release) for release in (edge.before, edge.release))
