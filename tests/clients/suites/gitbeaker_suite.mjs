// What users of @gitbeaker/rest rely on.

import assert from "node:assert/strict";
import { Blob } from "node:buffer";
import { Gitlab } from "@gitbeaker/rest";
import { fact } from "./world.mjs";

const DEVELOPER = 30;
const MAINTAINER = 40;
const PEOPLE = ["root", "ada", "mia", "dev", "rep", "gus", "eve", "ext", "bob"];

const NEW_USER = {
  email: "new@example.test",
  username: "newcomer",
  name: "New Comer",
  password: "long enough",
  skipConfirmation: true,
};

function signedIn(world, username, options = {}) {
  const token = username === "root" ? world.root_token : `${username}-token`;
  return new Gitlab({ host: world.url, token, ...options });
}

async function user(client, username) {
  const [found] = await client.Users.all({ username });
  return found;
}

async function refused(call, status, text) {
  await assert.rejects(call, (error) => {
    assert.equal(error.name, "GitbeakerRequestError");
    assert.equal(error.cause.response.status, status);
    assert.equal(error.message, text);
    return true;
  });
}

const paths = (projects) => projects.map((project) => project.path_with_namespace).sort();

fact("a personal token signs in", async (world) => {
  const me = await signedIn(world, "ada").Users.showCurrentUser();

  assert.equal(me.username, "ada");
});

fact("an unknown token is refused", async (world) => {
  await refused(signedIn(world, "nobody").Users.showCurrentUser(), 401, "401 Unauthorized");
});

fact("answers can be had in camel case", async (world) => {
  const site = await signedIn(world, "ada", { camelize: true }).Projects.show("acme/site");

  assert.equal(site.pathWithNamespace, "acme/site");
});

fact("an administrator acts as somebody else", async (world) => {
  const root = signedIn(world, "root");

  assert.equal((await root.Users.showCurrentUser({ sudo: "rep" })).username, "rep");
  await refused(
    signedIn(world, "ada").Users.showCurrentUser({ sudo: "root" }),
    403,
    "403 Forbidden - Must be admin to use sudo",
  );
});

fact("all users come from all pages", async (world) => {
  const users = await signedIn(world, "root").Users.all({ perPage: 2 });

  const usernames = users.map((found) => found.username);
  assert.equal(new Set(usernames).size, usernames.length);
  assert.deepEqual(
    PEOPLE.filter((username) => !usernames.includes(username)),
    [],
  );
});

fact("a page tells where it stands", async (world) => {
  const { data, paginationInfo } = await signedIn(world, "root").Users.all({ page: 2, perPage: 3, showExpanded: true });

  assert.equal(data.length, 3);
  assert.equal(paginationInfo.current, 2);
  assert.equal(paginationInfo.previous, 1);
  assert.equal(paginationInfo.next, 3);
  assert.equal(paginationInfo.perPage, 3);
  assert.equal(paginationInfo.totalPages, Math.ceil(paginationInfo.total / 3));
});

fact("keyset pages hold the same projects", async (world) => {
  const client = signedIn(world, "root");

  const byOffset = await client.Projects.all({ perPage: 100 });
  const byKeyset = await client.Projects.all({ pagination: "keyset", orderBy: "id", sort: "asc", perPage: 1 });

  assert.deepEqual(
    byKeyset.map((project) => project.id),
    byOffset.map((project) => project.id).sort((one, other) => one - other),
  );
});

fact("a user is made, changed and removed", async (world) => {
  const { Users } = signedIn(world, "root");

  const made = await Users.create(NEW_USER);
  assert.deepEqual([made.username, made.state], ["newcomer", "active"]);
  await refused(Users.create(NEW_USER), 409, "Email has already been taken");

  const changed = await Users.edit(made.id, { bio: "two" });
  assert.equal(changed.bio, "two");

  await Users.remove(made.id);
  await refused(Users.show(made.id), 404, "404 User Not Found");
});

fact("a project is made, changed and removed", async (world) => {
  const { Projects } = signedIn(world, "ada");

  const made = await Projects.create({ name: "New Thing", issuesAccessLevel: "disabled" });
  assert.deepEqual([made.path_with_namespace, made.visibility], ["ada/new-thing", "private"]);
  assert.equal(made.issues_enabled, false);

  const changed = await Projects.edit(made.id, { description: "two", visibility: "public" });
  assert.deepEqual([changed.description, changed.visibility], ["two", "public"]);

  await Projects.remove(made.id);
  await refused(Projects.show(made.id), 404, "404 Project Not Found");
});

fact("what is missing is named", async (world) => {
  await refused(
    signedIn(world, "ada").Projects.create({ description: "nameless" }),
    400,
    "name, path are missing, at least one parameter must be provided",
  );
});

fact("a project is found by its path", async (world) => {
  const client = signedIn(world, "ada");

  const kit = await client.Projects.show("acme/tools/kit");

  assert.equal(kit.visibility, "internal");
  assert.equal(kit.web_url, `${world.url}/acme/tools/kit`);
  assert.deepEqual(paths(await client.Projects.search("kit")), ["acme/tools/kit"]);
});

fact("everyone sees what they may", async (world) => {
  const seenByEve = await signedIn(world, "eve").Projects.all();

  assert.deepEqual(paths(seenByEve), ["acme/docs", "acme/tools/kit"]);
  await refused(signedIn(world, "eve").Projects.show("acme/site"), 404, "404 Project Not Found");
});

fact("projects of a user are listed", async (world) => {
  const client = signedIn(world, "ada");
  const { id } = await user(client, "ada");

  assert.deepEqual(paths(await client.Users.allProjects(id)), ["ada/notes"]);
});

fact("a star is given once", async (world) => {
  const { Projects } = signedIn(world, "ada");
  const { id } = await Projects.create({ name: "Shiny" });

  assert.equal((await Projects.star(id)).star_count, 1);
  await refused(Projects.star(id), 304, "");
  assert.deepEqual(
    (await Projects.allStarrers(id)).map((starrer) => starrer.user.username),
    ["ada"],
  );
  assert.equal((await Projects.unstar(id)).star_count, 0);
});

fact("a project is archived and brought back", async (world) => {
  const { Projects } = signedIn(world, "ada");

  assert.equal((await Projects.archive("acme/site")).archived, true);
  assert.equal((await Projects.unarchive("acme/site")).archived, false);
  await refused(signedIn(world, "mia").Projects.archive("acme/site"), 403, "403 Forbidden");
});

fact("members come and go", async (world) => {
  const client = signedIn(world, "ada");
  const { id } = await user(client, "eve");

  const added = await client.ProjectMembers.add("acme/site", DEVELOPER, { userId: id });
  assert.equal(added.access_level, DEVELOPER);
  const raised = await client.ProjectMembers.edit("acme/site", id, MAINTAINER);
  assert.equal(raised.access_level, MAINTAINER);
  const everybody = await client.ProjectMembers.all("acme/site", { includeInherited: true });
  assert.deepEqual(everybody.map((member) => member.username).sort(), ["ada", "dev", "eve", "gus", "mia", "rep"]);

  await client.ProjectMembers.remove("acme/site", id);
  await refused(client.ProjectMembers.show("acme/site", id), 404, "404 Not found");
});

fact("a project is shared with a group", async (world) => {
  const client = signedIn(world, "ada");
  const acme = await client.Namespaces.show("acme");

  await client.Projects.share("ada/notes", acme.id, DEVELOPER);
  const [shared] = (await client.Projects.show("ada/notes")).shared_with_groups;
  assert.deepEqual([shared.group_id, shared.group_access_level], [acme.id, DEVELOPER]);

  await client.Projects.unshare("ada/notes", acme.id);
  assert.deepEqual((await client.Projects.show("ada/notes")).shared_with_groups, []);
});

fact("a project moves to another namespace", async (world) => {
  const { Projects } = signedIn(world, "ada");
  const { id } = await Projects.create({ name: "Moving" });

  await Projects.transfer(id, "acme");

  assert.equal((await Projects.show(id)).path_with_namespace, "acme/moving");
});

fact("an upload is served", async (world) => {
  const file = { content: new Blob(["hello"]), filename: "notes.txt" };

  const uploaded = await signedIn(world, "ada").Projects.uploadForReference("acme/docs", file);

  assert.equal(uploaded.alt, "notes.txt");
  assert.equal(await (await fetch(`${world.url}/acme/docs${uploaded.url}`)).text(), "hello");
});

fact("namespaces are those of the caller", async (world) => {
  const client = signedIn(world, "ada");

  const namespaces = await client.Namespaces.all();

  const found = namespaces.map((namespace) => namespace.full_path);
  assert.ok(found.includes("ada") && found.includes("acme"));
  assert.equal((await client.Namespaces.show("ada")).kind, "user");
});

fact("a group lives", async (world) => {
  const { Groups } = signedIn(world, "ada");

  const { id } = await Groups.create("Ops", "ops");
  await Groups.edit(id, { description: "Keeps it running" });

  assert.equal((await Groups.show("ops")).description, "Keeps it running");
  await Groups.remove(id);
  await assert.rejects(Groups.show("ops"));
});

fact("an issue lives, with labels and a milestone", async (world) => {
  const { Issues, ProjectLabels, ProjectMilestones } = signedIn(world, "ada");
  await ProjectLabels.create("acme/site", "soon", "#ff0000");
  const milestone = await ProjectMilestones.create("acme/site", "Spring");

  const { iid } = await Issues.create("acme/site", "Sow", { labels: "soon", milestoneId: milestone.id });
  await Issues.edit("acme/site", iid, { stateEvent: "close" });

  const closed = await Issues.show(iid, { projectId: "acme/site" });
  assert.deepEqual([closed.state, closed.labels, closed.milestone.title], ["closed", ["soon"], "Spring"]);
  const found = await Issues.all({ projectId: "acme/site", labels: "soon", state: "closed" });
  assert.deepEqual(found.map((issue) => issue.iid), [iid]);
});

fact("a repository is read and committed to", async (world) => {
  const { Commits, Repositories, RepositoryFiles } = signedIn(world, "mia");
  const actions = [{ action: "create", filePath: "docs/a b.md", content: "hello" }];

  const made = await Commits.create("acme/site", "topic", "Say hello", actions, { startBranch: "master" });

  const tree = await Repositories.allRepositoryTrees("acme/site", { ref: "topic", recursive: true });
  assert.ok(tree.some((entry) => entry.path === "docs/a b.md"));
  const file = await RepositoryFiles.show("acme/site", "docs/a b.md", "topic");
  assert.equal(file.commit_id, made.id);
  assert.equal(Buffer.from(file.content, "base64").toString(), "hello");
  const between = await Repositories.compare("acme/site", "master", "topic");
  assert.deepEqual(between.commits.map((commit) => commit.id), [made.id]);
});
