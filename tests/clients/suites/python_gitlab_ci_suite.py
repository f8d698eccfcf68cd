"""What users of python-gitlab rely on around CI/CD, in old and new releases."""

import time

import gitlab
import pytest
from python_gitlab_releases import EVERYTHING, LAZILY, OLD, refusal, signed_in, user

ACTIVE = ("created", "waiting_for_resource", "preparing", "pending", "running")
CLOCKS = pytest.mark.parametrize("clock", ["auto", "virtual", "real"])
CONFIGURATION = """\
stages: [build, test, deploy]
compile:
  stage: build
  script: make
  artifacts:
    paths: [out]
unit:
  stage: test
  script: make test
  coverage: '/\\d+%/'
publish:
  stage: deploy
  script: make publish
  when: manual
  environment: {name: production, url: "https://site.example.test"}
"""
CHILD = """\
call:
  trigger: {include: child.yml}
"""
FEED = {"key": "FEED", "value": "https://feed.example.test"}
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJBaoK/e5wgQKvIJgmacjTRgUFsQyX3faICFbGje/Iev ada@example.test"


@pytest.fixture
def world(create_world):
    """A world whose time moves while the client waits."""
    return create_world(clock="auto")


def site(world, username="mia"):
    return signed_in(world, username).projects.get("acme/site")


def configure(project, content=CONFIGURATION, message="Configure CI", **files):
    """Commit the configuration and other files to the default branch."""
    contents = {".gitlab-ci.yml": content, **{f"{name}.yml": text for name, text in files.items()}}
    present = {entry["path"] for entry in project.repository_tree(**EVERYTHING)}
    actions = [
        {"action": "update" if path in present else "create", "file_path": path, "content": text}
        for path, text in contents.items()
    ]
    return project.commits.create({"branch": project.default_branch, "commit_message": message, "actions": actions})


def started(project):
    """Create a pipeline of the configuration."""
    configure(project, message="Configure CI [ci skip]")
    return project.pipelines.create({"ref": "master"})


def finished(pipeline):
    """Wait for a pipeline, as scripts do."""
    for _ in range(50):
        if pipeline.status not in ACTIVE:
            return pipeline
        time.sleep(0)
        pipeline.refresh()
    raise AssertionError(f"still {pipeline.status}")


def jobs(project, pipeline):
    """Return the jobs of a pipeline by name, with their actions."""
    return {row.name: project.jobs.get(row.id) for row in pipeline.jobs.list(**EVERYTHING)}


# Waiting


def wait(world, clock, pipeline):
    """The loop that users write; a virtual clock is moved by the test, a real one moves itself."""
    seen = [pipeline.status]
    deadline = time.monotonic() + 20
    while pipeline.status in ("created", "pending", "running") and time.monotonic() < deadline:
        time.sleep(0.02 if clock == "real" else 0)
        if clock == "virtual":
            world.advance("1s")
        pipeline.refresh()
        if seen[-1] != pipeline.status:
            seen.append(pipeline.status)
    return seen


@CLOCKS
def test_a_script_waits_until_a_pipeline_has_succeeded(create_world, clock):
    """A polling script sees a pipeline pending, running and successful under each clock."""
    world = create_world(clock=clock)
    world.play_jobs({"outcome": "success", "after": "0.3s" if clock == "real" else "30s"})
    configure(site(world), "unit:\n  script: make test\n", message="Configure CI [ci skip]")
    pipeline = site(world).pipelines.create({"ref": "master"})

    assert ["pending", "running", "success"] == wait(world, clock, pipeline)
    assert pipeline.finished_at


@CLOCKS
def test_a_script_waits_until_a_pipeline_has_failed(create_world, clock):
    """A failing job fails its pipeline, and the later stages are skipped."""
    world = create_world(clock=clock)
    after = "0.1s" if clock == "real" else "5s"
    world.play_jobs({"after": after}, {"job": "unit", "outcome": "failed", "after": after})
    pipeline = started(site(world))
    wait(world, clock, pipeline)

    assert "failed" == pipeline.status
    assert {"compile": "success", "unit": "failed", "publish": "skipped"} == {
        row.name: row.status for row in pipeline.jobs.list(**EVERYTHING)
    }


def test_a_virtual_clock_stands_until_it_settles(create_world):
    """With a virtual clock reads do not advance a pipeline, and settling finishes it."""
    world = create_world(clock="virtual")
    configure(site(world), "unit:\n  script: make test\n", message="Configure CI [ci skip]")
    pipeline = site(world).pipelines.create({"ref": "master"})

    pipeline.refresh()
    assert "pending" == pipeline.status
    world.settle()
    pipeline.refresh()
    assert "success" == pipeline.status


# Pipelines and jobs


def test_a_push_starts_a_pipeline(world):
    """A push starts a pipeline that is listed by ref, hash and status and has the configured jobs."""
    project = site(world)
    commit = configure(project)

    (row,) = project.pipelines.list(ref="master", sha=commit.id)
    pipeline = finished(project.pipelines.get(row.id))
    assert "success" == pipeline.status
    assert [pipeline.id] == [row.id for row in project.pipelines.list(status="success", **EVERYTHING)]
    assert [] == project.pipelines.list(scope="running")
    assert ["compile", "unit", "publish"] == [job.name for job in pipeline.jobs.list(**EVERYTHING)]
    assert ["publish"] == [job.name for job in pipeline.jobs.list(scope=["manual"])]


def test_pipelines_are_filtered(world):
    """Pipelines are filtered by scope, status, user and time, in any order and in pages."""
    project = site(world)
    configure(project, "unit:\n  script: make test\n", message="Configure CI [ci skip]")
    before = project.pipelines.list()[0]
    first = finished(project.pipelines.create({"ref": "master"}))
    second = finished(site(world, "ada").pipelines.create({"ref": "master"}))

    def ids(**filters):
        return [row.id for row in project.pipelines.list(**filters)]

    assert [second.id, first.id] == ids(status="success")
    assert [first.id, second.id] == ids(status="success", order_by="id", sort="asc")
    assert [second.id, first.id] == ids(scope="finished")
    assert [second.id] == ids(scope="branches", ref="master")
    assert [first.id] == ids(username="mia", status="success")
    assert [second.id] == ids(updated_after=first.updated_at, status="success")
    assert [before.id] == ids(status="skipped")
    assert [] == ids(yaml_errors=True)
    listed = project.pipelines.list(per_page=1, **LAZILY)
    assert [second.id, first.id, before.id] == [row.id for row in listed]


def test_a_pipeline_is_started_with_variables(world):
    """A pipeline is created with variables that a maintainer lists; an unknown ref gets 400."""
    project = site(world)
    with pytest.raises(gitlab.GitlabCreateError) as error:
        project.pipelines.create({"ref": "missing"})
    assert (400, {"base": ["Reference not found"]}) == refusal(error)
    configure(project, message="Configure CI [ci skip]")

    pipeline = project.pipelines.create({"ref": "master", "variables": [FEED]})

    variables = [(row.key, row.value, row.variable_type) for row in pipeline.variables.list()]
    assert [("FEED", "https://feed.example.test", "env_var")] == variables


def test_a_pipeline_is_canceled_retried_and_removed(world):
    """A pipeline is canceled, retried and, by an owner only, deleted."""
    pipeline = started(site(world))

    pipeline.cancel()
    pipeline.refresh()
    assert "canceled" == pipeline.status
    pipeline.retry()
    pipeline.refresh()
    assert pipeline.status in ACTIVE
    assert "success" == finished(pipeline).status

    with pytest.raises(gitlab.GitlabDeleteError) as error:
        pipeline.delete()
    assert 403 == error.value.response_code
    owned = site(world, "ada").pipelines.get(pipeline.id)
    owned.delete()
    with pytest.raises(gitlab.GitlabGetError) as gone:
        owned.refresh()
    assert (404, "404 Not found") == refusal(gone)


def test_a_failed_pipeline_succeeds_when_it_is_retried(world):
    """Retrying a failed pipeline runs only the failed job again."""
    world.play_jobs({"job": "unit", "attempts": ["failed", "success"]})
    project = site(world)
    pipeline = finished(started(project))
    assert "failed" == pipeline.status
    before = {name: job.id for name, job in jobs(project, pipeline).items()}

    pipeline.retry()
    pipeline.refresh()

    assert "success" == finished(pipeline).status
    after = {name: job.id for name, job in jobs(project, pipeline).items()}
    assert before["compile"] == after["compile"]
    assert before["unit"] < after["unit"]


def test_a_job_is_played_retried_canceled_and_erased(world):
    """Each action on a job returns the job, and an impossible action raises the client's error."""
    project = site(world)
    pipeline = finished(started(project))
    by_name = jobs(project, pipeline)

    with pytest.raises(gitlab.GitlabJobPlayError) as error:
        by_name["unit"].play()
    assert 400 == error.value.response_code
    by_name["publish"].play()
    assert project.jobs.get(by_name["publish"].id).status in ACTIVE
    by_name["publish"].cancel()
    assert "canceled" == project.jobs.get(by_name["publish"].id).status
    other = project.pipelines.create({"ref": "master"})
    with pytest.raises(gitlab.GitlabJobRetryError) as refused:
        jobs(project, other)["publish"].retry()
    assert (403, "403 Forbidden - Job is not retryable") == refusal(refused)
    by_name["unit"].retry()
    assert by_name["unit"].id < jobs(project, pipeline)["unit"].id
    by_name["compile"].erase()
    assert b"" == project.jobs.get(by_name["compile"].id).trace()


def test_jobs_of_a_project_are_listed(world):
    """Jobs of a project are listed from the newest and filtered by status."""
    project = site(world)
    finished(started(project))

    assert ["publish", "unit", "compile"] == [job.name for job in project.jobs.list(**EVERYTHING)]
    assert ["unit", "compile"] == [job.name for job in project.jobs.list(scope="success", **EVERYTHING)]
    with pytest.raises(gitlab.GitlabListError) as error:
        project.jobs.list(scope="unknown")
    assert (400, "scope does not have a valid value") == refusal(error)


def test_the_log_of_a_job_is_read(world):
    """`trace` reads the log of a job, whole and in parts."""
    world.play_jobs({"job": "compile", "log": "$ make\ncc site.c\n"})
    project = site(world)
    job = jobs(project, finished(started(project)))["compile"]
    parts: list[bytes] = []

    job.trace(streamed=True, action=parts.append)

    assert b"$ make\ncc site.c\n" == job.trace() == b"".join(parts)


def test_a_bridge_has_a_child_pipeline(world):
    """A bridge is listed apart from the jobs and names its child pipeline."""
    project = site(world)
    configure(project, CHILD, child="inner:\n  script: make\n")
    pipeline = project.pipelines.list()[0]
    pipeline = project.pipelines.get(pipeline.id)
    finished(pipeline)

    (bridge,) = pipeline.bridges.list()
    child = project.pipelines.get(bridge.downstream_pipeline["id"])
    assert ("call", []) == (bridge.name, pipeline.jobs.list())
    assert ["inner"] == [job.name for job in child.jobs.list()]


REPORT = """\
<testsuite name="site"><testcase classname="Page" name="opens" time="0.5"/>
<testcase classname="Page" name="closes"><failure>stuck</failure></testcase></testsuite>
"""


def test_a_pipeline_has_a_test_report(world):
    """The test report of a pipeline has the results of its jobs' JUnit files."""
    world.play_jobs({"job": "unit", "artifacts": {"report.xml": REPORT}})
    project = site(world)
    content = "unit:\n  script: make test\n  artifacts:\n    reports: {junit: report.xml}\n"
    configure(project, content)
    pipeline = finished(project.pipelines.get(project.pipelines.list()[0].id))

    report = pipeline.test_report.get()

    assert (2, 1, 1) == (report.total_count, report.success_count, report.failed_count)
    assert ["unit"] == [suite["name"] for suite in report.test_suites]


def test_a_merge_request_shows_its_pipelines(world):
    """The pipeline of its source branch decides whether a merge request can be merged."""
    project = site(world, "ada")
    project.only_allow_merge_if_pipeline_succeeds = True
    project.save()
    configure(project, "unit:\n  script: make test\n")
    world.play_jobs({"job": "unit", "outcome": "failed"})
    attributes = {"branch": "topic", "start_branch": "master", "commit_message": "Add a file"}
    action = {"action": "create", "file_path": "new.txt", "content": "new\n"}
    project.commits.create({**attributes, "actions": [action]})
    merge_request = project.mergerequests.create(
        {"source_branch": "topic", "target_branch": "master", "title": "Add a file"}
    )

    (pipeline,) = merge_request.pipelines.list()
    assert "failed" == finished(project.pipelines.get(pipeline.id)).status
    assert "failed" == project.mergerequests.get(merge_request.iid).head_pipeline["status"]
    with pytest.raises(gitlab.GitlabMRClosedError) as error:
        merge_request.merge()
    assert (405, "405 Method Not Allowed") == refusal(error)


def test_a_pipeline_is_started_for_a_merge_request(world):
    """A pipeline for a merge request has its jobs for merge requests."""
    project = site(world)
    action = {"action": "update", "file_path": ".gitlab-ci.yml", "content": "review:\n  script: x\n"}
    commit = {"branch": "topic", "start_branch": "master", "commit_message": "Review"}
    project.commits.create({**commit, "actions": [action]})
    merge_request = project.mergerequests.create(
        {"source_branch": "topic", "target_branch": "master", "title": "Review"}
    )
    with pytest.raises(gitlab.GitlabCreateError) as error:
        merge_request.pipelines.create({})
    assert (405, "405 Method Not Allowed") == refusal(error)

    action["content"] += "  only: [merge_requests]\n"
    project.commits.create({"branch": "topic", "commit_message": "Only then [ci skip]", "actions": [action]})
    created = merge_request.pipelines.create({})

    pipeline = project.pipelines.get(created.id)
    assert ["review"] == [job.name for job in pipeline.jobs.list()]
    assert f"refs/merge-requests/{merge_request.iid}/head" == pipeline.ref
    assert "success" == finished(pipeline).status


# Variables


def test_variables_live_in_projects_groups_and_the_instance(world):
    """CI variables of projects, groups and the instance are created, changed and deleted."""
    managers = [
        site(world).variables,
        signed_in(world, "ada").groups.get("acme").variables,
        signed_in(world, "root").variables,
    ]
    for variables in managers:
        variable = variables.create({**FEED, "protected": True})
        assert ("env_var", True, False) == (variable.variable_type, variable.protected, variable.masked)
        variable.value = "other"
        variable.save()
        assert "other" == variables.get("FEED").value
        with pytest.raises(gitlab.GitlabCreateError) as error:
            variables.create(FEED)
        assert 400 == error.value.response_code
        assert ["FEED"] == [row.key for row in variables.list(**EVERYTHING)]
        variable.delete()
        assert [] == variables.list()


def test_variables_are_for_maintainers(world):
    """A Developer who lists the variables of a project gets 403."""
    with pytest.raises(gitlab.GitlabListError) as error:
        site(world, "dev").variables.list()

    assert (403, "403 Forbidden") == refusal(error)


# Triggers and schedules


def test_a_trigger_starts_a_pipeline(world):
    """A trigger is created, changed, used to start a pipeline, and deleted."""
    project = site(world)
    configure(project, message="Configure CI [ci skip]")
    trigger = project.triggers.create({"description": "Nightly"})
    trigger.description = "Hourly"
    trigger.save()

    anonymous = gitlab.Gitlab(world.url).projects.get(project.id, lazy=True)
    pipeline = anonymous.trigger_pipeline("master", trigger.token, variables={"DEPLOY": "yes"})

    assert [("Hourly", trigger.token)] == [(row.description, row.token) for row in project.triggers.list()]
    reread = project.pipelines.get(pipeline.id)
    assert ("mia", [("DEPLOY", "yes")]) == (
        reread.user["username"],
        [(row.key, row.value) for row in reread.variables.list()],
    )
    trigger.delete()
    with pytest.raises(gitlab.GitlabCreateError) as error:
        anonymous.trigger_pipeline("master", trigger.token)
    assert (404, "404 Not Found") == refusal(error)


def test_a_schedule_lives_with_its_variables(world):
    """A pipeline schedule is created, changed, played, taken over and deleted."""
    project = site(world)
    configure(project, message="Configure CI [ci skip]")
    schedule = project.pipelineschedules.create({"ref": "master", "description": "Nightly", "cron": "0 1 * * *"})
    schedule.cron = "0 2 * * *"
    schedule.save()
    variable = schedule.variables.create(FEED)
    saved = project.pipelineschedules.get(schedule.id)
    assert ("0 2 * * *", "mia", ["FEED"]) == (
        saved.cron,
        saved.owner["username"],
        [row["key"] for row in saved.attributes["variables"]],
    )

    id_ = schedule.id
    schedule.play()  # leaves an object without its id
    assert "master" == project.pipelines.list()[0].ref
    assert project.pipelines.list()[0].id == project.pipelineschedules.get(id_).last_pipeline["id"]
    variable.delete()
    assert [] == project.pipelineschedules.get(id_).attributes["variables"]
    taken = site(world, "root").pipelineschedules.get(id_)
    taken.take_ownership()
    assert "root" == project.pipelineschedules.get(id_).owner["username"]
    taken.delete()
    assert [] == project.pipelineschedules.list()


def test_a_schedule_runs_by_itself(create_world):
    """A pipeline schedule starts a pipeline when its time has come."""
    world = create_world(clock="virtual")
    project = site(world)
    configure(project, "unit:\n  script: make test\n", message="Configure CI [ci skip]")
    schedule = project.pipelineschedules.create({"ref": "master", "description": "Hourly", "cron": "0 * * * *"})

    world.advance("1h30m")

    last = project.pipelineschedules.get(schedule.id).last_pipeline
    assert [last["id"]] == [row.id for row in project.pipelines.list(status="success")]


# Runners


def test_a_runner_is_registered_changed_and_removed(world):
    """A runner is registered with a project's token and managed by its maintainer."""
    client, project = signed_in(world, "mia"), site(world)
    registered = gitlab.Gitlab(world.url).runners.create(
        {"token": project.runners_token, "description": "builder", "tag_list": ["linux", "docker"]}
    )
    gitlab.Gitlab(world.url).runners.verify(registered.token)

    runner = client.runners.get(registered.id)
    assert ("builder", {"linux", "docker"}, True) == (runner.description, set(runner.tag_list), runner.active)
    runner.active = False
    runner.save()
    assert [runner.id] == [row.id for row in client.runners.list(scope="paused")]
    assert [] == runner.jobs.list()
    runner.delete()
    with pytest.raises(gitlab.GitlabGetError) as error:
        client.runners.get(runner.id)
    assert (404, "404 Not found") == refusal(error)


def test_a_runner_is_enabled_for_another_project(world):
    """A runner is enabled for another project and disabled again, but not for its last one."""
    project = site(world, "ada")
    registered = gitlab.Gitlab(world.url).runners.create({"token": project.runners_token, "locked": False})
    docs = signed_in(world, "ada").projects.get("acme/docs")

    docs.runners.create({"runner_id": registered.id})
    assert [registered.id] == [row.id for row in docs.runners.list()]
    docs.runners.delete(registered.id)
    with pytest.raises(gitlab.GitlabDeleteError) as error:
        project.runners.delete(registered.id)
    assert 403 == error.value.response_code


def test_administrators_list_all_runners(world):
    """Only administrators list the runners of all projects, groups and the instance."""
    ada, root = signed_in(world, "ada"), signed_in(world, "root")
    group = ada.groups.get("acme")
    runner = gitlab.Gitlab(world.url).runners.create({"token": group.runners_token})

    assert [runner.id] == [row.id for row in root.runners.all()]
    assert [runner.id] == [row.id for row in group.runners.list()]
    with pytest.raises(gitlab.GitlabError) as error:
        ada.runners.all()
    assert (403, "403 Forbidden") == refusal(error)


# Lint


def lint(client, content):
    """Return whether a text is valid, and its errors."""
    if OLD:
        return client.lint(content)
    result = client.ci_lint.create({"content": content})
    return result.status == "valid", result.errors


def test_a_configuration_is_validated(world):
    """The errors of an invalid configuration name the job and the key."""
    client = signed_in(world, "dev")

    assert (True, []) == lint(client, CONFIGURATION)
    assert (False, ["jobs unit config should implement a script: or a trigger: keyword"]) == lint(
        client, "unit:\n  stage: test\n"
    )


# Statuses, environments, deployments


def test_another_system_reports_the_status_of_a_commit(world):
    """Another system reports commit statuses, of which the newest of a name counts."""
    project = site(world, "dev")
    commit = project.commits.get("feature")

    commit.statuses.create({"state": "running", "name": "jenkins", "ref": "feature", "target_url": "https://ci.test/1"})
    assert "running" == project.commits.get("feature").status
    commit.statuses.create({"state": "success", "name": "jenkins", "ref": "feature", "coverage": 81.5})

    (status,) = commit.statuses.list()
    assert ("jenkins", "success", 81.5, "dev") == (
        status.name,
        status.status,
        status.coverage,
        status.author["username"],
    )
    assert "success" == project.commits.get("feature").status
    with pytest.raises(gitlab.GitlabCreateError) as error:
        commit.statuses.create({"state": "done"})
    assert (400, "state does not have a valid value") == refusal(error)


def test_an_environment_lives(world):
    """An environment is created, changed, stopped and deleted."""
    project = site(world, "dev")
    environment = project.environments.create({"name": "review/1", "external_url": "https://one.example.test"})
    assert ("review-1", "available") == (environment.slug[:8], environment.state)
    environment.external_url = "https://two.example.test"
    environment.save()
    assert "https://two.example.test" == project.environments.get(environment.id).external_url

    with pytest.raises(gitlab.GitlabDeleteError) as error:
        environment.delete()
    assert 403 == error.value.response_code
    environment.stop()
    assert ["stopped"] == [row.state for row in project.environments.list(name="review/1")]
    environment.delete()
    assert [] == project.environments.list()


def test_a_job_deploys(world):
    """The deployment of a job is listed and belongs to its environment."""
    project = site(world)
    pipeline = finished(started(project))
    publish = jobs(project, pipeline)["publish"]
    publish.play()
    for _ in range(5):
        publish.refresh()

    (deployment,) = project.deployments.list(environment="production")
    assert ("success", "publish", "master") == (deployment.status, deployment.deployable["name"], deployment.ref)
    environment = project.environments.get(deployment.environment["id"])
    assert ("https://site.example.test", deployment.id) == (
        environment.external_url,
        environment.last_deployment["id"],
    )


def test_a_deployment_is_reported(world):
    """Another system reports a deployment and finishes it later."""
    project = site(world, "dev")
    sha = project.commits.get("master").id
    deployment = project.deployments.create(
        {"environment": "staging", "sha": sha, "ref": "master", "tag": False, "status": "running"}
    )
    deployment.status = "success"
    deployment.save()

    assert "success" == project.deployments.get(deployment.id).status
    assert [] == deployment.mergerequests.list()
    assert ["staging"] == [row.name for row in project.environments.list()]


# Deploy keys and deploy tokens


def test_a_deploy_key_lives(world):
    """A deploy key is added, changed, enabled in another project and removed."""
    ada, root = signed_in(world, "ada"), signed_in(world, "root")
    project = ada.projects.get("acme/site")
    key = project.keys.create({"title": "host", "key": KEY})
    key.can_push = True
    key.save()
    assert project.keys.get(key.id).can_push is True

    docs = ada.projects.get("acme/docs")
    docs.keys.enable(key.id)
    assert ["host"] == [row.title for row in docs.keys.list()]
    assert [key.id] == [row.id for row in root.deploykeys.list()]
    key.delete()
    assert [] == project.keys.list()
    with pytest.raises(gitlab.GitlabCreateError) as error:
        project.keys.create({"title": "host", "key": "nonsense"})
    assert 400 == error.value.response_code


def test_deploy_tokens_of_projects_and_groups(world):
    """A deploy token is shown once, and administrators list all deploy tokens."""
    ada, root = signed_in(world, "ada"), signed_in(world, "root")
    containers = [ada.projects.get("acme/site"), ada.groups.get("acme")]
    tokens = [owner.deploytokens.create({"name": "pull", "scopes": ["read_repository"]}) for owner in containers]

    assert all(token.token for token in tokens)
    assert {token.id for token in tokens} == {row.id for row in root.deploytokens.list()}
    for owner, token in zip(containers, tokens, strict=True):
        (row,) = owner.deploytokens.list()
        assert ("pull", ["read_repository"], False) == (row.name, row.scopes, hasattr(row, "token"))
        token.delete()
        assert [] == owner.deploytokens.list()


def test_commands_of_ci_follow_roles(world):
    """A Reporter reads a pipeline but gets 403 when canceling it."""
    pipeline = started(site(world))
    reported = site(world, "rep").pipelines.get(pipeline.id)

    with pytest.raises(gitlab.GitlabPipelineCancelError) as error:
        reported.cancel()
    assert (403, "403 Forbidden") == refusal(error)
    assert user(signed_in(world, "rep"), "mia").id == reported.user["id"]
