"""What recent releases of python-gitlab offer around CI/CD, and old ones do not."""

import gitlab
import pytest
from python_gitlab_ci_suite import CONFIGURATION, configure, site
from python_gitlab_releases import refusal, signed_in

NEWER = {"instance": {"version": "latest"}}


def test_a_feature_flag_lives(world):
    """A feature flag is created with a strategy, switched off, renamed and deleted."""
    project = site(world, "dev")
    strategy = {"name": "gradualRolloutUserId", "parameters": {"groupId": "default", "percentage": "25"}}
    flag = project.feature_flags.create(
        {"name": "dark", "version": "new_version_flag", "strategies": [{**strategy, "scopes": []}]}
    )
    flag.active = False
    flag.save()
    reread = project.feature_flags.get("dark")
    assert (False, "25") == (reread.active, reread.strategies[0]["parameters"]["percentage"])
    assert [] == project.feature_flags.list(scope="enabled")

    reread.name = "darker"
    reread.save()
    assert ["darker"] == [row.name for row in project.feature_flags.list()]
    project.feature_flags.delete("darker")
    with pytest.raises(gitlab.GitlabGetError) as error:
        project.feature_flags.get("darker")
    assert (404, "404 Not found") == refusal(error)


def test_a_user_list_of_feature_flags_lives(world):
    """A user list of feature flags is created, changed, listed and deleted."""
    project = site(world, "dev")
    users = project.feature_flags_user_lists.create({"name": "testers", "user_xids": "one,two"})
    users.user_xids = "one,two,three"
    users.save()

    assert "one,two,three" == project.feature_flags_user_lists.get(users.iid).user_xids
    assert ["testers"] == [row.name for row in project.feature_flags_user_lists.list()]
    users.delete()
    assert [] == project.feature_flags_user_lists.list()


def test_the_newest_pipeline_of_a_branch_is_read(world):
    """`pipelines.latest` returns the newest pipeline of a branch."""
    project = site(world)
    configure(project)

    assert project.pipelines.list()[0].id == project.pipelines.latest(ref="master").id


def test_resource_groups_are_read_and_changed(create_world):
    """On releases after 13.5 the process mode of a resource group can be changed."""
    world = create_world(**NEWER)
    project = site(world)
    configure(project, "release:\n  script: make\n  resource_group: production\n")

    (group,) = project.resource_groups.list()
    assert ("production", "unordered") == (group.key, group.process_mode)
    group.process_mode = "oldest_first"
    group.save()
    assert "oldest_first" == project.resource_groups.get("production").process_mode


def test_all_runners_have_a_manager(world):
    """Administrators list all runners with the manager `runners_all`."""
    project = site(world)
    runner = gitlab.Gitlab(world.url).runners.create({"token": project.runners_token})

    assert [runner.id] == [row.id for row in signed_in(world, "root").runners_all.list()]


def test_the_configuration_of_a_project_is_validated(create_world):
    """The committed configuration or a given text is validated; an invalid text raises an error."""
    project = site(create_world(**NEWER))
    configure(project)

    assert project.ci_lint.get().valid is True
    assert "compile" in project.ci_lint.get().merged_yaml
    project.ci_lint.validate({"content": CONFIGURATION})
    with pytest.raises(gitlab.exceptions.GitlabCiLintError, match=r"config should implement (a|the) script"):
        project.ci_lint.validate({"content": "unit:\n  stage: test\n"})


def test_an_invalid_text_raises(world):
    """`ci_lint.validate` raises GitlabCiLintError for an invalid configuration."""
    client = signed_in(world, "dev")

    client.ci_lint.validate({"content": CONFIGURATION})
    with pytest.raises(gitlab.exceptions.GitlabCiLintError, match=r"config should implement (a|the) script"):
        client.ci_lint.validate({"content": "unit:\n  stage: test\n"})
