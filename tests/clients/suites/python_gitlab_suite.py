"""What users of python-gitlab rely on, in old and new releases."""

from typing import Any
from urllib.request import urlopen

import gitlab
import pytest
from python_gitlab_releases import EVERYTHING, LAZILY, OLD, refusal, signed_in, user

DEVELOPER = 30
MAINTAINER = 40
PEOPLE = {"root", "ada", "mia", "dev", "rep", "gus", "eve", "ext", "bob"}
PROJECTS = {"acme/site", "acme/tools/kit", "acme/docs", "ada/notes"}


def paths(projects):
    return [project.path_with_namespace for project in projects]


# Signing in


def test_a_personal_token_signs_in(world):
    """`auth()` determines the user of a personal access token."""
    client = signed_in(world, "ada")

    client.auth()

    assert "ada" == client.user.username


def test_an_oauth_token_signs_in(world):
    """A client with an OAuth token signs in as the user of the token."""
    client = gitlab.Gitlab(world.url, oauth_token=world.mint("mia", kind="oauth"))

    client.auth()

    assert client.user is not None
    assert "mia" == client.user.username


def test_an_impersonation_token_is_used_like_a_personal_one(world):
    """An impersonation token acts as the user for whom it was created."""
    client = gitlab.Gitlab(world.url, private_token=world.mint("dev", kind="impersonation"))

    client.auth()

    assert client.user is not None
    assert "dev" == client.user.username


def test_an_unknown_token_is_an_authentication_error(world):
    """An unknown token gets 401, which the client raises as GitlabAuthenticationError."""
    with pytest.raises(gitlab.GitlabAuthenticationError) as error:
        gitlab.Gitlab(world.url, private_token="nobody-token").auth()

    assert (401, "401 Unauthorized") == refusal(error)


def test_a_blocked_user_is_told_so(world):
    """The token of a blocked user gets 403 with the text that the account is blocked."""
    with pytest.raises(gitlab.GitlabHttpError) as error:
        signed_in(world, "bob").http_get("/user")

    assert (403, "403 Forbidden - Your account has been blocked.") == refusal(error)


def test_a_token_that_may_only_read_cannot_write(world):
    """The scope read_api allows a GET, but not a POST."""
    client = gitlab.Gitlab(world.url, private_token=world.mint("ada", scopes=["read_api"]))

    assert "acme/site" == client.projects.get("acme/site").path_with_namespace
    with pytest.raises(gitlab.GitlabCreateError) as error:
        client.projects.create({"name": "Refused"})
    assert (403, "insufficient_scope") == refusal(error)


def test_an_administrator_acts_as_somebody_else(world):
    """`sudo` accepts a username in any case, or an id."""
    root = signed_in(world, "root")
    ada = user(root, "ada")

    assert "ada" == root.http_get("/user", sudo="ADA")["username"]
    assert "ada" == root.http_get("/user", sudo=ada.id)["username"]


def test_only_an_administrator_acts_as_somebody_else(world):
    """`sudo` of a user who is no administrator gets 403."""
    with pytest.raises(gitlab.GitlabHttpError) as error:
        signed_in(world, "ada").http_get("/user", sudo="root")

    assert (403, "403 Forbidden - Must be admin to use sudo") == refusal(error)


def test_nobody_can_act_as_a_stranger(world):
    """`sudo` with an unknown user gets 404 with the name of that user."""
    with pytest.raises(gitlab.GitlabHttpError) as error:
        signed_in(world, "root").http_get("/user", sudo="stranger")

    assert (404, "404 User with ID or username 'stranger' Not Found") == refusal(error)


def test_the_version_is_the_instances(world):
    """`version()` returns version and revision."""
    version, revision = signed_in(world, "ada").version()

    assert "13.5.1" == version
    assert revision


# Users


def test_users_are_walked_page_by_page(world):
    """A lazy list of users follows the Link header and has the total."""
    client = signed_in(world, "root")

    listed = client.users.list(per_page=2, **LAZILY)
    total, pages = listed.total, listed.total_pages
    usernames = [account.username for account in listed]

    assert set(usernames) >= PEOPLE
    assert len(set(usernames)) == len(usernames) == total
    assert -(-total // 2) == pages


def test_a_page_of_users_is_as_long_as_asked(world):
    """Users are listed from the newest, and `page` and `per_page` select the rows."""
    client = signed_in(world, "root")
    everybody = [account.id for account in client.users.list(**EVERYTHING)]

    assert sorted(everybody, reverse=True) == everybody
    assert everybody[3:6] == [account.id for account in client.users.list(page=2, per_page=3)]


def test_users_are_found_by_name(world):
    """Users are found by `username` exactly, ignoring case, and by `search` in parts."""
    client = signed_in(world, "eve")

    assert "ada" == user(client, "ADA").username
    assert "ada" in {account.username for account in client.users.list(search="ada")}
    assert [] == client.users.list(username="nobody")


def test_blocked_users_can_be_told_apart(world):
    """The filters `blocked` and `active` select users by their state."""
    client = signed_in(world, "root")

    assert ["bob"] == [account.username for account in client.users.list(blocked=True)]
    assert "bob" not in {account.username for account in client.users.list(active=True, **EVERYTHING)}


def test_only_administrators_see_addresses(world):
    """Only administrators see the email addresses of other users."""
    seen_by_root = signed_in(world, "root").users.get(user(signed_in(world, "root"), "ada").id)
    seen_by_eve = signed_in(world, "eve").users.get(seen_by_root.id)

    assert "@" in seen_by_root.email
    assert seen_by_root.username == seen_by_eve.username == "ada"
    assert not hasattr(seen_by_eve, "email")


def test_a_user_that_does_not_exist_is_an_error_of_get(world):
    """An unknown user is 404, which the client raises as GitlabGetError."""
    with pytest.raises(gitlab.GitlabGetError) as error:
        signed_in(world, "ada").users.get(99999999)

    assert (404, "404 User Not Found") == refusal(error)


NEW_USER = {
    "email": "new@example.test",
    "username": "newcomer",
    "name": "New Comer",
    "password": "long enough",
    "skip_confirmation": True,
}


def test_an_administrator_makes_changes_and_removes_a_user(world):
    """An administrator creates, changes and deletes a user."""
    client = signed_in(world, "root")

    newcomer = client.users.create({**NEW_USER, "bio": "one"})
    assert ("newcomer", "active", "one") == (newcomer.username, newcomer.state, newcomer.bio)

    newcomer.bio = "two"
    newcomer.name = "Renamed"
    newcomer.save()
    updated = client.users.get(newcomer.id)
    assert ("Renamed", "two", "new@example.test") == (updated.name, updated.bio, updated.email)

    newcomer.delete()
    with pytest.raises(gitlab.GitlabGetError) as error:
        client.users.get(newcomer.id)
    assert (404, "404 User Not Found") == refusal(error)


def test_an_address_belongs_to_one_user(world):
    """An email address that is taken is 409 on creation and 404 on update."""
    client = signed_in(world, "root")
    ada = client.users.get(user(client, "ada").id)
    newcomer = client.users.create(NEW_USER)

    with pytest.raises(gitlab.GitlabCreateError) as error:
        client.users.create({**NEW_USER, "username": "another"})
    assert (409, "Email has already been taken") == refusal(error)

    with pytest.raises(gitlab.GitlabCreateError) as error:
        client.users.create({**NEW_USER, "email": "another@example.test"})
    assert (409, "Username has already been taken") == refusal(error)

    newcomer.email = ada.email
    with pytest.raises(gitlab.GitlabUpdateError) as refused:
        newcomer.save()
    assert (404, "Email has already been taken") == refusal(refused)


def test_what_a_new_user_lacks_is_named(world):
    """Missing parameters of a new user are listed in order, and an invalid value is an error of its field."""
    client = signed_in(world, "root")

    with pytest.raises(gitlab.GitlabCreateError) as error:
        client.users.create({"password": "long enough"})
    assert 400 == error.value.response_code
    assert error.value.error_message.startswith("email is missing, name is missing, username is missing")

    with pytest.raises(gitlab.GitlabCreateError) as error:
        client.users.create({**NEW_USER, "password": "short"})
    assert (400, {"password": ["is too short (minimum is 8 characters)"]}) == refusal(error)


def test_only_an_administrator_makes_users(world):
    """A user who is no administrator gets 403 when creating a user."""
    with pytest.raises(gitlab.GitlabCreateError) as error:
        signed_in(world, "ada").users.create(NEW_USER)

    assert (403, "403 Forbidden") == refusal(error)


def test_identities_are_found_and_removed(world):
    """A user is found by the pair of provider and identity, until the identity is removed."""
    client = signed_in(world, "root")
    pair = {"provider": "ldapmain", "extern_uid": "uid=newcomer"}
    newcomer = client.users.create({**NEW_USER, **pair})

    assert ["newcomer"] == [account.username for account in client.users.list(**pair)]
    newcomer.identityproviders.delete("ldapmain")

    assert [] == client.users.list(**pair)
    assert [] == client.users.get(newcomer.id).identities


def test_projects_of_a_user_are_those_of_the_own_namespace(world):
    """`user.projects` contains the visible projects of the user's namespace."""
    ada = user(signed_in(world, "ada"), "ada")
    seen_by_eve = user(signed_in(world, "eve"), "ada")

    assert ["ada/notes"] == paths(ada.projects.list())
    assert [] == seen_by_eve.projects.list()


# Reading projects


def test_everyone_sees_what_they_may(world):
    """Private projects are visible to members, internal ones to users and public ones to everyone."""
    anonymous = gitlab.Gitlab(world.url).projects.list(**EVERYTHING)

    assert set(paths(signed_in(world, "root").projects.list(**EVERYTHING))) >= PROJECTS
    assert set(paths(signed_in(world, "ada").projects.list(**EVERYTHING))) >= PROJECTS
    assert PROJECTS - {"acme/site", "ada/notes"} == set(paths(signed_in(world, "eve").projects.list(**EVERYTHING)))
    assert ["acme/docs"] == paths(signed_in(world, "ext").projects.list(**EVERYTHING))
    assert ["acme/docs"] == paths(anonymous)
    assert not hasattr(anonymous[0], "visibility")


def test_projects_are_walked_page_by_page(world):
    """A lazy list with one project per page contains every project once."""
    client = signed_in(world, "ada")

    listed = client.projects.list(order_by="path", sort="asc", per_page=1, **LAZILY)
    assert (1, 2, None, 1) == (listed.current_page, listed.next_page, listed.prev_page, listed.per_page)
    walked = [project.path for project in listed]

    assert sorted(walked) == walked
    assert set(walked) >= {"docs", "kit", "notes", "site"}


def test_keyset_pages_hold_the_same_projects(world):
    """`pagination=keyset` by id, in both directions, yields the same projects as offset pagination."""
    client = signed_in(world, "root")
    ids = sorted(project.id for project in client.projects.list(**EVERYTHING))
    by_keyset = {"pagination": "keyset", "order_by": "id", "per_page": 2, **LAZILY}

    assert ids == [project.id for project in client.projects.list(sort="asc", **by_keyset)]
    assert ids[::-1] == [project.id for project in client.projects.list(sort="desc", **by_keyset)]


def test_keyset_pages_are_by_id_only(world):
    """Keyset pagination in another order than by id gets 405."""
    with pytest.raises(gitlab.GitlabListError) as error:
        signed_in(world, "ada").projects.list(pagination="keyset", order_by="name")

    assert (405, "Keyset pagination is not yet available for this type of request") == refusal(error)


def test_lists_of_projects_can_be_narrowed(world):
    """Projects are filtered by owner, membership, visibility and search."""
    client = signed_in(world, "ada")

    assert {"ada/notes"} <= set(paths(client.projects.list(owned=True, **EVERYTHING)))
    assert [] == signed_in(world, "eve").projects.list(membership=True)
    assert ["acme/docs"] == paths(client.projects.list(visibility="public"))
    assert ["acme/tools/kit"] == paths(client.projects.list(search="kit"))
    assert not hasattr(client.projects.list(simple=True)[0], "visibility")


def test_a_filter_with_an_unknown_word_is_refused(world):
    """An unknown value of a filter gets 400 with the platform's error text."""
    with pytest.raises(gitlab.GitlabListError) as error:
        signed_in(world, "ada").projects.list(order_by="luck")

    assert (400, "order_by does not have a valid value") == refusal(error)


def test_a_project_has_an_id_and_a_path(world):
    """The encoded full path identifies the same project as the id; URLs have the server's origin."""
    client = signed_in(world, "ada")

    by_path = client.projects.get("acme/tools/kit")
    by_id = client.projects.get(by_path.id)

    assert by_path.attributes == by_id.attributes
    assert "internal" == by_id.visibility
    assert f"{world.url}/acme/tools/kit" == by_id.web_url
    assert f"{world.url}/acme/tools/kit.git" == by_id.http_url_to_repo
    assert f"{world.url}/api/v4/projects/{by_id.id}" == by_id._links["self"]


def test_a_project_that_may_not_be_seen_is_not_there(world):
    """A private project is 404 for other users, with the same text as an unknown one."""
    client = signed_in(world, "eve")

    for path in ("acme/site", "acme/nothing"):
        with pytest.raises(gitlab.GitlabGetError) as error:
            client.projects.get(path)
        assert (404, "404 Project Not Found") == refusal(error)


def test_namespaces_are_those_of_the_caller(world):
    """Namespaces are listed for the caller, and found by path and by search."""
    client = signed_in(world, "ada")

    assert {"ada", "acme"} <= {namespace.full_path for namespace in client.namespaces.list(**EVERYTHING)}
    assert "user" == client.namespaces.get("ada").kind
    assert "acme/tools" in {
        namespace.full_path for namespace in signed_in(world, "root").namespaces.list(search="tools")
    }


def test_a_project_knows_its_people(world):
    """`project.users` lists the members of a project, inherited ones included."""
    kit = signed_in(world, "ada").projects.get("acme/tools/kit")

    assert {"ada", "mia"} <= {account.username for account in kit.users.list(**EVERYTHING)}


# Writing projects


def test_a_project_is_made_changed_and_removed(world):
    """A project is created, changed and deleted in the namespace of its creator."""
    client = signed_in(world, "ada")

    project = client.projects.create({"name": "New Thing", "description": "one"})
    assert ("ada/new-thing", "private") == (project.path_with_namespace, project.visibility)

    project.description = "two"
    project.visibility = "public"
    project.save()
    again = client.projects.get("ada/new-thing")
    assert ("two", "public") == (again.description, again.visibility)

    project.delete()
    with pytest.raises(gitlab.GitlabGetError) as error:
        client.projects.get(project.id)
    assert (404, "404 Project Not Found") == refusal(error)


def test_a_project_is_made_in_a_group(world):
    """`namespace_id` creates a project in a group."""
    client = signed_in(world, "ada")
    acme = client.namespaces.get("acme")

    project = client.projects.create({"name": "Shared thing", "namespace_id": acme.id, "visibility": "internal"})

    assert "acme/shared-thing" == project.path_with_namespace
    assert ("group", "acme") == (project.namespace["kind"], project.namespace["full_path"])


def test_a_new_project_needs_a_name_of_its_own(world):
    """A project without name and path gets 400, and so does one with a taken name."""
    client = signed_in(world, "ada")

    with pytest.raises(gitlab.GitlabCreateError) as error:
        client.projects.create({"description": "nameless"})
    assert (400, "name, path are missing, at least one parameter must be provided") == refusal(error)

    with pytest.raises(gitlab.GitlabCreateError) as error:
        client.projects.create({"name": "notes"})
    assert 400 == error.value.response_code
    message: Any = error.value.error_message
    assert ["has already been taken"] == message["path"]


def test_roles_gate_changes(world):
    """A developer cannot change a project and a maintainer cannot delete it."""
    site = signed_in(world, "dev").projects.get("acme/site")
    before = signed_in(world, "ada").projects.get(site.id).attributes

    site.description = "changed"
    with pytest.raises(gitlab.GitlabUpdateError) as error:
        site.save()
    assert (403, "403 Forbidden") == refusal(error)

    with pytest.raises(gitlab.GitlabDeleteError) as refused:
        signed_in(world, "mia").projects.delete(site.id)
    assert (403, "403 Forbidden") == refusal(refused)

    after = signed_in(world, "ada").projects.get(site.id).attributes
    assert before == after


def test_a_project_is_archived_and_brought_back(world):
    """Owners can archive a project repeatedly and unarchive it; maintainers cannot."""
    client = signed_in(world, "ada")
    site = client.projects.get("acme/site")

    site.archive()
    site.archive()
    assert site.archived
    assert ["acme/site"] == paths(client.projects.list(archived=True))

    site.unarchive()
    assert not site.archived

    with pytest.raises(gitlab.GitlabCreateError) as error:
        signed_in(world, "mia").projects.get(site.id).archive()
    assert (403, "403 Forbidden") == refusal(error)


def test_a_star_is_given_once(world):
    """A second star, or removing a missing one, gets 304, which the client raises as an error."""
    client = signed_in(world, "ada")
    project = client.projects.create({"name": "Shiny"})

    project.star()
    assert 1 == project.star_count
    assert ["ada/shiny"] == [path for path in paths(client.projects.list(starred=True)) if path == "ada/shiny"]
    (starrer,) = client.http_list(f"/projects/{project.id}/starrers")
    assert "ada" == starrer["user"]["username"]
    with pytest.raises(gitlab.GitlabCreateError) as error:
        project.star()
    assert 304 == error.value.response_code

    project.unstar()
    assert 0 == project.star_count
    with pytest.raises(gitlab.GitlabDeleteError) as refused:
        project.unstar()
    assert 304 == refused.value.response_code


def test_starred_projects_of_a_user_are_listed(world):
    """`/users/:id/starred_projects` lists the projects that the user starred."""
    client = signed_in(world, "ada")
    client.projects.create({"name": "Shiny", "visibility": "public"}).star()
    ada = user(client, "ada")

    starred = client.http_list(f"/users/{ada.id}/starred_projects")

    assert "ada/shiny" in {project["path_with_namespace"] for project in starred}


def test_members_come_and_go(world):
    """A direct member is added, promoted and removed, and `members/all` has the inherited ones."""
    client = signed_in(world, "ada")
    site = client.projects.get("acme/site")
    eve = user(client, "eve")

    member = site.members.create({"user_id": eve.id, "access_level": DEVELOPER})
    assert ("eve", DEVELOPER) == (member.username, member.access_level)

    member.access_level = MAINTAINER
    member.expires_at = "2031-01-31"
    member.save()
    again = site.members.get(eve.id)
    assert (MAINTAINER, "2031-01-31") == (again.access_level, again.expires_at)
    assert "acme/site" == signed_in(world, "eve").projects.get(site.id).path_with_namespace

    everybody = {member.username: member.access_level for member in site.members_all.list(**EVERYTHING)}
    assert {"ada": 50, "mia": 40, "dev": 30, "rep": 20, "gus": 10, "eve": 40} == everybody
    assert "gus" == site.members_all.get(user(client, "gus").id).username

    member.delete()
    with pytest.raises(gitlab.GitlabGetError) as error:
        site.members.get(eve.id)
    assert (404, "404 Not found") == refusal(error)


def test_a_member_is_added_once_and_at_a_known_level(world):
    """A second membership gets 409, an unknown access level 400 and a developer who adds members 403."""
    client = signed_in(world, "ada")
    site = client.projects.get("acme/site")
    eve = user(client, "eve")

    with pytest.raises(gitlab.GitlabCreateError) as error:
        site.members.create({"user_id": eve.id, "access_level": 35})
    assert (400, {"access_level": ["is not included in the list"]}) == refusal(error)

    site.members.create({"user_id": eve.id, "access_level": DEVELOPER})
    with pytest.raises(gitlab.GitlabCreateError) as error:
        site.members.create({"user_id": eve.id, "access_level": DEVELOPER})
    assert (409, "Member already exists") == refusal(error)

    with pytest.raises(gitlab.GitlabCreateError) as error:
        signed_in(world, "dev").projects.get(site.id).members.create({"user_id": eve.id, "access_level": 10})
    assert (403, "403 Forbidden") == refusal(error)


def test_a_project_is_shared_with_a_group(world):
    """A share appears in `shared_with_groups` and gives the group's members access, until it is deleted."""
    client = signed_in(world, "ada")
    notes = client.projects.get("ada/notes")
    acme = client.namespaces.get("acme")

    notes.share(acme.id, DEVELOPER)
    (shared,) = client.projects.get(notes.id).shared_with_groups
    assert (acme.id, "acme", DEVELOPER) == (shared["group_id"], shared["group_full_path"], shared["group_access_level"])
    assert "ada/notes" == signed_in(world, "rep").projects.get(notes.id).path_with_namespace

    notes.unshare(acme.id)
    with pytest.raises(gitlab.GitlabGetError):
        signed_in(world, "rep").projects.get(notes.id)
    with pytest.raises(gitlab.GitlabDeleteError) as error:
        notes.unshare(acme.id)
    assert (404, "404 Group Link Not Found") == refusal(error)


def test_a_project_moves_to_another_namespace(world):
    """Transferring a project changes its path and keeps its id."""
    client = signed_in(world, "ada")
    project = client.projects.create({"name": "Moving"})
    transfer = project.transfer_project if OLD else project.transfer

    transfer("acme")

    assert "acme/moving" == client.projects.get(project.id).path_with_namespace


def test_an_upload_is_served(world):
    """The response to an upload contains Markdown, and the file's URL returns its content."""
    docs = signed_in(world, "ada").projects.get("acme/docs")

    uploaded = docs.upload("notes.txt", filedata=b"hello")
    image = docs.upload("chart.png", filedata=b"\x89PNG\r\n\x1a\n")

    assert ("notes.txt", f"[notes.txt]({uploaded['url']})") == (uploaded["alt"], uploaded["markdown"])
    assert ("chart", f"![chart]({image['url']})") == (image["alt"], image["markdown"])
    with urlopen(f"{world.url}/acme/docs{uploaded['url']}") as served:
        assert b"hello" == served.read()


def test_broadcast_messages_are_for_everyone(world):
    """Administrators create, change and delete broadcast messages, and everyone reads them."""
    client = signed_in(world, "root")

    message = client.broadcastmessages.create({"message": "Maintenance at noon", "color": "#000000"})
    message.message = "Maintenance at one"
    message.save()

    broadcast = signed_in(world, "dev").broadcastmessages.get(message.id)
    assert ("Maintenance at one", "#000000", True) == (broadcast.message, broadcast.color, broadcast.active)
    message.delete()
    assert [] == client.broadcastmessages.list()


def test_custom_attributes_are_for_administrators(world):
    """Administrators set, read, search and delete custom attributes; other users get 403."""
    client = signed_in(world, "root")
    site = client.projects.get("acme/site")

    site.customattributes.set("team", "core")
    assert "core" == site.customattributes.get("team").value
    assert [("team", "core")] == [(attribute.key, attribute.value) for attribute in site.customattributes.list()]
    assert ["acme/site"] == paths(client.projects.list(custom_attributes={"team": "core"}))

    site.customattributes.delete("team")
    assert [] == site.customattributes.list()

    with pytest.raises(gitlab.GitlabSetError) as error:
        signed_in(world, "ada").projects.get(site.id).customattributes.set("team", "mine")
    assert (403, "403 Forbidden") == refusal(error)


def test_housekeeping_starts_once(world):
    """A second start of housekeeping gets 409."""
    site = signed_in(world, "ada").projects.get("acme/site")

    site.housekeeping()
    with pytest.raises(gitlab.GitlabHousekeepingError) as error:
        site.housekeeping()

    assert 409 == error.value.response_code


def test_worlds_do_not_share_anything(world):
    """A project name that another test of this suite uses, too, is free in a new world."""
    signed_in(world, "ada").projects.create({"name": "New Thing"})

    assert "ada/new-thing" in paths(signed_in(world, "ada").projects.list(owned=True, **EVERYTHING))


# Groups


def test_a_group_lives(world):
    """A group is created, changed, listed below its parent, and deleted."""
    client = signed_in(world, "ada")
    parent = client.groups.get("acme")

    group = client.groups.create({"name": "Ops", "path": "ops", "parent_id": parent.id})
    group.description = "Keeps it running"
    group.save()

    assert "Keeps it running" == client.groups.get("acme/ops").description
    assert "acme/ops" in [subgroup.full_path for subgroup in client.groups.get("acme").subgroups.list(**EVERYTHING)]
    group.delete()
    with pytest.raises(gitlab.GitlabGetError) as error:
        client.groups.get("acme/ops")
    assert (404, "404 Group Not Found") == refusal(error)


def test_a_group_has_members_and_projects(world):
    """Members of a group are added, promoted and removed, and its projects listed with those of subgroups."""
    client = signed_in(world, "ada")
    group, eve = client.groups.get("acme"), user(client, "eve")

    member = group.members.create({"user_id": eve.id, "access_level": DEVELOPER})
    member.access_level = MAINTAINER
    member.save()

    assert MAINTAINER == group.members.get(eve.id).access_level
    member.delete()
    assert "eve" not in [member.username for member in group.members.list(**EVERYTHING)]
    below = group.projects.list(include_subgroups=True, **EVERYTHING)
    assert {"acme/site", "acme/docs", "acme/tools/kit"} == set(paths(below))


def test_a_taken_group_path_is_a_create_error(world):
    """A group with a taken path gets 400 with the platform's text."""
    with pytest.raises(gitlab.GitlabCreateError) as error:
        signed_in(world, "ada").groups.create({"name": "Acme", "path": "acme"})

    assert 400 == error.value.response_code
    assert "has already been taken" in str(error.value.error_message)


# Issues


def test_an_issue_lives(world):
    """An issue is created, edited, closed, reopened and deleted."""
    project = signed_in(world, "ada").projects.get("acme/site")

    issue = project.issues.create({"title": "Lamp is broken", "description": "- [ ] buy one", "labels": ["bug", "new"]})
    assert ("opened", ["bug", "new"]) == (issue.state, issue.labels)
    issue.title, issue.state_event = "Lamp is mended", "close"
    issue.save()

    closed = project.issues.get(issue.iid)
    assert ("Lamp is mended", "closed", "ada") == (
        closed.title,
        closed.state,
        closed.attributes["closed_by"]["username"],
    )
    closed.state_event = "reopen"
    closed.save()
    assert project.issues.get(issue.iid).closed_at is None
    closed.delete()
    with pytest.raises(gitlab.GitlabGetError) as error:
        project.issues.get(issue.iid)
    assert (404, "404 Not found") == refusal(error)


def test_issues_are_filtered_everywhere(world):
    """Issues are filtered in a project, in a group and globally."""
    client = signed_in(world, "ada")
    project = client.projects.get("acme/site")
    issue = project.issues.create({"title": "A very particular title", "labels": ["rare"]})

    for issues in (project.issues, client.groups.get("acme").issues, client.issues):
        matching = issues.list(labels=["rare"], state="opened", search="particular", scope="all", **EVERYTHING)
        assert [issue.id] == [row.id for row in matching]
    assert [] == project.issues.list(labels=["rare"], state="closed", **EVERYTHING)


def test_confidential_issues_are_hidden(world):
    """Confidential issues are hidden from guests, but not from their author."""
    guest = signed_in(world, "gus").projects.get("acme/docs")
    own = guest.issues.create({"title": "Between us", "confidential": True})
    other = signed_in(world, "ada").projects.get("acme/docs").issues.create({"title": "Hush", "confidential": True})

    assert "Between us" == guest.issues.get(own.iid).title
    with pytest.raises(gitlab.GitlabGetError):
        guest.issues.get(other.iid)


def counts(project):
    statistics = project.issuesstatistics if OLD else project.issues_statistics
    return statistics.get().statistics["counts"]


def test_issues_are_counted(world):
    """The issue statistics of a project count a new issue."""
    project = signed_in(world, "ada").projects.get("acme/docs")
    before = counts(project)

    project.issues.create({"title": "One more"})

    after = counts(project)
    assert (before["all"] + 1, before["opened"] + 1) == (after["all"], after["opened"])


# Labels and milestones


def test_labels_live_in_projects_and_groups(world):
    """Labels are created, listed with counts, renamed, subscribed to and deleted."""
    client = signed_in(world, "ada")
    project = client.projects.get("acme/site")

    label = project.labels.create({"name": "soon", "color": "#ff0000", "priority": 1})
    label.new_name = "sooner"
    label.save()

    names = [row.name for row in project.labels.list(with_counts=True, **EVERYTHING)]
    assert "sooner" in names
    assert "soon" not in names
    project.labels.delete("sooner")
    assert "sooner" not in [row.name for row in project.labels.list(**EVERYTHING)]
    client.groups.get("acme").labels.create({"name": "everywhere", "color": "blue"})
    assert "everywhere" in [row.name for row in project.labels.list(**EVERYTHING)]


def test_a_milestone_lives(world):
    """A milestone is created, assigned to an issue, closed, listed by state and deleted."""
    project = signed_in(world, "ada").projects.get("acme/site")
    milestone = project.milestones.create({"title": "Spring", "due_date": "2021-03-20"})
    issue = project.issues.create({"title": "Sow", "milestone_id": milestone.id})

    assert [issue.iid] == [row.iid for row in milestone.issues()]
    milestone.state_event = "close"
    milestone.save()
    assert "Spring" in [row.title for row in project.milestones.list(state="closed", **EVERYTHING)]
    milestone.delete()
    assert project.issues.get(issue.iid).milestone is None


def test_a_repository_is_read_and_committed_to(world):
    """A commit creates a branch, and tree, diff, comparison and archive show it."""
    project = signed_in(world, "mia").projects.get("acme/site")
    action = {"action": "create", "file_path": "docs/a b.md", "content": "hello"}
    attributes = {"branch": "topic", "start_branch": "master", "commit_message": "Say hello", "actions": [action]}

    commit = project.commits.create(attributes)

    tree = project.repository_tree(ref="topic", recursive=True, **EVERYTHING)
    assert "docs/a b.md" in [entry["path"] for entry in tree]
    assert b"hello" == project.files.get("docs/a b.md", ref="topic").decode()
    assert ["docs/a b.md"] == [diff["new_path"] for diff in project.commits.get(commit.id).diff()]
    assert [commit.id] == [commit["id"] for commit in project.repository_compare("master", "topic")["commits"]]
    assert b"\x1f\x8b" == project.repository_archive(sha="topic")[:2]


def test_code_is_found_in_a_group(create_world):
    """A group and the instance are searched for code and commits where there is an index, which paid tiers can have."""
    settings = {"elasticsearch_indexing": True, "elasticsearch_search": True}
    world = create_world(instance={"tier": "premium"}, scenario={"extends": "starter", "settings": settings})
    client = signed_in(world, "ada")

    found = client.groups.get("acme").search("blobs", "theme", **EVERYTHING)
    assert {"theme/index.html"} <= {row["path"] for row in found}
    assert "acme/docs" == client.projects.get(found[0]["project_id"]).path_with_namespace
    (commit,) = client.search("commits", "menu logo")
    assert "Add a logo and a menu" == commit["title"]


def test_code_is_not_found_without_an_index(create_world):
    """Paid tiers without an index refuse to search a group for code."""
    group = signed_in(create_world(instance={"tier": "premium"}), "ada").groups.get("acme")

    with pytest.raises(gitlab.GitlabSearchError) as error:
        group.search("blobs", "theme")
    assert (400, {"error": "Scope not supported without Elasticsearch!"}) == refusal(error)
