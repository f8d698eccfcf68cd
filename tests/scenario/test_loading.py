"""How scenarios become worlds: order, references, what builds on what, fragments in living worlds, determinism."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from fakeplat import scenario
from fakeplat.model.outgoing import Outgoing
from fakeplat.model.people import Group
from fakeplat.platform import Platform
from fakeplat.scenario import ScenarioError
from tests.architecture.sources import ROOT
from tests.scenario.rich import RICH
from tests.scenario.worlds import (
    create_platform,
    create_world,
    get_group,
    get_user,
    list_levels,
    list_tokens,
    project,
    write,
)


def test_references_may_come_before_what_they_name() -> None:
    """A share, a member and a fork may refer to a group, user or project that is declared later."""
    document = {
        "projects": [{"path_with_namespace": "zoe/fork", "forked_from_project": "acme/site"}],
        "groups": [
            {
                "path": "acme",
                "members": {"zoe": "owner"},
                "shared_with_groups": {"late": 30},
                "projects": [{"path": "site"}],
            },
            {"full_path": "late/inner"},
            {"path": "late", "members": {"yan": 50}},
        ],
        "users": ["zoe", "yan"],
    }
    seen = create_world(document)

    assert project(seen, "acme/site").id == project(seen, "zoe/fork").forked_from_id
    assert get_group(seen, "late").id == get_group(seen, "late/inner").parent_id
    assert [(("group", get_group(seen, "acme").id), get_group(seen, "late").id)] == [
        (s.source, s.group_id) for s in seen.shares
    ]


def test_nested_and_flat_forms_mean_the_same() -> None:
    """A group or project may be nested in its owner or stand at the top with its full path."""
    nested = {"groups": [{"path": "a", "groups": [{"path": "b", "projects": [{"path": "c"}]}]}]}
    flat = {"groups": [{"full_path": "a"}, {"full_path": "a/b"}], "projects": [{"path_with_namespace": "a/b/c"}]}

    assert scenario.export_world(create_platform(nested)) == scenario.export_world(create_platform(flat))


def test_things_are_made_in_the_order_of_the_document() -> None:
    """Records are created in the order in which the document lists them."""
    document = {
        "users": ["c", "a", "b"],
        "groups": [{"path": "z", "projects": [{"path": "q"}, {"path": "p"}]}, {"path": "y"}],
    }
    seen = create_world(document)

    assert ["root", "c", "a", "b", "z", "y"] == [space.path for space in seen.namespaces.all()]
    assert ["q", "p"] == [project.path for project in seen.projects.all()]


def test_a_projects_creator_is_who_owns_its_group() -> None:
    """A project's creator defaults to the first owner of a group above, or else to the administrator."""
    document = {
        "users": ["zoe", "yan"],
        "groups": [
            {
                "path": "owned",
                "members": {"yan": 30, "zoe": 50},
                "groups": [{"path": "in", "projects": [{"path": "a"}]}],
            },
            {
                "path": "free",
                "projects": [{"path": "b"}, {"path": "c", "creator": "yan"}, {"path": "d", "members": {"zoe": 20}}],
            },
        ],
    }
    seen = create_world(document)
    creators = [seen.users[project.creator_id or 0].username for project in seen.projects.all()]

    assert ["zoe", "root", "yan", "root"] == creators
    assert [{}, {"root": 40}, {"yan": 40}, {"zoe": 20}] == [
        list_levels(seen, project) for project in seen.projects.all()
    ]


def test_everything_is_made_at_the_start_of_the_clock() -> None:
    """Records are created at 2020-11-20T09:00:00Z unless the scenario or the caller gives another start."""
    document = {"clock": {"start": "2021-02-03"}, "users": ["zoe"]}

    assert "2020-11-20T09:00:00.000Z" == get_user(create_world({"users": ["zoe"]}), "zoe").created_at
    assert "2021-02-03T00:00:00.000Z" == get_user(create_world(document), "zoe").created_at
    assert (
        "2022-01-01T10:00:00.000Z"
        == get_user(create_world(document, start="2022-01-01T12:00:00+02:00"), "zoe").created_at
    )


def test_the_clock_is_the_scenarios_or_the_callers() -> None:
    """The caller's clock options override the scenario's; the default is a virtual clock with a tick of 1 ms."""
    document = {"clock": {"kind": "auto", "tick": "2s"}}
    clocks = [
        create_platform({}).clock,
        create_platform(document).clock,
        create_platform(document, kind="virtual", tick=7).clock,
    ]

    assert [("virtual", 1), ("auto", 2000), ("virtual", 7)] == [(clock.kind, clock.tick) for clock in clocks]


def test_instance_and_seed_are_the_scenarios_or_the_callers() -> None:
    """The caller's instance keys and seed override those of the scenario, each key separately."""
    document = {"instance": {"tier": "premium", "hosted": True}, "seed": 3}
    seen, other = create_world(document), create_world(document, instance={"tier": "ultimate"}, seed=4)

    assert ("premium", True, 3) == (seen.instance.tier, seen.instance.hosted, seen.setup.seed)
    assert ("ultimate", True, 4) == (other.instance.tier, other.instance.hosted, other.setup.seed)
    assert "inline" == seen.setup.scenario


def test_the_throttle_of_the_instance_is_where_the_settings_begin() -> None:
    """`instance.throttle` is the initial value of the throttle_* settings."""
    settings = create_world({"instance": {"throttle": {"requests": 5, "period": "1m"}}}).settings

    assert settings.throttle_unauthenticated_enabled
    assert settings.throttle_authenticated_api_enabled
    assert (5, 60) == (
        settings.throttle_authenticated_api_requests_per_period,
        settings.throttle_authenticated_api_period_in_seconds,
    )


def test_settings_have_both_their_names() -> None:
    """A setting with two names in the API can be declared by either name."""
    assert not create_world({"settings": {"gravatar_enabled": False}}).settings.gravatar_enabled
    assert not create_world({"settings": {"avatarservice_enabled": False}}).settings.gravatar_enabled


# extends


def test_a_scenario_builds_on_another(tmp_path: Path) -> None:
    """A scenario changes what it names again, adds what is new, merges maps and replaces plain lists."""
    (tmp_path / "first.yaml").write_text(
        "instance: {tier: premium, hosted: true}\n"
        "users: [ada, dev]\n"
        "groups:\n  - path: acme\n    members: {ada: owner, dev: guest}\n"
        "    projects: [{path: site, tag_list: [a, b], description: old}]\n",
        "utf-8",
    )
    (tmp_path / "second.yaml").write_text(
        "extends: first\ninstance: {tier: ultimate}\n"
        "users: [{username: ada, name: Ada}, eve]\n"
        "groups:\n  - path: acme\n    description: new\n    members: {dev: developer, eve: reporter}\n"
        "    projects: [{path: site, tag_list: [c]}, {path: docs}]\n",
        "utf-8",
    )
    seen = create_from_folder(tmp_path, "second").view

    assert ("ultimate", True, "second") == (seen.instance.tier, seen.instance.hosted, seen.setup.scenario)
    assert ["root", "ada", "dev", "eve"] == [user.username for user in seen.users.all()]
    assert "Ada" == get_user(seen, "ada").name
    assert "new" == get_group(seen, "acme").description
    assert {"ada": 50, "dev": 30, "eve": 20} == list_levels(seen, get_group(seen, "acme"))
    assert (("c",), "old") == (project(seen, "acme/site").tag_list, project(seen, "acme/site").description)
    assert ["site", "docs"] == [project.path for project in seen.projects.all()]


def create_from_folder(folder: Path, name: str) -> Platform:
    return scenario.create_platform(scenario.get_scenario(name, [folder]))


def test_a_scenario_of_a_builtin_name_can_build_on_that(tmp_path: Path) -> None:
    """A file named `starter` can extend the built-in `starter`."""
    (tmp_path / "starter.yaml").write_text("extends: starter\nusers: [new]\n", "utf-8")
    seen = create_from_folder(tmp_path, "starter").view

    assert ["bob", "new"] == [user.username for user in seen.users.all()][-2:]


def test_a_group_may_become_less_visible_with_what_is_in_it() -> None:
    """A group, its subgroups and its projects can become private in one scenario."""
    document = {
        "extends": "starter",
        "groups": [
            {
                "path": "acme",
                "visibility": "private",
                "projects": [{"path": "docs", "visibility": "private"}],
                "groups": [
                    {"path": "tools", "visibility": "private", "projects": [{"path": "kit", "visibility": "private"}]}
                ],
            }
        ],
    }
    seen = create_world(document)

    assert {"private"} == {project.visibility for project in seen.projects.all()}
    assert {"private"} == {get_group(seen, path).visibility for path in ("acme", "acme/tools")}


# states that come about over time


def test_a_marked_project_may_be_unarchived_again() -> None:
    """Marking a project for deletion archives it, unless the scenario says that it is not archived."""
    marked = {"path": "a", "marked_for_deletion_on": "2020-11-19"}
    seen = create_world(
        {"users": [{"username": "zoe", "projects": [marked, {**marked, "path": "b", "archived": False}]}]}
    )

    assert [True, False] == [project.archived for project in seen.projects.all()]


def test_a_marked_group_goes_when_its_period_is_over() -> None:
    """A group that is marked for deletion is deleted at the end of its period."""
    platform = create_platform(
        {
            "instance": {"tier": "premium"},
            "settings": {"deletion_adjourned_period": 7},
            "groups": [{"path": "old", "marked_for_deletion_on": "2020-11-19"}, {"path": "new"}],
        }
    )
    assert "2020-11-19" == get_group(platform.view, "old").marked_for_deletion_on
    platform.settle()

    assert ["new"] == [group.path for group in platform.view.namespaces.all() if isinstance(group, Group)]


def test_what_a_group_or_project_refers_to_may_go() -> None:
    """Deleting a user or project clears the references to it from groups and projects."""
    platform = create_platform(
        {
            "users": [{"username": "zoe", "projects": [{"path": "t"}]}],
            "groups": [
                {"path": "acme", "file_template_project": "zoe/t", "projects": [{"path": "m", "mirror_user": "zoe"}]}
            ],
        }
    )
    write(platform, "DELETE", f"users/{get_user(platform.view, 'zoe').id}", "root-token")

    assert get_group(platform.view, "acme").file_template_project_id is None
    assert project(platform.view, "acme/m").mirror_user_id is None


def test_a_member_may_have_less_than_what_came_later_from_above() -> None:
    """A project member may have a lower level than as an owner of the group above."""
    document = {
        "users": ["zoe"],
        "groups": [
            {"path": "a", "members": {"zoe": "owner"}, "projects": [{"path": "p", "members": {"zoe": "guest"}}]}
        ],
    }

    assert {"zoe": 10} == list_levels(create_world(document), project(create_world(document), "a/p"))


# fragments


def test_a_fragment_adds_to_a_living_world() -> None:
    """A fragment creates new records at the current time and changes existing ones."""
    platform = create_platform("starter")
    platform.advance(86_400_000)
    scenario.load(
        platform,
        {
            "users": ["zoe", {"username": "eve", "bio": "here"}],
            "groups": [
                {
                    "path": "acme",
                    "members": {"zoe": "developer"},
                    "projects": [{"path": "site", "description": "ours"}, {"path": "fresh"}],
                }
            ],
            "projects": [{"path_with_namespace": "acme/tools/more", "starrers": ["zoe"]}],
        },
    )
    seen = platform.view

    assert ("here", "ours") == (get_user(seen, "eve").bio, project(seen, "acme/site").description)
    assert 30 == list_levels(seen, get_group(seen, "acme"))["zoe"]
    assert ["2020-11-21T09:00:00.000Z"] * 3 == [
        get_user(seen, "zoe").created_at,
        project(seen, "acme/fresh").created_at,
        next(member.created_at for member in seen.members.where("user", get_user(seen, "zoe").id)),
    ]
    assert ["eve-token"] == [token.value for token in list_tokens(seen, "eve")]
    assert "eve-password" == get_user(seen, "eve").password


@pytest.mark.parametrize(
    "bad",
    [
        {"users": ["zoe"], "groups": [{"path": "acme", "members": {"nobody": "guest"}}]},
        {"users": ["zoe"], "groups": [{"path": "acme", "color": "red"}]},
        {"users": ["zoe", {"username": "yan", "email": "zoe@example.test"}]},
    ],
)
def test_a_fragment_is_added_whole_or_not_at_all(bad: dict[str, Any]) -> None:
    """A fragment with a mistake leaves the world unchanged."""
    platform = create_platform("starter")
    before = platform.state

    with pytest.raises(ScenarioError):
        scenario.load(platform, bad)
    assert before is platform.state


@pytest.mark.parametrize("key", ["instance", "seed", "clock", "extends"])
def test_a_fragment_cannot_change_what_a_world_was_set_up_with(key: str) -> None:
    """A fragment with `instance`, `seed`, `clock` or `extends` is refused."""
    value = {"instance": {}, "seed": 1, "clock": {}, "extends": "empty"}[key]

    with pytest.raises(ScenarioError, match=rf"\$\.{key}: '{key}' cannot be changed after the world has started"):
        scenario.load(create_platform("empty"), {key: value})


def test_a_fragment_sends_nothing() -> None:
    """Loading a fragment sends no webhook and no mail and records no event."""
    platform, sent = create_platform("starter"), list[Outgoing]()
    scenario.load(platform, {"system_hooks": [{"url": "https://x.test"}]})
    platform.outgoing_handlers.append(sent.append)
    before = list(platform.view.events.all())
    scenario.load(platform, {"users": ["zoe"], "projects": [{"path_with_namespace": "zoe/tool", "issues": ["One"]}]})

    assert ([], before) == (sent, list(platform.view.events.all()))


def test_a_fragment_is_not_refused_by_the_settings_of_the_world() -> None:
    """A fragment may contain passwords and visibilities that the settings forbid."""
    platform = create_platform(
        {"settings": {"minimum_password_length": 100, "restricted_visibility_levels": ["public"]}}
    )
    scenario.load(platform, {"users": ["zoe"], "groups": [{"path": "acme", "visibility": "public"}]})

    assert (100, ("public",)) == (
        platform.view.settings.minimum_password_length,
        platform.view.settings.restricted_visibility_levels,
    )
    assert "zoe-password" == get_user(platform.view, "zoe").password


# once per process, the same in each


def test_a_world_is_made_once_per_process() -> None:
    """Scenarios with equal content and options share one state; other options have another state."""
    starter = scenario.get_scenario("starter")

    assert scenario.base_world(starter).state is scenario.base_world(scenario.get_scenario("starter")).state
    assert scenario.base_world(starter, seed=1).state is not scenario.base_world(starter, seed=2).state
    assert (
        scenario.base_world(scenario.get_scenario({"users": ["a"]})).state
        is scenario.base_world(scenario.get_scenario({"users": ["a"]})).state
    )


def test_platforms_of_one_world_are_apart() -> None:
    """A change of one platform does not appear in another platform of the same scenario."""
    first, other = create_platform("starter"), create_platform("starter")
    scenario.load(first, {"users": ["zoe"]})

    assert (10, 9) == (len(first.view.users), len(other.view.users))


def test_the_same_scenario_and_seed_make_the_same_world_in_any_process() -> None:
    """The exported world does not depend on the hash seed or the time zone of the process."""
    code = (
        "import orjson; from fakeplat import scenario; from tests.scenario.rich import RICH;"
        "platform = scenario.create_platform(scenario.get_scenario(RICH), seed=11);"
        "print(orjson.dumps(scenario.export_world(platform)).decode())"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    ]

    assert outputs[0] == outputs[1]
    assert orjson.loads(outputs[0]) == orjson.loads(orjson.dumps(scenario.export_world(create_platform(RICH, seed=11))))


def test_another_seed_makes_other_secrets() -> None:
    """Another seed gives a group another runners token."""
    assert (
        get_group(create_world("starter", seed=1), "acme").runners_token
        != get_group(create_world("starter", seed=2), "acme").runners_token
    )
