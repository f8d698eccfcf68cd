// Each part of the control API, and real clients.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { Gitlab } from "@gitbeaker/rest";
import { request } from "@octokit/request";
import { ControlError } from "fakeplat";
import { useFakeplat } from "fakeplat/node-test";

const platform = useFakeplat();

async function connect(user) {
  return new Gitlab({ host: platform.world.url, token: await platform.world.token(user) });
}

test("gitbeaker works with a world", async () => {
  const client = await connect("dev");
  const issue = await client.Issues.create("acme/site", "Broken link");
  assert.equal(issue.author.username, "dev");
  const [created] = await platform.world.requests.list({ operation: "create_issue" });
  assert.deepEqual([created.user, created.status], ["dev", 201]);
});

test("octokit's request works with a world", async () => {
  const { apiUrl } = platform.world;
  const headers = { "private-token": await platform.world.token("ada") };
  const { data } = await request("GET /projects/{id}", { baseUrl: apiUrl, headers, id: "acme/site" });
  assert.equal(data.path_with_namespace, "acme/site");
  await assert.rejects(request("GET /projects/{id}", { baseUrl: apiUrl, headers, id: "acme/none" }), { status: 404 });
});

test("faults are declared, counted and removed", async () => {
  const { faults } = platform.world;
  const fault = await faults.add({ operation: "create_issue", status: 503, body: { message: "Out of order" }, once: true });
  const client = await connect("dev");
  await assert.rejects(client.Issues.create("acme/site", "Broken link"), /Out of order/);
  assert.equal((await faults.get(fault.id)).happened, 1);
  assert.deepEqual((await faults.list()).map(({ id }) => id), [fault.id]);
  await faults.remove(fault.id);
  assert.deepEqual(await faults.list(), []);
  await faults.add({ path: "projects/*", status: 500 });
  await faults.clear();
  assert.deepEqual(await faults.list(), []);
});

test("the clock is moved", async () => {
  const { clock } = platform.world;
  const before = await clock.get();
  assert.equal(before.kind, "auto");
  assert.equal((await clock.advance("1h30m")).now, new Date(Date.parse(before.now) + 5_400_000).toISOString());
  assert.equal((await clock.moveTo(new Date("2021-01-01T00:00:00Z"))).now, "2021-01-01T00:00:00.000Z");
  await platform.world.settle();
  await assert.rejects(clock.moveTo("2020-01-01T00:00:00Z"), ControlError);
});

test("snapshots are taken, compared and restored", async () => {
  const { snapshots } = platform.world;
  const client = await connect("ada");
  const name = await snapshots.take();
  assert.equal(await snapshots.take("later"), "later");
  await client.ProjectLabels.create("acme/site", "from-a-test", "#ff0000");
  assert.deepEqual((await platform.world.diff(name)).created, { labels: ["acme/site~from-a-test"] });
  await snapshots.restore(name);
  assert.deepEqual((await platform.world.diff(name)).created, {});
  await snapshots.delete("later");
  assert.deepEqual((await snapshots.list()).map((snapshot) => snapshot.name), [name]);
  assert.equal((await snapshots.get(name)).name, name);
});

test("pipelines are played as declared", async () => {
  const outcomes = await platform.world.pipelines.replace({ job: "test", outcome: "failed" });
  assert.deepEqual(await platform.world.pipelines.list(), outcomes);
  const client = await connect("mia");
  const { id } = await client.Pipelines.create("acme/site", "master");
  await platform.world.settle();
  assert.equal((await client.Pipelines.show("acme/site", id)).status, "failed");
});

test("deliveries are awaited and repeated", async () => {
  const receiver = createServer((_, response) => response.writeHead(204).end()).listen(0, "127.0.0.1");
  await new Promise((resolve) => receiver.once("listening", resolve));
  const url = `http://127.0.0.1:${receiver.address().port}/`;
  const { deliveries } = platform.world;
  const client = await connect("ada");
  await client.ProjectHooks.add("acme/site", url, { issuesEvents: true });
  await client.Issues.create("acme/site", "Broken link");
  const delivery = await deliveries.waitFor({ trigger: "issue", state: "delivered" });
  assert.deepEqual([delivery.url, delivery.status, delivery.json.object_kind], [url, 204, "issue"]);
  assert.equal((await deliveries.redeliver(delivery.id)).attempt, 2);
  await deliveries.clear();
  await assert.rejects(deliveries.waitFor({ trigger: "wiki_page", wait: "10ms" }), /no delivery matches/);
  receiver.close();
});

test("mails are listed and cleared", async () => {
  const client = await connect("ada");
  await client.Issues.create("acme/site", "Broken link", { assigneeId: (await client.Users.all({ username: "dev" }))[0].id });
  const [mail] = await platform.world.mails.list({ to: "dev@example.test" });
  assert.match(mail.subject, /Broken link/);
  await platform.world.mails.clear();
  assert.deepEqual(await platform.world.mails.list(), []);
});

test("a world is extended, exported and reset", async () => {
  const { world } = platform;
  const changes = await world.load({ users: [{ username: "release-bot" }] });
  assert.deepEqual(changes.created.users, ["release-bot"]);
  assert.ok((await world.scenario()).users.some(({ username }) => username === "release-bot"));
  await world.reset();
  assert.ok(!(await world.scenario()).users.some(({ username }) => username === "release-bot"));
});

test("the documents of a world are served", async () => {
  assert.ok((await platform.world.openapi()).paths["/api/v4/projects"]);
  assert.ok((await platform.world.coverage()).some(({ operation }) => operation === "create_issue"));
});

test("the journal is cleared", async () => {
  await (await connect("ada")).Projects.show("acme/site");
  assert.equal((await platform.world.requests.list({ status: "2xx" })).length, 1);
  await platform.world.requests.clear();
  assert.deepEqual(await platform.world.requests.list(), []);
});

test("a refused control request gives the server's reason", async () => {
  await assert.rejects(platform.world.faults.add({ operation: "create_isue", status: 500 }), (error) => {
    assert.ok(error instanceof ControlError);
    assert.equal(error.status, 400);
    assert.match(error.message, /^POST \/_fakeplat\/faults: .*create_issue/);
    return true;
  });
});
