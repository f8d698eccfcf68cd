"""Repositories in scenarios: declared by commits, taken over, generated, told again. git is the judge."""

import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import orjson
import pytest

from fakeplat import scenario
from fakeplat.domain.repository import repositories
from fakeplat.git import Repository
from fakeplat.git.bundles import write_bundle
from fakeplat.model.outgoing import Outgoing
from fakeplat.platform import Platform
from fakeplat.scenario import Mistake, ScenarioError
from tests.git.command import Git
from tests.scenario.answers import ANONYMOUS, collect_responses, compare_values
from tests.scenario.worlds import create_platform, create_world, project, reload_export, write
from tests.signals import SentSignals

PICTURE = b"\x89PNG\r\n\x1a\n\0\0"
COMMITS: list[dict[str, Any]] = [
    {
        "message": "first",
        "author": "ada",
        "date": "2020-01-02T03:04:05Z",
        "files": {
            "README.md": "# Site\n",
            "run.sh": {"content": "true\n", "mode": "100755"},
            "link": {"content": "README.md", "mode": 120000},
            "a/pic.png": {"content": b64encode(PICTURE).decode(), "encoding": "base64"},
            "empty": "",
        },
        "tags": ["v0"],
    },
    {
        "message": "work",
        "author": {"name": "Zoë", "email": "zoe@example.test"},
        "branch": "work",
        "from": "v0",
        "files": {"work.py": "print(1)\n"},
    },
    {"message": "more\n\nof it", "branch": "master", "files": {"README.md": "# Site\n\nMore.\n", "a": None}},
    {"message": "merge", "merges": ["work"], "tags": {"v1": "One"}},
]
ZOE = "Zoë <zoe@example.test> 1577934245"
ADA = "Ada Example <ada@example.test> 1577934245"


def build_scenario(repository: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    keys = {} if repository is None else {"repository": repository}
    return {
        "users": [{"username": "ada", "name": "Ada Example"}],
        "groups": [{"path": "acme", "members": {"ada": "owner"}, "projects": [{"path": "site", **keys, **more}]}],
    }


def open_repository(platform: Platform, path: str = "acme/site") -> Repository:
    return repositories.open_repository(platform.view, project(platform.view, path))


def clone_bundle(git: Repository, folder: Path) -> Git:
    """What git makes of a repository that comes to it as a bundle."""
    bundle = folder / "it.bundle"
    bundle.write_bytes(write_bundle(git.objects, git.refs, git.head))
    Git(folder, init=False)("clone", "-q", "--mirror", str(bundle), "clone")
    clone = Git(folder / "clone", init=False)
    clone("fsck", "--strict")
    return clone


def list_refs(git: Git) -> dict[str, str]:
    lines = git.lines("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags")
    return dict(line.split(" ") for line in lines)


def test_declared_commits_are_what_git_reads(tmp_path: Path) -> None:
    """git reads declared commits with their authors, dates, parents, file modes and tags."""
    git = clone_bundle(open_repository(create_platform(build_scenario({"commits": COMMITS}))), tmp_path)

    assert ["first", "work"] == git.lines("log", "--reverse", "--format=%s", "work")
    assert ["first", "more", "merge"] == git.lines("log", "--reverse", "--first-parent", "--format=%s", "master")
    assert git.lines("rev-parse", "master^2", "master^1^1") == git.lines("rev-parse", "work", "v0")
    assert "more\n\nof it" == git("log", "-1", "--format=%B", "master^1").rstrip("\n")
    assert [ADA, ADA] == git.lines("log", "-1", "--format=%an <%ae> %at%n%cn <%ce> %ct", "v0")
    assert [ZOE] == git.lines("log", "-1", "--format=%an <%ae> %at", "work")
    assert ["120000 link", "100644 README.md", "100644 a/pic.png", "100644 empty", "100755 run.sh"] == sorted(
        git.lines("ls-tree", "-r", "--format=%(objectmode) %(path)", "v0"), key=lambda line: not line.endswith("link")
    )
    assert ["README.md", "empty", "link", "run.sh", "work.py"] == git.lines("ls-tree", "--name-only", "master")
    assert (PICTURE, b"README.md") == (git.raw("show", "v0:a/pic.png"), git.raw("show", "v0:link"))
    assert ["commit", "tag"] == [git("cat-file", "-t", name).strip() for name in ("v0", "v1")]
    assert "One" == git("tag", "-l", "--format=%(contents)", "v1").strip()
    assert "refs/heads/master" == git("symbolic-ref", "HEAD").strip()


def test_what_a_project_shows_of_what_is_declared() -> None:
    """A project shows its default branch and README before its declared repository is built."""
    platform = create_platform(build_scenario({"commits": COMMITS}))
    body = write(platform, "PUT", "projects/acme%2Fsite", "ada-token", description="x")
    record = repositories.record_of(platform.view, project(platform.view, "acme/site"))

    assert ("master", False) == (body["default_branch"], body["empty_repo"])
    assert body["readme_url"] == "http://localhost/acme/site/-/blob/master/README.md"
    assert record is not None
    assert record.refs is None


LAZY = """
import sys
from fakeplat import scenario
from fakeplat.core.operations.http_messages import Request
platform = scenario.create_platform(scenario.get_scenario("starter"))
for target in ("projects", "projects/acme%2Fsite", "groups/acme", "projects/acme%2Fsite/issues", "users"):
    assert 200 == platform.handle(Request("GET", f"/api/v4/{target}", headers={"private-token": "root-token"})).status
print(*sys.modules)
"""


def test_git_is_loaded_when_somebody_reads_a_repository() -> None:
    """Serving the starter scenario and listing its projects does not import git modules."""
    done = subprocess.run([sys.executable, "-c", LAZY], capture_output=True, text=True, check=True)
    assert [] == [name for name in done.stdout.split() if name.startswith(("fakeplat.git", "pygit2"))]


@pytest.mark.parametrize(
    ("repository", "more", "expected"),
    [
        ({"commits": [{"message": "x", "files": {"x": "x"}}]}, {}, "master"),
        ({"commits": [{"message": "x", "branch": "main"}]}, {}, "main"),
        ({"commits": [{"message": "x", "branch": "z"}, {"message": "x", "branch": "b"}]}, {}, "b"),
        ({"commits": [{"message": "x", "branch": "z"}, {"message": "x", "branch": "b"}], "head": "z"}, {}, "z"),
        ({"commits": [{"message": "x"}]}, {"default_branch": "trunk"}, "trunk"),
    ],
)
def test_the_default_branch_of_a_declared_repository(
    repository: dict[str, Any], more: dict[str, Any], expected: str
) -> None:
    """The default branch is the declared one, else the instance's, else the first by name."""
    platform = create_platform(build_scenario(repository, **more))
    site_ = project(platform.view, "acme/site")
    protected = platform.view.protected_branches.where("project", site_.id)

    assert expected == site_.default_branch
    assert f"refs/heads/{expected}" == open_repository(platform).head
    assert [expected] == [branch.name for branch in protected]


MISTAKES: list[tuple[Any, str]] = [
    ({"commits": [{"message": "x", "author": "adda"}]}, ".commits[0].author: unknown user 'adda', did you mean 'ada'?"),
    ({"commits": [{"message": "x", "author": {"name": "x"}}]}, ".commits[0].author: needs 'email'"),
    ({"commits": [{"author": "ada"}]}, ".commits[0]: needs 'message'"),
    (
        {"commits": [{"message": "x"}, {"message": "y", "branch": "b", "start": "mster"}]},
        ".commits[1].start: unknown branch or tag 'mster', did you mean 'master'?",
    ),
    ({"commits": [{"message": "x", "merges": ["b"]}]}, ".commits[0].merges[0]: unknown branch or tag 'b'"),
    ({"commits": [{"message": "x", "branch": "a..b"}]}, ".commits[0].branch: invalid branch name 'a..b'"),
    (
        {"commits": [{"message": "x", "branch": "a"}, {"message": "x", "branch": "a/b"}]},
        ".commits[1].branch: branch 'a/b' conflicts with another branch",
    ),
    ({"commits": [{"message": "x", "tags": ["v 1"]}]}, ".commits[0].tags: invalid or conflicting tag name 'v 1'"),
    ({"commits": [{"message": "x", "files": {"../x": ""}}]}, ".commits[0].files['../x']: invalid path '../x'"),
    (
        {"commits": [{"message": "x", "files": {".git/x": ""}}]},
        ".commits[0].files['.git/x']: invalid path '.git/x'",
    ),
    ({"commits": [{"message": "x", "files": {"": ""}}]}, ".commits[0].files['']: invalid path ''"),
    ({"commits": [{"message": "x", "files": {"x": {"encoding": "text"}}}]}, ".commits[0].files.x: needs 'content'"),
    (
        {"commits": [{"message": "x", "files": {"x": {"content": "*", "encoding": "base64"}}}]},
        ".commits[0].files.x.content: must be base64",
    ),
    (
        {"commits": [{"message": "x", "files": {"x": {"content": "", "mode": "777"}}}]},
        ".commits[0].files.x.mode: must be one of 100644, 100755, 120000, 100644, 100755, 120000",
    ),
    (
        {"commits": [{"message": "x", "date": "soon"}]},
        ".commits[0].date: must be a time such as 2020-11-20T09:00:00Z, not 'soon'",
    ),
    (
        {"commits": [{"message": "x", "files": {"a": ""}}, {"message": "y", "files": {"a/b": ""}}]},
        ".commits[1].files: git cannot create the commit: a",
    ),
    (
        {
            "commits": [
                {"message": "x", "files": {"a": "1"}},
                {"message": "y", "branch": "b", "start": "master", "files": {"a": "2"}},
                {"message": "z", "branch": "master", "files": {"a": "3"}},
                {"message": "merge", "merges": ["b"]},
            ]
        },
        ".commits[3].merges: merge conflict in a",
    ),
    (
        {"commits": [{"message": "x", "branch": "master"}], "head": "mastr"},
        ".head: unknown branch 'mastr', did you mean 'master'?",
    ),
    ({"commits": []}, ".commits: needs commits"),
    ({}, ": needs exactly one of commits, path, bundle"),
    ({"path": "x", "bundle": ""}, ": needs exactly one of commits, path, bundle"),
    ({"bundle": "eA=="}, ".bundle: cannot be imported: not a git bundle"),
    ({"path": "nowhere"}, ".path: cannot be imported: not a git repository: "),
]


@pytest.mark.parametrize(("repository", "expected"), MISTAKES)
def test_mistakes_are_reported_with_their_location(tmp_path: Path, repository: dict[str, Any], expected: str) -> None:
    """A mistake in a repository is reported with its file, line and JSON path."""
    file = tmp_path / "it.json"
    file.write_bytes(orjson.dumps(build_scenario(repository), option=orjson.OPT_INDENT_2))
    (mistake,) = scenario.check_file(file)

    assert str(file) == mistake.file
    assert mistake.line is not None
    assert (
        f"$.groups[0].projects[0].repository{expected}"
        == str(mistake._replace(file=None, line=None))[: len("$.groups[0].projects[0].repository") + len(expected)]
    )


PROTECTION: list[tuple[str, Any, str]] = [
    (
        "protected_branches",
        [{"name": "x", "push_access_levels": ["boss"]}],
        "[0].push_access_levels[0]: must be one of",
    ),
    (
        "protected_branches",
        [{"name": "x", "push_access_levels": [{"user": "adda"}]}],
        "[0].push_access_levels: unknown user 'adda', did you mean 'ada'?",
    ),
    (
        "protected_tags",
        [{"name": "x", "create_access_levels": [{"group": "amce"}]}],
        "[0].create_access_levels: unknown group 'amce', did you mean 'acme'?",
    ),
    ("protected_tags", ["x", "x"], "[1]: 'x' is listed twice"),
]


@pytest.mark.parametrize(("key", "value", "expected"), PROTECTION)
def test_what_is_wrong_with_a_protection(key: str, value: Any, expected: str) -> None:
    """A mistake in a protected branch or tag is reported with its JSON path."""
    with pytest.raises(ScenarioError) as error:
        create_platform(build_scenario(**{key: value}))
    (mistake,) = error.value.mistakes
    assert f"$.groups[0].projects[0].{key}{expected}" in str(mistake)


def test_protections_are_what_is_listed() -> None:
    """Listed protections default to maintainers and replace the protection of the default branch."""
    levels = {
        "push_access_levels": ["no one", "developer", {"user": "ada"}],
        "merge_access_levels": [{"group": "acme"}],
    }
    protections = {
        "protected_branches": [{"name": "v*", **levels}, "w"],
        "protected_tags": [{"name": "t*", "create_access_levels": ["admin"]}],
    }
    seen = create_world({**build_scenario({"commits": COMMITS}, **protections), "instance": {"tier": "premium"}})
    ada, acme = seen.users.find("username", "ada"), seen.namespaces.find("place", (None, "acme"))
    assert ada is not None
    assert acme is not None
    first, second = seen.protected_branches.all()
    (tag,) = seen.protected_tags.all()

    assert [0, 30, ada.id] == [access.user_id or access.level for access in first.push]
    assert [acme.id] == [access.group_id for access in first.merge]
    assert ("w", [40], [40]) == (second.name, [a.level for a in second.push], [a.level for a in second.merge])
    assert ("t*", [60]) == (tag.name, [a.level for a in tag.create])


VIEWERS = ("root", "ada", "dev", "gus", ANONYMOUS)


def create_changed_platform() -> Platform:
    """Something changed in each of two repositories, so that they are told as bundles."""
    platform = create_platform({"extends": "starter", "users": [{"username": "ada", "name": "Ada Renamed"}]})
    branch = {"branch": "later", "ref": "v1.0"}
    write(platform, "POST", "projects/acme%2Fsite/repository/branches", "dev-token", **branch)
    tag = {"tag_name": "v2", "ref": "feature", "message": "Two"}
    write(platform, "POST", "projects/acme%2Fsite/repository/tags", "dev-token", **tag)
    write(platform, "PUT", "projects/acme%2Fsite", "ada-token", default_branch="later")
    write(platform, "POST", "projects/acme%2Fsite/protected_branches", "ada-token", name="r/*", push_access_level=0)
    write(platform, "POST", "projects/acme%2Fsite/protected_tags", "ada-token", name="v*")
    return platform


def test_a_changed_repository_answers_the_same_after_a_round_trip() -> None:
    """Every GET of every viewer and every hash of a changed repository is the same after a round trip."""
    platform = create_changed_platform()
    projects = scenario.export_world(platform)["projects"]

    assert {"acme/site": {"bundle"}, "acme/docs": {"commits"}} == {
        project["path_with_namespace"]: set(project["repository"])
        for project in projects
        if project["path_with_namespace"] in ("acme/site", "acme/docs")
    }
    assert [] == list(
        compare_values(collect_responses(platform, VIEWERS), collect_responses(reload_export(platform), VIEWERS))
    )
    assert dict(open_repository(platform).refs) == dict(open_repository(reload_export(platform)).refs)


@pytest.mark.parametrize(
    "repository",
    [
        build_scenario({"commits": COMMITS}),
        {"extends": "starter", "generate": [{"into": "acme/docs", "commits": 30, "branches": 4, "tags": 3}]},
    ],
)
def test_hashes_are_the_same_after_a_round_trip(repository: dict[str, Any]) -> None:
    """A declared repository is exported as declared and has the same hashes when loaded."""
    platform = create_platform(repository)
    twin = reload_export(platform)

    for project_ in platform.view.projects.all():
        path = "acme/site" if project_.path == "site" else "acme/docs" if project_.path == "docs" else ""
        if path:
            assert dict(open_repository(platform, path).refs) == dict(open_repository(twin, path).refs)
    assert scenario.export_world(platform)["projects"] == scenario.export_world(twin)["projects"]


@pytest.mark.parametrize("bare", [True, False])
def test_a_repository_from_the_disk_is_taken_over(tmp_path: Path, bare: bool) -> None:
    """A repository on disk, relative to the file, is loaded with all its branches, its tags and its HEAD."""
    work = Git(tmp_path / "work")
    work.commit("one", {"README": "x"})
    work("checkout", "-q", "-b", "trunk")
    work.commit("two", {"b.rb": "puts 1"})
    work("tag", "-a", "v1", "-m", "One")
    path = "work"
    if bare:
        work("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
        path = "bare.git"
    file = tmp_path / "it.json"
    file.write_bytes(orjson.dumps(build_scenario({"path": path})))
    platform = create_platform(file)
    site_ = project(platform.view, "acme/site")

    assert list_refs(work) == dict(open_repository(platform).refs)
    assert ("trunk", "refs/heads/trunk") == (site_.default_branch, open_repository(platform).head)
    assert list_refs(work) == dict(open_repository(reload_export(platform)).refs)


def test_a_bundle_is_taken_over(tmp_path: Path) -> None:
    """A bundle is loaded from a file or from inline text, and `head` selects the default branch."""
    work = Git(tmp_path / "work")
    work.commit("one", {"README": "x"})
    work("branch", "other")
    work("bundle", "create", str(tmp_path / "it.bundle"), "--all")
    inside = create_platform(
        build_scenario({"bundle": b64encode((tmp_path / "it.bundle").read_bytes()).decode(), "head": "other"})
    )
    file = tmp_path / "it.json"
    file.write_bytes(orjson.dumps(build_scenario({"path": "it.bundle"})))

    assert list_refs(work) == dict(open_repository(inside).refs) == dict(open_repository(create_platform(file)).refs)
    assert "other" == project(inside.view, "acme/site").default_branch
    assert "master" == project(create_platform(file).view, "acme/site").default_branch


def test_a_bundle_whose_default_branch_is_not_there() -> None:
    """A bundle whose `head` is an unknown branch is refused with the nearest branch."""
    git = open_repository(create_platform(build_scenario({"commits": COMMITS})))
    content = write_bundle(git.objects, git.refs)
    with pytest.raises(ScenarioError, match="unknown branch 'mastr', did you mean 'master'"):
        create_platform(build_scenario({"bundle": b64encode(content).decode(), "head": "mastr"}))


def test_a_piece_of_a_scenario_puts_another_repository_in_the_place_of_one(sent_signals: SentSignals) -> None:
    """A fragment replaces the repository of a project without a push."""
    platform, sent = create_platform("starter"), list[Outgoing]()
    platform.outgoing_handlers.append(sent.append)
    piece = {"path_with_namespace": "acme/site", "repository": {"commits": [{"message": "anew", "author": "ada"}]}}
    scenario.load(platform, {"projects": [piece]})

    assert ["refs/heads/master"] == list(open_repository(platform).refs)
    assert "anew" == open_repository(platform).commit().message
    assert ([], [], []) == (sent, sent_signals.list_records("post_push"), sent_signals.list_records("ref_moved"))


def test_a_piece_of_a_scenario_moves_the_default_branch() -> None:
    """A fragment changes the default branch to an existing branch and refuses an unknown one."""
    platform = create_platform("starter")
    scenario.load(platform, {"projects": [{"path_with_namespace": "acme/site", "default_branch": "feature"}]})
    with pytest.raises(ScenarioError) as error:
        scenario.load(platform, {"projects": [{"path_with_namespace": "acme/site", "default_branch": "featur"}]})

    assert "refs/heads/feature" == open_repository(platform).head
    assert [Mistake("unknown branch 'featur'", ("projects", 0, "default_branch"), "feature")] == [*error.value.mistakes]


GENERATED = {"extends": "starter", "generate": [{"groups": 1, "projects": 2, "commits": 61, "branches": 9, "tags": 5}]}


def generate_repositories(seed: int = 0) -> dict[str, dict[str, str]]:
    platform = create_platform(GENERATED, seed=seed)
    there = {project.id for project in create_world("starter").projects.all()}
    new = [project for project in platform.view.projects.all() if project.id not in there]
    return {project.path: dict(repositories.open_repository(platform.view, project).refs) for project in new}


def test_the_seed_decides_a_history() -> None:
    """The same seed generates the same hashes, and another seed generates others."""
    assert generate_repositories(1) == generate_repositories(1)
    assert {*generate_repositories(1)} != {*generate_repositories(2)}


def test_as_many_are_made_as_are_asked_for(tmp_path: Path) -> None:
    """The requested commits, branches and tags are generated and spread over the projects."""
    platform = create_platform(GENERATED)
    new = list(platform.view.projects.all())[-2:]
    for number, project_ in enumerate(new):
        git = repositories.open_repository(platform.view, project_)
        folder = tmp_path / str(number)
        folder.mkdir()
        clone = clone_bundle(git, folder)
        expected = ((31, 6, 3), (30, 5, 2))[number]
        counted = int(clone("rev-list", "--count", "--all"))
        assert expected == (counted, len(git.branches()), len(git.tags()))
        assert {"master"} <= set(git.branches())
        assert 0 < int(clone("rev-list", "--count", "--merges", "master"))
        assert sorted(clone.lines("log", "--format=%ct", "--first-parent", "master"), reverse=True) == clone.lines(
            "log", "--format=%ct", "--first-parent", "master"
        )


def test_a_history_goes_on_from_what_is_declared() -> None:
    """Generated commits continue a declared history and keep its branches, tags and README."""
    platform = create_platform(
        {"extends": "starter", "generate": [{"into": "acme/site", "commits": 20, "branches": 2, "tags": 1}]}
    )
    git, before = open_repository(platform), open_repository(create_platform("starter"))

    assert {"feature", "master"} <= set(git.branches())
    assert before.refs["refs/tags/v1.0"] == git.refs["refs/tags/v1.0"]
    assert git.is_ancestor(before.refs["refs/heads/master"], "master")
    assert 5 == len(git.branches())
    assert before.file("master", "README.md") == git.file("master", "README.md")


def test_many_commits_cost_nothing_until_they_are_read() -> None:
    """Generated commits are not even declared until somebody reads the repository."""
    platform = create_platform({"extends": "starter", "generate": [{"into": "acme/tools/kit", "commits": 1000}]})
    record = repositories.record_of(platform.view, project(platform.view, "acme/tools/kit"))

    assert record is not None
    assert record.declared is not None
    assert "commits" not in vars(record.declared)
    assert 1001 == open_repository(platform, "acme/tools/kit").count()


@pytest.mark.parametrize(
    ("repository", "expected"),
    [
        ({"into": "bob", "commits": 1}, "$.generate[0].commits: commits need projects, or 'into' with a project"),
        (
            {"into": "acme/docs", "commits": 2, "branches": 2},
            "$.generate[0].branches: a project with 2 branches needs more than 2 commits",
        ),
        ({"into": "acme/docs", "tags": 2}, "$.generate[0].tags: tags need commits"),
    ],
)
def test_a_history_that_cannot_be(repository: dict[str, Any], expected: str) -> None:
    """An impossible generated history is refused with the path of its entry."""
    with pytest.raises(ScenarioError) as error:
        create_platform({"extends": "starter", "generate": [repository]})
    assert [expected] == [str(mistake) for mistake in error.value.mistakes]


def test_a_bundle_is_not_gone_on_with() -> None:
    """Commits cannot be generated into a repository that was loaded from a bundle."""
    git = open_repository(create_platform(build_scenario({"commits": COMMITS})))
    document = build_scenario({"bundle": b64encode(write_bundle(git.objects, git.refs)).decode()})
    with pytest.raises(ScenarioError, match="can only be added to a repository that is declared by its commits"):
        create_platform({**document, "generate": [{"into": "acme/site", "commits": 2}]})


def test_the_repositories_of_the_starter(tmp_path: Path) -> None:
    """Each starter project has a README and a CI file; acme/site also has the branches feature and readme and a tag."""
    platform = create_platform("starter")
    paths = ("acme/site", "acme/docs", "acme/tools/kit", "ada/notes")
    for number, path in enumerate(paths):
        (tmp_path / str(number)).mkdir()
        clone_bundle(open_repository(platform, path), tmp_path / str(number))
        assert {"README.md", ".gitlab-ci.yml"} <= set(open_repository(platform, path).file_paths("master"))
        assert len(open_repository(platform, path).languages()) >= 2
    git = open_repository(platform)

    assert (["feature", "master", "readme"], ["v1.0"]) == (list(git.branches()), list(git.tags()))
    assert (1, 1) == git.ahead_behind("feature", "master")
    assert git.file("master", "public/logo.png").startswith(b"\x89PNG")


def test_the_starter_takes_the_instances_default_branch() -> None:
    """The default branch of acme/site in the starter scenario is that of the instance."""
    platform = create_platform("starter", instance={"default_branch": "main"})

    git = open_repository(platform)
    assert (["feature", "main", "readme"], "refs/heads/main") == (list(git.branches()), git.head)
    assert "main" == project(platform.view, "acme/site").default_branch
