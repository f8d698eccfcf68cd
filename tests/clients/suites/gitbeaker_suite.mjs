// What users of @gitbeaker/rest rely on.

import assert from "node:assert/strict";
import { Blob } from "node:buffer";
import { refused, signedIn, user } from "./gitbeaker_client.mjs";
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

const paths = (projects) => projects.map((project) => project.path_with_namespace).sort();

// Later releases delete with a delay, and do not record user agents.
const early = { instance: { version: "13.5" } };

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

  const usernames = users.map((account) => account.username);
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
    byOffset.map((project) => project.id).sort((a, b) => a - b),
  );
});

fact("a user is made, changed and removed", async (world) => {
  const { Users } = signedIn(world, "root");

  const newcomer = await Users.create(NEW_USER);
  assert.deepEqual([newcomer.username, newcomer.state], ["newcomer", "active"]);
  await refused(Users.create(NEW_USER), 409, "Email has already been taken");

  const changed = await Users.edit(newcomer.id, { bio: "two" });
  assert.equal(changed.bio, "two");

  await Users.remove(newcomer.id);
  await refused(Users.show(newcomer.id), 404, "404 User Not Found");
});

fact("a project is made, changed and removed", async (world) => {
  const { Projects } = signedIn(world, "ada");

  const project = await Projects.create({ name: "New Thing", issuesAccessLevel: "disabled" });
  assert.deepEqual([project.path_with_namespace, project.visibility], ["ada/new-thing", "private"]);
  assert.equal(project.issues_enabled, false);

  const changed = await Projects.edit(project.id, { description: "two", visibility: "public" });
  assert.deepEqual([changed.description, changed.visibility], ["two", "public"]);

  await Projects.remove(project.id);
  await refused(Projects.show(project.id), 404, "404 Project Not Found");
}, early);

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

  const fullPaths = namespaces.map((namespace) => namespace.full_path);
  assert.ok(fullPaths.includes("ada") && fullPaths.includes("acme"));
  assert.equal((await client.Namespaces.show("ada")).kind, "user");
});

fact("a group lives", async (world) => {
  const { Groups } = signedIn(world, "ada");

  const { id } = await Groups.create("Ops", "ops");
  await Groups.edit(id, { description: "Keeps it running" });

  assert.equal((await Groups.show("ops")).description, "Keeps it running");
  await Groups.remove(id);
  await assert.rejects(Groups.show("ops"));
}, early);

fact("an issue lives, with labels and a milestone", async (world) => {
  const { Issues, ProjectLabels, ProjectMilestones } = signedIn(world, "ada");
  await ProjectLabels.create("acme/site", "soon", "#ff0000");
  const milestone = await ProjectMilestones.create("acme/site", "Spring");

  const { iid } = await Issues.create("acme/site", "Sow", { labels: "soon", milestoneId: milestone.id });
  await Issues.edit("acme/site", iid, { stateEvent: "close" });

  const closed = await Issues.show(iid, { projectId: "acme/site" });
  assert.deepEqual([closed.state, closed.labels, closed.milestone.title], ["closed", ["soon"], "Spring"]);
  const issues = await Issues.all({ projectId: "acme/site", labels: "soon", state: "closed" });
  assert.deepEqual(issues.map((issue) => issue.iid), [iid]);
});

fact("a repository is read and committed to", async (world) => {
  const { Commits, Repositories, RepositoryFiles } = signedIn(world, "mia");
  const actions = [{ action: "create", filePath: "docs/a b.md", content: "hello" }];

  const commit = await Commits.create("acme/site", "topic", "Say hello", actions, { startBranch: "master" });

  const tree = await Repositories.allRepositoryTrees("acme/site", { ref: "topic", recursive: true });
  assert.ok(tree.some((entry) => entry.path === "docs/a b.md"));
  const file = await RepositoryFiles.show("acme/site", "docs/a b.md", "topic");
  assert.equal(file.commit_id, commit.id);
  assert.equal(Buffer.from(file.content, "base64").toString(), "hello");
  const between = await Repositories.compare("acme/site", "master", "topic");
  assert.deepEqual(between.commits.map((commit) => commit.id), [commit.id]);
});

async function reviewedAndMerged(world) {
  const [dev, mia] = [signedIn(world, "dev"), signedIn(world, "mia")];
  const { iid: issue } = await dev.Issues.create("acme/site", "Say hello");
  await mia.Projects.edit("acme/site", { onlyAllowMergeIfAllDiscussionsAreResolved: true });
  await dev.Branches.create("acme/site", "hello", "master");
  const actions = [{ action: "create", filePath: "hello.txt", content: "Hello\nworld\n" }];
  await dev.Commits.create("acme/site", "hello", "Say hello", actions);
  const { iid } = await dev.MergeRequests.create("acme/site", "hello", "master", "Say hello", {
    description: `Closes #${issue}`,
    removeSourceBranch: true,
  });
  const opened = await mia.MergeRequests.show("acme/site", iid);
  assert.deepEqual([opened.state, opened.merge_status], ["opened", "can_be_merged"]);

  const { base_sha: baseSha, start_sha: startSha, head_sha: headSha } = opened.diff_refs;
  const position = { baseSha, startSha, headSha, positionType: "text", newPath: "hello.txt", newLine: "2" };
  const thread = await mia.MergeRequestDiscussions.create("acme/site", iid, "Capital W?", { position });
  assert.deepEqual([thread.notes[0].type, thread.notes[0].position.new_line], ["DiffNote", 2]);
  await dev.MergeRequestDiscussions.addNote("acme/site", iid, thread.id, "As it is in the issue");
  assert.equal((await mia.MergeRequests.show("acme/site", iid)).blocking_discussions_resolved, false);
  await refused(mia.MergeRequests.merge("acme/site", iid), 405, "405 Method Not Allowed");
  const settled = await dev.MergeRequestDiscussions.resolve("acme/site", iid, thread.id, true);
  assert.deepEqual(settled.notes.map((note) => note.resolved), [true, true]);

  await mia.MergeRequestAwardEmojis.award("acme/site", iid, "rocket");
  await mia.MergeRequestApprovals.approve("acme/site", iid, { sha: opened.sha });
  const merged = await mia.MergeRequests.merge("acme/site", iid, { sha: opened.sha });

  assert.deepEqual([merged.state, merged.merged_by.username], ["merged", "mia"]);
  assert.equal((await dev.Issues.show(issue, { projectId: "acme/site" })).state, "closed");
  const branches = await dev.Branches.all("acme/site");
  assert.ok(!branches.some((branch) => branch.name === "hello"));
}

fact("a change is reviewed and merged by the real clock", reviewedAndMerged, { clock: "real" });

fact("a change is reviewed and merged while time stands still", reviewedAndMerged, { clock: "virtual" });

fact("a change is reviewed and merged while asking moves time", reviewedAndMerged, { clock: "auto" });

fact("snippets live, personal ones and those of a project", async (world) => {
  const [dev, root] = [signedIn(world, "dev"), signedIn(world, "root")];
  const files = [{ filePath: "a.sh", content: "ls\n" }, { filePath: "docs/b.md", content: "# B\n" }];
  const site = (await dev.Projects.show("acme/site")).id;

  const own = await dev.Snippets.create("Tools", { files, visibility: "internal" });
  const inside = await dev.ProjectSnippets.create(site, "Deploy", { files, visibility: "private" });
  assert.equal(await dev.Snippets.showContent(own.id), "ls\n");
  assert.equal(await dev.ProjectSnippets.showRepositoryFileContent(site, inside.id, "master", "docs/b.md"), "# B\n");

  const moved = [{ action: "move", filePath: "c.md", previousPath: "docs/b.md" }, { action: "delete", filePath: "a.sh" }];
  const edited = await dev.ProjectSnippets.edit(site, inside.id, { files: moved, title: "Deployed" });
  assert.deepEqual([edited.title, edited.files.map((file) => file.path)], ["Deployed", ["c.md"]]);
  assert.ok((await root.ProjectSnippets.showUserAgentDetails(site, inside.id)).ip_address);
  assert.deepEqual((await dev.Snippets.all()).map((row) => row.id), [inside.id, own.id]);

  await dev.Snippets.remove(own.id);
  await refused(dev.Snippets.show(own.id), 404, "404 Snippet Not Found");
  await dev.ProjectSnippets.remove(site, inside.id);
  assert.deepEqual(await dev.ProjectSnippets.all(site), []);
}, early);

const paid = { instance: { tier: "premium" } };

fact("those who are named approve before it is merged", async (world) => {
  const [ada, mia] = [signedIn(world, "ada"), signedIn(world, "mia")];
  const [me, them] = [await user(ada, "ada"), await user(ada, "mia")];
  const asked = { mergerequestIId: 1 };

  const rule = await ada.MergeRequestApprovals.createApprovalRule("acme/site", "Look", 1, { userIds: [them.id] });
  assert.deepEqual((await ada.MergeRequestApprovals.allApprovalRules("acme/site")).map((row) => row.id), [rule.id]);
  assert.equal((await ada.MergeRequestApprovals.showConfiguration("acme/site")).approvals_before_merge, 0);
  const both = { ...asked, userIds: [me.id, them.id], approvalProjectRuleId: rule.id };
  const own = await ada.MergeRequestApprovals.createApprovalRule("acme/site", "x", 1, both);
  assert.deepEqual([own.name, own.source_rule], ["Look", { approvals_required: 1 }]);
  await assert.rejects(ada.MergeRequests.merge("acme/site", 1));
  await mia.MergeRequestApprovals.approve("acme/site", 1);
  const left = await ada.MergeRequestApprovals.showConfiguration("acme/site", asked);
  assert.deepEqual([left.approved, left.approvals_left], [true, 0]);
  await ada.MergeRequestApprovals.removeApprovalRule("acme/site", rule.id);
  assert.equal((await ada.MergeRequests.merge("acme/site", 1)).state, "merged");
}, paid);

fact("people and milestones have lists, and a milestone burns down", async (world) => {
  const ada = signedIn(world, "ada");
  const me = await user(ada, "ada");
  const site = (await ada.Projects.show("acme/site")).id;
  const sprint = await ada.ProjectMilestones.create(site, "Sprint", { startDate: "2020-01-01", dueDate: "2099-01-01" });
  const board = await ada.ProjectIssueBoards.create(site, "Work");

  const mine = await ada.ProjectIssueBoards.createList(site, board.id, { assigneeId: me.id });
  const planned = await ada.ProjectIssueBoards.createList(site, board.id, { milestoneId: sprint.id });
  assert.deepEqual([mine.assignee.username, planned.milestone.title], ["ada", "Sprint"]);
  await ada.Issues.create(site, "Run", { milestoneId: sprint.id, weight: 5 });
  const events = await ada.ProjectMilestones.allBurndownChartEvents(site, sprint.id);
  assert.deepEqual(events.map((event) => [event.action, event.weight]), [["created", 5]]);
}, paid);

const site = { path_with_namespace: "acme/site", pipelines: [{ ref: "feature", status: "running" }] };

fact("a merge request waits for its pipeline until somebody cancels that", async (world) => {
  const mia = signedIn(world, "mia");

  const [pipeline] = await mia.MergeRequests.allPipelines("acme/site", 1);
  assert.equal(pipeline.status, "running");
  const waiting = await mia.MergeRequests.merge("acme/site", 1, { mergeWhenPipelineSucceeds: true });
  assert.deepEqual([waiting.state, waiting.head_pipeline.id], ["opened", pipeline.id]);
  await mia.MergeRequests.cancelOnPipelineSuccess("acme/site", 1);
  assert.equal((await mia.MergeRequests.show("acme/site", 1)).merge_when_pipeline_succeeds, false);
}, { scenario: { extends: "starter", projects: [site] } });
