"""Validation of CI configurations. Source: docs/platform/pipelines-jobs.md, the platform's request specs of lint."""

from typing import Any

import pytest

from fakeplat.ci_config.behaviours import MERGED_TEXT_HAS_PLAIN_KEYS
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    LINT_KEEPS_PROTECTED_VARIABLES,
    LINT_NEEDS_REPOSITORY,
    TEXTS_ARE_LINTED_WITHOUT_COMMIT,
)
from tests.api.company import COMPANY
from tests.api.requests import FORBIDDEN, Outcome, invalid, outcome, refusal, resource_not_found
from tests.by_release import by_release

VALID = "test:\n  stage: test\n  script: echo 1\n"
MERGED = "---\n:test:\n  :stage: test\n  :script: echo 1\n"
INVALID = "image: image:1.0\nservices:\n- postgres\n"
NO_JOB = "jobs config should contain at least one visible job"
WARNING = (
    "jobs:job may allow multiple pipelines to run for a single action due to `rules:when` clause with no "
    "`workflow:rules` - read more: https://docs.gitlab.com/ee/ci/troubleshooting.html#pipeline-warnings"
)
SITE, DOCS = "projects/acme%2Fsite/ci/lint", "projects/acme%2Fdocs/ci/lint"
NOT_ALLOWED = {
    "valid": False,
    "errors": ["Insufficient permissions to create a new pipeline"],
    "warnings": [],
    "merged_yaml": None,
}


GROUP = {key: value for key, value in COMPANY["groups"][0].items() if key not in ("projects", "groups")}


def with_files(path: str, visibility: str, files: dict[str, str], **more: Any) -> dict[str, Any]:
    commits = [{"message": "first", "branch": "master", "files": files}]
    return {"path_with_namespace": path, "visibility": visibility, "repository": {"commits": commits}, **more}


def build_world(files: dict[str, str], **more: Any) -> dict[str, Any]:
    """A private and a public project with the same files."""
    projects = [
        with_files("acme/site", "private", {"README.md": "Site", **files}, **more),
        with_files("acme/docs", "public", {"README.md": "Docs", **files}),
    ]
    return {"users": COMPANY["users"], "groups": [GROUP], "projects": projects}


def lint_text(fake: Fakeplat, user: str | None, content: str, **more: Any) -> Outcome:
    return outcome(fake.as_user(user).post("ci/lint", json={"content": content, **more}))


def lint_project(fake: Fakeplat, user: str | None, path: str = SITE, **query: Any) -> Any:
    reply = fake.as_user(user).get(path, params=query)
    assert 200 == reply.status
    return reply.json()


def build_result(*messages: str, valid: bool = False, merged: str | None = None) -> dict[str, Any]:
    return {"valid": valid, "errors": list(messages), "warnings": [], "merged_yaml": merged}


@pytest.mark.fakeplat(scenario=COMPANY)
def test_anybody_validates_a_text(fakeplat: Fakeplat) -> None:
    """Anonymous callers validate a text without a project."""
    assert (200, {"status": "valid", "errors": [], "warnings": []}) == lint_text(fakeplat, None, VALID)


@pytest.mark.fakeplat(scenario=COMPANY)
def test_a_text_is_invalid_for_its_first_error(fakeplat: Fakeplat) -> None:
    """The validation of a text reports only its first error."""
    content = "a: {script: x, tags: x}\nb: {script: x, when: 1}\n"
    result = lint_text(fakeplat, "dev", content)

    assert (
        200,
        {"status": "invalid", "errors": ["jobs:a:tags config should be an array of strings"], "warnings": []},
    ) == (result)


@pytest.mark.fakeplat(scenario=COMPANY)
@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("invalid content", "Invalid configuration format"),
        (INVALID, NO_JOB),
        ("", "Please provide content of .gitlab-ci.yml"),
        ("include: a.yml\njob: {script: x}\n", "Local file `a.yml` does not have project!"),
        (
            "include: https://example.com/a.yml\njob: {script: x}\n",
            "Remote file `https://example.com/a.yml` could not be fetched because of HTTP code `404` error!",
        ),
        (
            "include: {template: Nothing.gitlab-ci.yml}\njob: {script: x}\n",
            "Included file `Nothing.gitlab-ci.yml` is empty or does not exist!",
        ),
    ],
    ids=["format", "no job", "blank", "local", "remote", "template"],
)
def test_an_invalid_text(fakeplat: Fakeplat, content: str, error: str) -> None:
    """An invalid text is answered with 200 and its errors."""
    assert (200, {"status": "invalid", "errors": [error], "warnings": []}) == lint_text(fakeplat, "dev", content)


@pytest.mark.fakeplat(scenario=COMPANY)
def test_content_is_required(fakeplat: Fakeplat) -> None:
    """A blank one is there."""
    assert invalid("content is missing") == refusal(fakeplat, "dev", "POST", "ci/lint", json={})


@by_release(
    MERGED_TEXT_HAS_PLAIN_KEYS,
    "expected",
    {
        "16.10": MERGED,
        "16.11": "---\ntest:\n  stage: test\n  script: echo 1\n",
    },
)
def test_the_keys_of_the_merged_text(fakeplat: Fakeplat, expected: str) -> None:
    """The keys of the merged text are symbols in earlier releases, and texts in later ones."""
    answer = fakeplat.as_user("dev").post(SITE, json={"content": VALID})
    assert (True, expected) == (answer.json()["valid"], answer.json()["merged_yaml"])


@pytest.mark.fakeplat(scenario=COMPANY)
def test_the_merged_text_is_shown_on_request(fakeplat: Fakeplat) -> None:
    """The merged text is shown on request, also of an invalid text."""
    valid = {"status": "valid", "errors": [], "warnings": [], "merged_yaml": MERGED}
    merged = "---\n:image: image:1.0\n:services:\n- postgres\n"
    wrong = {"status": "invalid", "errors": [NO_JOB], "warnings": [], "merged_yaml": merged}

    assert (200, valid) == lint_text(fakeplat, "dev", VALID, include_merged_yaml=True)
    assert (200, wrong) == lint_text(fakeplat, "dev", INVALID, include_merged_yaml=True)


@pytest.mark.fakeplat(scenario=COMPANY)
def test_a_valid_text_with_a_warning(fakeplat: Fakeplat) -> None:
    """A job may run twice for a push."""
    result = lint_text(fakeplat, "dev", "job: {script: ls, rules: [{when: always}]}")

    assert (200, {"status": "valid", "errors": [], "warnings": [WARNING]}) == result


@pytest.mark.fakeplat(scenario=build_world({".gitlab-ci.yml": VALID}))
@pytest.mark.parametrize(
    ("user", "path", "expected"),
    [
        (None, SITE, resource_not_found("Project")),
        ("eve", SITE, resource_not_found("Project")),
        ("gus", SITE, FORBIDDEN),
        ("rep", SITE, (200, build_result(valid=True, merged=MERGED))),
        (None, DOCS, (200, build_result(valid=True, merged=MERGED))),
        ("eve", DOCS, (200, build_result(valid=True, merged=MERGED))),
    ],
    ids=["nobody", "stranger", "guest", "reporter", "nobody on a public project", "stranger on a public project"],
)
def test_validating_requires_the_right_to_read_code(
    fakeplat: Fakeplat, user: str | None, path: str, expected: Outcome
) -> None:
    """Guests of a private project read no code."""
    assert expected == refusal(fakeplat, user, "GET", path)


@pytest.mark.fakeplat(scenario=build_world({".gitlab-ci.yml": VALID}))
def test_a_dry_run_is_for_those_who_create_pipelines(fakeplat: Fakeplat) -> None:
    """A dry run requires the right to create pipelines."""
    assert NOT_ALLOWED == lint_project(fakeplat, "eve", DOCS, dry_run=True)
    assert NOT_ALLOWED == lint_project(fakeplat, None, DOCS, dry_run=True)
    assert NOT_ALLOWED == lint_project(fakeplat, "rep", dry_run=True)
    assert build_result(valid=True, merged=MERGED) == lint_project(fakeplat, "dev", dry_run=True)


@pytest.mark.fakeplat(scenario=COMPANY)
@by_release(LINT_NEEDS_REPOSITORY, "missing", {"16.9": "Commit", "16.10": "Repository"})
def test_an_empty_repository_has_nothing_to_validate(fakeplat: Fakeplat, missing: str) -> None:
    """Validating the configuration of an empty repository finds no commit, later no repository."""
    assert resource_not_found(missing) == refusal(fakeplat, "dev", "GET", SITE)


@pytest.mark.fakeplat(scenario=COMPANY)
@by_release(TEXTS_ARE_LINTED_WITHOUT_COMMIT, "is_validated", {"14.8": False, "14.9": True})
def test_a_text_for_an_empty_repository(fakeplat: Fakeplat, is_validated: bool) -> None:
    """A text needs no commit: a release that is known to validate one for an empty repository is 14.9."""
    valid = refusal(fakeplat, "dev", "POST", SITE, json={"content": VALID})
    wrong = refusal(fakeplat, "dev", "POST", SITE, json={"content": "invalid"})
    local = refusal(fakeplat, "dev", "POST", SITE, json={"content": "include: /a.yml\njob: {script: x}\n"})
    dry = refusal(fakeplat, "dev", "POST", SITE, json={"content": VALID, "dry_run": True})
    if not is_validated:
        assert [resource_not_found("Commit")] * 4 == [valid, wrong, local, dry]
        return

    assert [True, False, False, False] == [answer[1]["valid"] for answer in (valid, wrong, local, dry)]
    assert ["Invalid configuration format"] == wrong[1]["errors"]
    assert ["Local file `/a.yml` does not exist!"] == local[1]["errors"]
    assert ["Reference not found"] == dry[1]["errors"]


@pytest.mark.fakeplat(scenario=build_world({}))
def test_a_project_without_a_configuration(fakeplat: Fakeplat) -> None:
    """A project without a configuration is reported as having no content."""
    assert build_result("Please provide content of .gitlab-ci.yml") == lint_project(fakeplat, "dev")


@pytest.mark.fakeplat(scenario=build_world({"ci/main.yml": VALID, ".gitlab-ci.yml": "x"}, ci_config_path="ci/main.yml"))
def test_the_configuration_is_where_the_project_says(fakeplat: Fakeplat) -> None:
    """The configuration is read from the project's `ci_config_path`."""
    assert build_result(valid=True, merged=MERGED) == lint_project(fakeplat, "dev")


@pytest.mark.fakeplat(scenario=build_world({".gitlab-ci.yml": "a: {script: x, tags: x}\nb: {script: x, when: 1}\n"}))
@pytest.mark.parametrize("dry_run", [True, False], ids=["dry run", "static"])
def test_all_errors_of_a_project_are_shown(fakeplat: Fakeplat, dry_run: bool) -> None:
    """Both kinds of validation show all errors of a project's configuration."""
    result = lint_project(fakeplat, "dev", dry_run=dry_run)

    assert [
        "jobs:a:tags config should be an array of strings",
        "jobs:b when should be one of: on_success, on_failure, always, manual, delayed",
    ] == result["errors"]


INCLUDING = {".gitlab-ci.yml": f"include: {{local: another.yml}}\n{VALID}", "another.yml": "more:\n  script: echo 2\n"}


@pytest.mark.fakeplat(scenario=build_world(INCLUDING))
def test_local_files_are_those_of_the_commit(fakeplat: Fakeplat) -> None:
    """Local includes of the commit are merged, and the keyword disappears."""
    merged = "---\n:more:\n  :script: echo 2\n:test:\n  :stage: test\n  :script: echo 1\n"

    assert build_result(valid=True, merged=merged) == lint_project(fakeplat, "dev")


@pytest.mark.fakeplat(
    scenario=build_world(
        {
            ".gitlab-ci.yml": "job: {script: x, only: [tags]}\n",
            "b.yml": "a: {stage: build, script: x, only: [tags]}\nb: {stage: test, script: x, needs: [a]}\n",
        }
    ),
    version="latest",
)
def test_a_dry_run_simulates_a_push(fakeplat: Fakeplat) -> None:
    """A dry run simulates a push to the default branch without jobs for tags."""
    static = lint_project(fakeplat, "dev")
    simulated = lint_project(fakeplat, "dev", dry_run=True)
    content = "a: {stage: build, script: x, only: [tags]}\nb: {stage: test, script: x, needs: [a]}\n"
    posted = fakeplat.as_user("dev").post(SITE, json={"content": content, "dry_run": True}).json()

    assert [] == static["errors"]
    empty = "The resulting pipeline would have been empty. Review the rules configuration for the relevant jobs."
    assert [empty] == simulated["errors"]
    assert ["'b' job needs 'a' job, but it was not added to the pipeline"] == posted["errors"]


@pytest.mark.parametrize(
    ("source", "is_created"), [("push", True), ("web", False), ("api", False), ("merge_request_event", False)]
)
@pytest.mark.fakeplat(scenario=build_world({}), version="latest")
def test_the_source_of_a_simulated_pipeline_is_a_push(fakeplat: Fakeplat, source: str, is_created: bool) -> None:
    """The rules of a simulated pipeline see a push, though nobody pushed anything."""
    content = f"job:\n  script: x\n  rules:\n    - if: '$CI_PIPELINE_SOURCE == \"{source}\"'\n"
    result = fakeplat.as_user("dev").post(SITE, json={"content": content, "dry_run": True}).json()

    empty = "The resulting pipeline would have been empty. Review the rules configuration for the relevant jobs."
    assert ([] if is_created else [empty]) == result["errors"]
    assert is_created == result["valid"]


TEMPLATES = {
    "path_with_namespace": "acme/templates",
    "visibility": "private",
    "repository": {"commits": [{"message": "x", "branch": "main", "files": {"ci.yml": "shared: {script: x}\n"}}]},
}
FROM_PROJECT = "include: {{project: acme/templates, file: {file}{ref}}}\njob: {{script: x}}\n"


def from_project(file: str = "/ci.yml", ref: str = "") -> dict[str, str]:
    return {".gitlab-ci.yml": FROM_PROJECT.format(file=file, ref=f", ref: {ref}" if ref else "")}


def with_templates(files: dict[str, str], **more: Any) -> dict[str, Any]:
    base = build_world(files)
    return {**base, "projects": [*base["projects"], {**TEMPLATES, **more}]}


@pytest.mark.fakeplat(scenario=with_templates(from_project()))
def test_files_of_other_projects_need_the_right_to_read_them(fakeplat: Fakeplat) -> None:
    """Including a file of a hidden project does not reveal whether the project exists."""
    denied = "Project `acme/templates` not found or access denied!"

    assert [] == lint_project(fakeplat, "dev", DOCS)["errors"]
    assert [denied] == lint_project(fakeplat, "eve", DOCS)["errors"]
    assert [denied] == lint_project(fakeplat, None, DOCS)["errors"]
    assert [denied] == lint_project(fakeplat, "gus", DOCS)["errors"]


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(
            "Project `acme/templates` file `/no.yml` does not exist!",
            marks=pytest.mark.fakeplat(scenario=with_templates(from_project(file="/no.yml"))),
            id="file",
        ),
        pytest.param(
            "Project `acme/templates` reference `v9` does not exist!",
            marks=pytest.mark.fakeplat(scenario=with_templates(from_project(ref="v9"))),
            id="reference",
        ),
        pytest.param(
            "Project `acme/templates` not found or access denied!",
            marks=pytest.mark.fakeplat(scenario=build_world(from_project())),
            id="project",
        ),
        pytest.param(
            "Local file `no.yml` does not exist!",
            marks=pytest.mark.fakeplat(scenario=build_world({".gitlab-ci.yml": "include: no.yml\njob: {script: x}\n"})),
            id="local",
        ),
        pytest.param(
            "Including configs from artifacts is only allowed when triggering child pipelines",
            marks=pytest.mark.fakeplat(
                scenario=build_world({".gitlab-ci.yml": "include: {artifact: a.yml, job: a}\njob: {script: x}\n"})
            ),
            id="artifact",
        ),
    ],
)
def test_files_that_are_not_there(fakeplat: Fakeplat, error: str) -> None:
    """The message says what is missing."""
    assert [error] == lint_project(fakeplat, "dev")["errors"]


OUTSIDE = {
    **COMPANY,
    "ci_includes": {
        "https://example.com/ci.yml": "remote: {script: x}\n",
        "template:Nodejs.gitlab-ci.yml": "node: {script: x}\n",
    },
}


@pytest.mark.fakeplat(scenario=OUTSIDE)
def test_a_scenario_declares_remote_files(fakeplat: Fakeplat) -> None:
    """Scenarios declare remote files and templates that can be included."""
    content = "include: ['https://example.com/ci.yml', {template: Nodejs.gitlab-ci.yml}]\n"
    merged = "---\n:remote:\n  :script: x\n:node:\n  :script: x\n"

    assert (200, {"status": "valid", "errors": [], "warnings": [], "merged_yaml": merged}) == lint_text(
        fakeplat, None, content, include_merged_yaml=True
    )


@pytest.mark.fakeplat(scenario=build_world({"another.yml": "more: {script: x}\n"}), version="latest")
def test_a_text_is_validated_as_that_of_a_project(fakeplat: Fakeplat) -> None:
    """A text is validated with the files of the project's default branch."""
    reply = fakeplat.as_user("dev").post(SITE, json={"content": f"include: another.yml\n{VALID}"})
    merged = "---\nmore:\n  script: x\ntest:\n  stage: test\n  script: echo 1\n"

    assert build_result(valid=True, merged=merged).items() <= reply.json().items()


@pytest.mark.fakeplat(scenario=build_world({}), version="latest")
def test_only_those_who_create_pipelines_validate_a_text_for_a_project(fakeplat: Fakeplat) -> None:
    """Only Developers validate a text for a project."""
    body = {"json": {"content": VALID}}

    assert resource_not_found("Project") == refusal(fakeplat, "eve", "POST", SITE, **body)
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", SITE, **body)
    assert FORBIDDEN == refusal(fakeplat, "eve", "POST", DOCS, **body)
    assert invalid("content is missing") == refusal(fakeplat, "dev", "POST", SITE, json={})


@pytest.mark.fakeplat(scenario=build_world({}))
def test_texts_for_projects_came_later(fakeplat: Fakeplat) -> None:
    """The operation is one of release 13.6."""
    assert 404 == fakeplat.as_user("dev").post(SITE, json={"content": VALID}).status


@pytest.mark.fakeplat(scenario=build_world({".gitlab-ci.yml": VALID}))
def test_a_validation_follows_the_repository(fakeplat: Fakeplat) -> None:
    """A new commit is validated at once."""
    before = lint_project(fakeplat, "dev")
    change = {"branch": "master", "commit_message": "x", "content": "x: y"}
    fakeplat.as_user("mia").put("projects/acme%2Fsite/repository/files/.gitlab-ci.yml", json=change)
    after = lint_project(fakeplat, "dev")

    assert (True, False) == (before["valid"], after["valid"])


@pytest.mark.fakeplat(scenario=build_world({}))
@by_release(
    LINT_KEEPS_PROTECTED_VARIABLES,
    "told",
    {"17.10": {"dev": "secret", "mia": "secret"}, "17.11": {"dev": "", "mia": "secret"}},
)
def test_protected_variables_are_not_told_to_who_may_not_change_the_branch(
    fakeplat: Fakeplat, told: dict[str, str]
) -> None:
    """In the names of included files, who may not push to the default branch sees nothing for a protected variable."""
    variable = {"key": "SECRET", "value": "secret", "protected": True}
    assert 201 == fakeplat.as_user("mia").post("projects/acme%2Fsite/variables", json=variable).status
    text = {"content": f"include: {{local: '$SECRET-ci.yml'}}\n{VALID}"}

    results = {user: fakeplat.as_user(user).post(SITE, json=text).json() for user in told}

    expected = {user: [f"Local file `{value}-ci.yml` does not exist!"] for user, value in told.items()}
    assert expected == {user: result["errors"] for user, result in results.items()}
