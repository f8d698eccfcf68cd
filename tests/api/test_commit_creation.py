"""Commits that are created from actions on files. Source: docs/platform/commits.md ('Create'). git itself."""

from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.histories import copy_repository, ls_tree, set_repository
from tests.api.requests import FORBIDDEN, Outcome, invalid, names, outcome, refusal, resource_not_found
from tests.git.command import Git
from tests.signals import SentSignals

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=COMPANY)]

SITE, DOCS = "projects/acme%2Fsite", "projects/acme%2Fdocs"
COMMITS, FILES, TREE = (f"{SITE}/repository/{name}" for name in ("commits", "files", "tree"))
NO_PUSH: Outcome = (403, {"message": "403 Forbidden - You are not allowed to push into this branch"})
NINE_O_CLOCK = 1_605_862_800
NEW: dict[str, Any] = {"action": "create", "file_path": "new.txt", "content": "new\n"}


def bad_request(text: str) -> Outcome:
    return 400, {"message": text}


def create_commit(fake: Fakeplat, *actions: dict[str, Any], who: str = "mia", **more: Any) -> dict[str, Any]:
    body = {"branch": "master", "commit_message": "change", "actions": list(actions), **more}
    reply = fake.as_user(who).post(COMMITS, json=body)
    assert 201 == reply.status, reply.text
    new_commit: dict[str, Any] = reply.json()
    return new_commit


def read_raw(fake: Fakeplat, path: str, ref: str = "master") -> bytes:
    reply = fake.as_user("rep").get(f"{FILES}/{path.replace('/', '%2F')}/raw?ref={ref}")
    assert 200 == reply.status, reply.text
    return reply.content


def list_modes(fake: Fakeplat, ref: str = "master") -> dict[str, str]:
    rows = fake.as_user("rep").get(f"{TREE}?recursive=true&per_page=100&ref={ref}").json()
    return {row["path"]: row["mode"] for row in rows if row["type"] != "tree"}


def get_head(fake: Fakeplat, ref: str = "master") -> str:
    return str(fake.as_user("rep").get(f"{COMMITS}/{ref}").json()["id"])


def test_all_actions_in_one_commit(fakeplat: Fakeplat, rich_git: Git, tmp_path: Path) -> None:
    """The tree is the one that git makes of the same changes; the answer is the commit with its stats."""
    git = copy_repository(rich_git, tmp_path)
    set_repository(fakeplat, git)
    new_commit = create_commit(
        fakeplat,
        {"action": "create", "file_path": "a/b/new.txt", "content": "new\n"},
        {"action": "update", "file_path": "with space", "content": "other\n"},
        {"action": "move", "file_path": "moved/again.py", "previous_path": "src/moved.py"},
        {"action": "move", "file_path": "sides.txt", "previous_path": "side.txt", "content": "sides\n"},
        {"action": "delete", "file_path": "src/deep/er/x.txt"},
        {"action": "chmod", "file_path": "other.txt", "execute_filemode": True},
    )
    git("reset", "-q", "--hard")
    moved = (git.path / "src/moved.py").read_bytes()
    git.write({"a/b/new.txt": "new\n", "with space": "other\n", "moved/again.py": moved, "sides.txt": "sides\n"})
    git("rm", "-q", "src/moved.py", "side.txt", "src/deep/er/x.txt")
    (git.path / "other.txt").chmod(0o755)
    git("add", "-A", "--", ".", ":!module")
    tree = git("write-tree").strip()

    assert {row["path"]: row["mode"] for row in ls_tree(git, "-r", tree)} == list_modes(fakeplat)
    assert git("diff", "-M", "--shortstat", "HEAD", tree).split()[3::2] == [
        str(new_commit["stats"]["additions"]),
        str(new_commit["stats"]["deletions"]),
    ]
    assert [git.sha()] == new_commit["parent_ids"]
    assert get_head(fakeplat) == new_commit["id"]


def test_a_commit_is_the_one_that_git_would_make(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """Git finds the same hash for the same words."""
    new_commit = create_commit(fakeplat, NEW, author_name="Somebody Else", author_email="else@example.test")
    git = Git(tmp_path / "work")
    blob = git("hash-object", "-w", "--stdin", stdin=b"new\n").strip()
    tree = git("mktree", stdin=f"100644 blob {blob}\tnew.txt\n".encode()).strip()
    mia = fakeplat.world.user("mia")
    content = (
        f"tree {tree}\nauthor Somebody Else <else@example.test> {NINE_O_CLOCK} +0000\n"
        f"committer {mia.name} <{mia.email}> {NINE_O_CLOCK} +0000\n\nchange"
    )

    assert git("hash-object", "-t", "commit", "--stdin", stdin=content.encode()).strip() == new_commit["id"]


def test_the_author_and_the_committer(fakeplat: Fakeplat) -> None:
    """The caller is the committer, and the author unless another one is named."""
    mia = fakeplat.world.user("mia")
    own = create_commit(fakeplat, NEW)
    named = create_commit(fakeplat, {**NEW, "file_path": "b"}, author_name="N", author_email="n@example.test")
    keys = ("author_name", "author_email", "committer_name", "committer_email")

    assert [mia.name, mia.email] * 2 == [own[key] for key in keys]
    assert ["N", "n@example.test", mia.name, mia.email] == [named[key] for key in keys]
    assert own["committed_date"] == own["created_at"] == "2020-11-20T09:00:00.000+00:00"


def test_the_first_commit_makes_the_default_branch(fakeplat: Fakeplat) -> None:
    """The first commit creates the default branch and protects it as the settings say."""
    new_commit = create_commit(fakeplat, NEW, branch="trunk")
    body = {"branch": "trunk", "commit_message": "m", "actions": [{**NEW, "file_path": "b"}]}

    assert ([], "trunk") == (new_commit["parent_ids"], fakeplat.as_user("rep").get(SITE).json()["default_branch"])
    assert NO_PUSH == refusal(fakeplat, "dev", "POST", COMMITS, json=body)
    assert 201 == fakeplat.as_user("mia").post(COMMITS, json=body).status


def test_tags_alone_make_no_branch(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A repository without a branch takes its first commit."""
    git = Git(tmp_path / "work")
    git.commit("tagged", {"x": "x"})
    git("tag", "old")
    git("checkout", "-q", "--detach")
    git("branch", "-D", "master")
    set_repository(fakeplat, git)

    assert [] == create_commit(fakeplat, NEW)["parent_ids"]


CONTENTS = [b"", b"text\n", b"no newline", b"one\r\ntwo\r\n", bytes(range(256)) * 40, "grüße ñandú 🎉".encode()]


@pytest.mark.parametrize("content", CONTENTS, ids=range(len(CONTENTS)))
def test_contents_are_stored_exactly(fakeplat: Fakeplat, content: bytes) -> None:
    """Contents are stored exactly, base64 by byte and text by character."""
    create_commit(fakeplat, {**NEW, "content": b64encode(content).decode(), "encoding": "base64"})
    assert content == read_raw(fakeplat, "new.txt")
    if b"\xff" not in content:
        create_commit(fakeplat, {**NEW, "file_path": "again.txt", "content": content.decode(), "encoding": "text"})
        assert content == read_raw(fakeplat, "again.txt")


@pytest.mark.parametrize("path", ["grüße/ñandú 🎉.txt", 'quote"d', "a\\b", "-dash", "tab\there", ".hidden/.x", "a..b"])
def test_odd_names_are_names(fakeplat: Fakeplat, path: str) -> None:
    """Every file name that git accepts can be committed, such as names with emoji or quotes."""
    create_commit(fakeplat, {**NEW, "file_path": path})

    assert [path] == list(list_modes(fakeplat))


@pytest.mark.fakeplat(version="13.5.1")
def test_a_large_body(fakeplat: Fakeplat) -> None:
    """Six megabytes in one action come back; over ten the body is refused, as long as it is read at once."""
    content = "0123456789abcde\n" * 400_000
    create_commit(fakeplat, {**NEW, "content": content})

    assert content.encode() == read_raw(fakeplat, "new.txt")
    body = {"branch": "master", "commit_message": "m", "actions": [{**NEW, "content": content * 2}]}
    expected = (413, {"message": "413 Request Entity Too Large"})
    assert expected == refusal(fakeplat, "mia", "POST", COMMITS, json=body)


def test_a_form_instead_of_json(fakeplat: Fakeplat) -> None:
    """A form commits files with actions in brackets."""
    fields = [("branch", "master"), ("commit_message", "m")]
    for number in (1, 2):
        action = {"action": "create", "file_path": f"f{number}", "content": "x"}
        fields += [(f"actions[][{name}]", value) for name, value in action.items()]
    headers = {"content-type": "application/x-www-form-urlencoded"}
    reply = fakeplat.as_user("mia").post(COMMITS, data=urlencode(fields).encode(), headers=headers)

    assert (201, ["f1", "f2"]) == (reply.status, list(list_modes(fakeplat)))


def test_a_move_keeps_content_and_mode(fakeplat: Fakeplat) -> None:
    """A move without content keeps content and mode, and removes empty folders."""
    create_commit(
        fakeplat, {**NEW, "file_path": "a/run"}, {"action": "chmod", "file_path": "a/run", "execute_filemode": True}
    )
    create_commit(fakeplat, {"action": "move", "previous_path": "a/run", "file_path": "b/run"})

    assert ({"b/run": "100755"}, b"new\n") == (list_modes(fakeplat), read_raw(fakeplat, "b/run"))
    create_commit(fakeplat, {"action": "chmod", "file_path": "b/run", "execute_filemode": False})
    assert {"b/run": "100644"} == list_modes(fakeplat)


@pytest.mark.usefixtures("site")
def test_stats_may_be_left_out(fakeplat: Fakeplat) -> None:
    """With `stats=false` a new commit is shown without stats."""
    assert "stats" not in create_commit(fakeplat, NEW, stats=False)
    assert {"additions": 1, "deletions": 0, "total": 1} == create_commit(fakeplat, {**NEW, "file_path": "b"})["stats"]


# Where it starts


@pytest.mark.parametrize("start", [{"start_branch": "feature"}, {"start_sha": "feature"}])
def test_a_new_branch(fakeplat: Fakeplat, site: Git, start: dict[str, str]) -> None:
    """A Developer commits to a new branch that starts at a branch or commit."""
    start = {name: site.sha(value) if name == "start_sha" else value for name, value in start.items()}
    new_commit = create_commit(fakeplat, NEW, who="dev", branch="topic/new", **start)

    assert [site.sha("feature")] == new_commit["parent_ids"]
    assert new_commit["id"] == get_head(fakeplat, "topic%2Fnew")
    assert site.sha("feature") == get_head(fakeplat, "feature")


def test_force_moves_a_branch(fakeplat: Fakeplat, site: Git) -> None:
    """With `force` a commit resets an existing branch to another start."""
    new_commit = create_commit(fakeplat, NEW, who="dev", branch="side", start_branch="other", force=True)

    assert ([site.sha("other")], new_commit["id"]) == (new_commit["parent_ids"], get_head(fakeplat, "side"))


def test_from_the_project_that_it_was_forked_from(fakeplat: Fakeplat, rich_git: Git) -> None:
    """A commit starts in its own project or the one that it was forked from, and no other."""
    set_repository(fakeplat, rich_git, "acme/docs")
    docs = fakeplat.world.project("acme/docs").id
    body = {"branch": "b", "start_branch": "feature", "start_project": docs, "commit_message": "m", "actions": [NEW]}
    text = "403 Forbidden - Project is not included in the fork network for Acme / Site"
    assert (403, {"message": text}) == refusal(fakeplat, "mia", "POST", COMMITS, json=body)
    assert resource_not_found("Project") == refusal(
        fakeplat, "mia", "POST", COMMITS, json={**body, "start_project": 999_999}
    )

    with fakeplat.bench.platform.acting() as ctx:
        ctx.world.projects.change(ctx.world.projects[fakeplat.world.project("acme/site").id], forked_from_id=docs)
    reply = fakeplat.as_user("mia").post(COMMITS, json=body)
    assert (201, [rich_git.sha("feature")]) == (reply.status, reply.json()["parent_ids"])
    own = {**body, "branch": "c", "start_project": "acme/site", "start_branch": "b"}
    own["actions"] = [{**NEW, "file_path": "b"}]
    assert 201 == fakeplat.as_user("mia").post(COMMITS, json=own).status


# Refusals

VALIDATION: list[tuple[dict[str, Any], str]] = [
    ({"branch": None}, "branch is empty"),
    ({"branch": " "}, "branch is empty"),
    ({"commit_message": ""}, "commit_message is empty"),
    ({"actions": []}, "actions is empty"),
    ({"actions": [{"file_path": "x"}]}, "actions[0][action] is missing"),
    ({"actions": [{**NEW, "action": "touch"}]}, "actions[0][action] does not have a valid value"),
    ({"actions": [NEW, {"action": "create"}]}, "actions[1][file_path] is missing"),
    ({"actions": [{"action": "move", "file_path": "x"}]}, "actions[0][previous_path] is missing"),
    ({"actions": [{"action": "update", "file_path": "x"}]}, "actions[0][content] is missing"),
    ({"actions": [{"action": "chmod", "file_path": "x"}]}, "actions[0][execute_filemode] is missing"),
    ({"actions": [{**NEW, "encoding": "rot13"}]}, "actions[0][encoding] does not have a valid value"),
    ({"start_branch": "a", "start_sha": "b"}, "start_branch, start_sha are mutually exclusive"),
    ({"force": "perhaps"}, "force is invalid"),
    ({"stats": "perhaps"}, "stats is invalid"),
]


@pytest.mark.fakeplat(releases="<19.2")
@pytest.mark.parametrize(("wrong", "text"), VALIDATION, ids=[text for _, text in VALIDATION])
def test_parameters_are_refused(fakeplat: Fakeplat, wrong: dict[str, Any], text: str) -> None:
    """Parameters of commits are refused before the right to push is checked."""
    body = {"branch": "master", "commit_message": "m", "actions": [NEW], **wrong}
    assert invalid(text) == refusal(fakeplat, "rep", "POST", COMMITS, json=body)


@pytest.mark.fakeplat(releases="<19.2")
def test_everything_is_needed(fakeplat: Fakeplat) -> None:
    """Missing parameters of a commit are named in the order of their declaration."""
    expected = invalid("branch is missing, branch is empty, commit_message is missing, actions is missing")
    assert expected == refusal(fakeplat, "mia", "POST", COMMITS, json={})


SHA = "1" * 40
SERVICE: list[Any] = [
    (
        {"start_branch": "feature"},
        "A branch called 'master' already exists. Switch to that branch in order to make changes",
    ),
    (
        {"start_sha": "{feature}"},
        "A branch called 'master' already exists. Switch to that branch in order to make changes",
    ),
    ({"branch": "nowhere"}, "You can only create or edit files when you are on a branch"),
    ({"branch": "b", "start_branch": "nowhere"}, "You can only create or edit files when you are on a branch"),
    ({"branch": "b", "start_branch": "v1.0"}, "You can only create or edit files when you are on a branch"),
    ({"branch": "b", "start_sha": "feature"}, "Invalid start_sha 'feature'"),
    ({"branch": "b", "start_sha": SHA}, f"Cannot find start_sha '{SHA}'"),
    (
        {"branch": "a..b", "start_branch": "master"},
        "Something went wrong when we tried to create 'a..b' for you: Branch name is invalid",
    ),
    (
        {"branch": "side/inner", "start_branch": "master"},
        "Something went wrong when we tried to create 'side/inner' for you: Branch name is invalid",
    ),
    ({"actions": [{**NEW, "file_path": "README.md"}]}, "A file with this name already exists"),
    ({"actions": [{**NEW, "file_path": "README.md/x"}]}, "A file with this name already exists"),
    ({"actions": [{**NEW, "file_path": "src"}]}, "A directory with this name already exists"),
    ({"actions": [NEW, NEW]}, "A file with this name already exists"),
    *(
        ({"actions": [{"file_path": "nowhere", **action}]}, "A file with this name doesn't exist")
        for action in (
            {"action": "update", "content": "x"},
            {"action": "delete"},
            {"action": "move", "previous_path": "none"},
            {"action": "chmod", "execute_filemode": True},
        )
    ),
    ({"actions": [{"action": "delete", "file_path": "src"}]}, "A file with this name doesn't exist"),
    ({"actions": [{**NEW, "file_path": "a/../../b"}]}, "Path cannot include directory traversal"),
    pytest.param(
        {"actions": [{**NEW, "file_path": ""}]},
        "You must provide a file path",
        marks=pytest.mark.fakeplat(releases="<19.2"),
    ),
    ({"actions": [{**NEW, "file_path": ".git/config"}]}, "invalid path: '.git/config'"),
    (
        {"actions": [{"action": "update", "file_path": "crlf.txt", "content": "x", "last_commit_id": "{feature}"}]},
        "The file has changed since you started editing it: crlf.txt",
    ),
    (
        {"actions": [NEW, {"action": "delete", "file_path": "crlf.txt", "last_commit_id": SHA}]},
        "The file has changed since you started editing it: crlf.txt",
    ),
    (
        {"actions": [{"action": "move", "previous_path": "link", "file_path": "x", "last_commit_id": SHA}]},
        "The file has changed since you started editing it: link",
    ),
]


@pytest.mark.parametrize(("wrong", "text"), SERVICE, ids=range(len(SERVICE)))
def test_invalid_commits_are_refused(fakeplat: Fakeplat, site: Git, wrong: dict[str, Any], text: str) -> None:
    """An invalid commit answers 400 with its first error and changes nothing."""
    wrong = fill_in(wrong, feature=site.sha("feature"))
    body = {"branch": "master", "commit_message": "m", "actions": [NEW], **wrong}
    assert bad_request(text) == refusal(fakeplat, "mia", "POST", COMMITS, json=body)


def fill_in(value: Any, **known: str) -> Any:
    if isinstance(value, dict):
        return {name: fill_in(inner, **known) for name, inner in value.items()}
    if isinstance(value, list):
        return [fill_in(inner, **known) for inner in value]
    return value.format(**known) if isinstance(value, str) else value


def test_the_last_commit_of_a_file_lets_it_change(fakeplat: Fakeplat, site: Git) -> None:
    """The newest that changed that file, whatever came after."""
    last = site("log", "-1", "--format=%H", "--", "crlf.txt").strip()
    update = {"action": "update", "file_path": "crlf.txt", "content": "x", "last_commit_id": last}

    assert 1 == len(create_commit(fakeplat, update)["parent_ids"])


@pytest.mark.parametrize(
    ("who", "branch", "expected"),
    [
        (None, "topic", resource_not_found("Project")),
        ("eve", "topic", resource_not_found("Project")),
        ("gus", "topic", FORBIDDEN),
        ("rep", "topic", NO_PUSH),
        ("dev", "master", NO_PUSH),
    ],
)
def test_pushing_is_for_developers(fakeplat: Fakeplat, who: str | None, branch: str, expected: Outcome) -> None:
    """Developers commit to unprotected branches, Maintainers to the protected default branch."""
    create_commit(fakeplat, NEW)
    body = {"branch": branch, "start_branch": "master", "commit_message": "m", "actions": [{**NEW, "file_path": "b"}]}
    body = body if branch == "topic" else {name: value for name, value in body.items() if name != "start_branch"}

    assert expected == refusal(fakeplat, who, "POST", COMMITS, json=body)
    allowed = "mia" if branch == "master" else "dev"
    assert 201 == fakeplat.as_user(allowed).post(COMMITS, json=body).status


def test_an_archived_project_takes_no_commits(fakeplat: Fakeplat) -> None:
    """Nobody, not even the owner, commits to an archived project."""
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    body = {"branch": "master", "commit_message": "m", "actions": [NEW]}

    assert NO_PUSH == refusal(fakeplat, "ada", "POST", COMMITS, json=body)


def test_a_public_projects_readers_may_not_push(fakeplat: Fakeplat) -> None:
    """Users who are no members of a public project cannot commit to it."""
    body = {"branch": "master", "commit_message": "m", "actions": [NEW]}

    assert NO_PUSH == refusal(fakeplat, "eve", "POST", f"{DOCS}/repository/commits", json=body)


def test_a_commit_is_a_push(fakeplat: Fakeplat, sent_signals: SentSignals) -> None:
    """A commit sends one signal for the ref that moved, with the hashes before and after."""
    first = create_commit(fakeplat, NEW)["id"]
    second = create_commit(fakeplat, {**NEW, "file_path": "b"})["id"]
    pushes = sent_signals.list_records("ref_moved")

    assert [("refs/heads/master", "0" * 40, first), ("refs/heads/master", first, second)] == [
        (push.ref, push.before, push.after) for push in pushes
    ]
    assert {fakeplat.world.user("mia").id} == {push.user_id for push in pushes}


def test_a_world_restored_has_its_branches_back(fakeplat: Fakeplat) -> None:
    """Refs belong to the world's records."""
    first = create_commit(fakeplat, NEW)["id"]
    fakeplat.snapshot()
    create_commit(fakeplat, {**NEW, "file_path": "b"})
    fakeplat.restore()

    assert (first, [first]) == (get_head(fakeplat), names(fakeplat.as_user("rep").get(COMMITS).json(), "id"))
    assert 200 == outcome(fakeplat.as_user("rep").get(f"{COMMITS}/{first}"))[0]
