// What users of @gitbeaker/rest rely on around CI/CD.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { refused, signedIn } from "./gitbeaker_client.mjs";
import { advance, fact, playJobs, settle } from "./world.mjs";

const SITE = "acme/site";
const AUTO = { clock: "auto" };
const NEWER = { clock: "auto", instance: { version: "latest" } };
const ACTIVE = ["created", "waiting_for_resource", "preparing", "pending", "running"];
const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJBaoK/e5wgQKvIJgmacjTRgUFsQyX3faICFbGje/Iev ada@example.test";
const CONFIGURATION = `
stages: [build, deploy]
compile:
  stage: build
  script: make
publish:
  stage: deploy
  script: make publish
  when: manual
  environment: {name: production, url: "https://site.example.test"}
`;

async function configure(client, content = CONFIGURATION) {
  const actions = [{ action: "update", filePath: ".gitlab-ci.yml", content }];
  // Later releases name the first branch differently.
  const { default_branch: branch } = await client.Projects.show(SITE);
  return client.Commits.create(SITE, branch, "Configure CI [ci skip]", actions);
}

async function started(client) {
  await configure(client);
  return client.Pipelines.create(SITE, "master");
}

async function finished(client, { id }) {
  for (let tries = 0; tries < 50; tries += 1) {
    const pipeline = await client.Pipelines.show(SITE, id);
    if (!ACTIVE.includes(pipeline.status)) return pipeline;
  }
  throw new Error("the pipeline does not end");
}

async function jobNamed(client, pipeline, name) {
  const jobs = await client.Jobs.all(SITE, { pipelineId: pipeline.id });
  return jobs.find((job) => job.name === name);
}

const namesOf = (records) => records.map((record) => record.name);

// The loop that users write; a virtual clock is moved by the test, a real one moves itself.
function waitingUnder(clock) {
  return async (world) => {
    const mia = signedIn(world, "mia");
    await playJobs(world, { outcome: "success", after: clock === "real" ? "0.3s" : "30s" });
    let pipeline = await started(mia);
    const seen = [pipeline.status];
    const deadline = Date.now() + 20_000;
    while (ACTIVE.includes(pipeline.status) && Date.now() < deadline) {
      await sleep(clock === "real" ? 20 : 0);
      if (clock === "virtual") await advance(world, "1s");
      pipeline = await mia.Pipelines.show(SITE, pipeline.id);
      if (seen.at(-1) !== pipeline.status) seen.push(pipeline.status);
    }
    assert.deepEqual(seen, ["pending", "running", "success"]);
  };
}

fact("a pipeline is waited for by the real clock", waitingUnder("real"), { clock: "real" });

fact("a pipeline is waited for under a virtual clock", waitingUnder("virtual"), { clock: "virtual" });

fact("a pipeline is waited for while asking moves time", waitingUnder("auto"), AUTO);

fact("a pipeline settles", async (world) => {
  const mia = signedIn(world, "mia");
  const { id } = await started(mia);

  assert.equal((await mia.Pipelines.show(SITE, id)).status, "pending");
  await settle(world);
  assert.equal((await mia.Pipelines.show(SITE, id)).status, "success");
}, { clock: "virtual" });

fact("a failed pipeline succeeds when it is retried", async (world) => {
  const mia = signedIn(world, "mia");
  await playJobs(world, { job: "compile", attempts: ["failed", "success"], log: "$ make\n" });
  const pipeline = await finished(mia, await started(mia));

  assert.equal(pipeline.status, "failed");
  const failed = await jobNamed(mia, pipeline, "compile");
  assert.deepEqual([failed.status, await mia.Jobs.showLog(SITE, failed.id)], ["failed", "$ make\n"]);
  await mia.Pipelines.retry(SITE, pipeline.id);
  assert.equal((await finished(mia, pipeline)).status, "success");
  assert.deepEqual((await mia.Pipelines.all(SITE, { status: "success" })).map((row) => row.id), [pipeline.id]);
}, AUTO);

fact("a pipeline is canceled and removed", async (world) => {
  const [ada, mia] = [signedIn(world, "ada"), signedIn(world, "mia")];
  const variables = [{ key: "FEED", value: "yes" }];
  await configure(mia);
  const { id } = await mia.Pipelines.create(SITE, "master", { variables });

  const [{ raw, ...variable }] = await mia.Pipelines.allVariables(SITE, id);
  assert.deepEqual([variable, raw ?? false], [{ variable_type: "env_var", ...variables[0] }, false]);
  assert.equal((await mia.Pipelines.cancel(SITE, id)).status, "canceled");
  await refused(mia.Pipelines.remove(SITE, id), 403, "403 Forbidden");
  await ada.Pipelines.remove(SITE, id);
  await refused(mia.Pipelines.show(SITE, id), 404, "404 Not found");
  await refused(mia.Pipelines.create(SITE, "missing"), 400, '{"base":["Reference not found"]}');
}, AUTO);

fact("a manual job is played, and deploys", async (world) => {
  const mia = signedIn(world, "mia");
  const pipeline = await finished(mia, await started(mia));
  const { id } = await jobNamed(mia, pipeline, "publish");

  await mia.Jobs.play(SITE, id);
  for (let tries = 0; tries < 5; tries += 1) await mia.Jobs.show(SITE, id);
  const [deployment] = await mia.Deployments.all(SITE, { environment: "production" });
  assert.deepEqual([deployment.status, deployment.deployable.id], ["success", id]);
  assert.equal((await mia.Environments.all(SITE))[0].external_url, "https://site.example.test");
  await refused(mia.Jobs.play(SITE, (await jobNamed(mia, pipeline, "compile")).id), 400, "400 Bad request - Unplayable Job");
  const retried = await mia.Jobs.retry(SITE, id);
  assert.ok(retried.id > id);
  assert.equal((await mia.Jobs.cancel(SITE, retried.id)).status, "canceled");
}, AUTO);

fact("variables live in projects, groups and the instance", async (world) => {
  const [ada, root] = [signedIn(world, "ada"), signedIn(world, "root")];
  const owners = [
    [ada.ProjectVariables, SITE],
    [ada.GroupVariables, "acme"],
    [root.InstanceLevelCICDVariables],
  ];

  for (const [variables, ...of] of owners) {
    await variables.create(...of, "FEED", "one", { protected: true });
    await variables.edit(...of, "FEED", "two");
    const { value, protected: isProtected } = await variables.show(...of, "FEED");
    assert.deepEqual([value, isProtected], ["two", true]);
    assert.deepEqual((await variables.all(...of)).map((variable) => variable.key), ["FEED"]);
    if (of.length) { // remove() of the instance's variables sends a GET in this release
      await variables.remove(...of, "FEED");
      assert.deepEqual(await variables.all(...of), []);
    }
  }
});

fact("a schedule lives with its variables", async (world) => {
  const mia = signedIn(world, "mia");
  await configure(mia);
  const { id } = await mia.PipelineSchedules.create(SITE, "Nightly", "master", "0 1 * * *");

  await mia.PipelineScheduleVariables.create(SITE, id, "FEED", "one");
  await mia.PipelineSchedules.edit(SITE, id, { description: "Daily" });
  const schedule = await mia.PipelineSchedules.show(SITE, id);
  assert.deepEqual([schedule.description, schedule.variables[0].key], ["Daily", "FEED"]);
  assert.equal((await mia.PipelineSchedules.run(SITE, id)).message, "201 Created");
  assert.equal((await mia.PipelineSchedules.show(SITE, id)).last_pipeline.ref, "master");
  await mia.PipelineScheduleVariables.remove(SITE, id, "FEED");
  await mia.PipelineSchedules.remove(SITE, id);
  assert.deepEqual(await mia.PipelineSchedules.all(SITE), []);
});

fact("a trigger starts a pipeline", async (world) => {
  const mia = signedIn(world, "mia");
  await configure(mia);
  const { id, token } = await mia.PipelineTriggerTokens.create(SITE, "Nightly");

  const pipeline = await mia.PipelineTriggerTokens.trigger(SITE, "master", token, { variables: { DEPLOY: "yes" } });

  // From 13.9 on the request itself is a variable, too.
  const variables = (await mia.Pipelines.allVariables(SITE, pipeline.id)).filter(({ key }) => key !== "TRIGGER_PAYLOAD");
  assert.deepEqual(variables.map(({ key, value }) => [key, value]), [["DEPLOY", "yes"]]);
  await mia.PipelineTriggerTokens.remove(SITE, id);
  await refused(mia.PipelineTriggerTokens.trigger(SITE, "master", token), 404, "404 Not Found");
});

fact("a runner is registered, paused and removed", async (world) => {
  const mia = signedIn(world, "mia");
  const { runners_token: token } = await mia.Projects.show(SITE);

  const { id } = await mia.Runners.register(token, { description: "builder", tagList: ["linux"] });
  await mia.Runners.edit(id, { active: false });
  const runner = await mia.Runners.show(id);
  assert.deepEqual([runner.description, runner.tag_list, runner.active], ["builder", ["linux"], false]);
  assert.deepEqual((await mia.Runners.all({ projectId: SITE })).map((row) => row.id), [id]);
  assert.deepEqual(await mia.Runners.allJobs(id), []);
  await mia.Runners.remove({ runnerId: id });
  await refused(mia.Runners.show(id), 404, "404 Not found");
});

fact("another system reports the status of a commit", async (world) => {
  const dev = signedIn(world, "dev");
  const { id: sha } = await dev.Commits.show(SITE, "feature");

  await dev.Commits.editStatus(SITE, sha, "running", { name: "jenkins" });
  await dev.Commits.editStatus(SITE, sha, "success", { name: "jenkins", coverage: 81.5 });

  const statuses = await dev.Commits.allStatuses(SITE, sha);
  assert.deepEqual(statuses.map(({ name, status }) => [name, status]), [["jenkins", "success"]]);
  assert.equal((await dev.Commits.show(SITE, "feature")).status, "success");
});

fact("environments and deployments are reported", async (world) => {
  const dev = signedIn(world, "dev");
  const { id: sha } = await dev.Commits.show(SITE, "master");
  const { id } = await dev.Environments.create(SITE, "staging", { externalUrl: "https://staging.example.test" });

  const deployment = await dev.Deployments.create(SITE, "staging", sha, "master", false, { status: "running" });
  assert.equal((await dev.Deployments.edit(SITE, deployment.id, "success")).status, "success");
  assert.equal((await dev.Environments.show(SITE, id)).last_deployment.id, deployment.id);
  await refused(dev.Environments.remove(SITE, id), 403, "403 Forbidden");
  await dev.Environments.stop(SITE, id);
  await dev.Environments.remove(SITE, id);
  assert.deepEqual(await dev.Environments.all(SITE), []);
});

fact("feature flags and their user lists live", async (world) => {
  const dev = signedIn(world, "dev");
  const strategies = [{ name: "default", parameters: {}, scopes: [{ environment_scope: "production" }] }];

  await dev.FeatureFlags.create(SITE, "dark", "new_version_flag", { strategies });
  await dev.FeatureFlags.edit(SITE, "dark", { active: false });
  const flag = await dev.FeatureFlags.show(SITE, "dark");
  assert.deepEqual([flag.active, flag.strategies[0].scopes[0].environment_scope], [false, "production"]);
  await dev.FeatureFlags.remove(SITE, "dark");
  assert.deepEqual(await dev.FeatureFlags.all(SITE), []);
  const { iid } = await dev.FeatureFlagUserLists.create(SITE, "testers", "one,two");
  await dev.FeatureFlagUserLists.edit(SITE, iid, { userXids: "one" });
  assert.equal((await dev.FeatureFlagUserLists.show(SITE, iid)).user_xids, "one");
  await dev.FeatureFlagUserLists.remove(SITE, iid);
});

fact("freeze periods live", async (world) => {
  const { FreezePeriods } = signedIn(world, "mia");

  const { id } = await FreezePeriods.create(SITE, "0 23 * * 5", "0 8 * * 1", { cronTimezone: "UTC" });
  await FreezePeriods.edit(SITE, id, { freezeEnd: "0 7 * * 1" });
  assert.equal((await FreezePeriods.show(SITE, id)).freeze_end, "0 7 * * 1");
  assert.equal((await FreezePeriods.all(SITE)).length, 1);
  await FreezePeriods.remove(SITE, id);
  await refused(FreezePeriods.show(SITE, id), 404, "404 Not found");
});

fact("deploy keys and deploy tokens live", async (world) => {
  const [ada, root] = [signedIn(world, "ada"), signedIn(world, "root")];

  const key = await ada.DeployKeys.create(SITE, "host", KEY);
  assert.equal((await ada.DeployKeys.edit(SITE, key.id, { canPush: true })).can_push, true);
  await ada.DeployKeys.enable("acme/docs", key.id);
  assert.deepEqual((await root.DeployKeys.all()).map((row) => row.title), ["host"]);
  await ada.DeployKeys.remove(SITE, key.id);
  for (const owner of [{ projectId: SITE }, { groupId: "acme" }]) {
    const token = await ada.DeployTokens.create("pull", ["read_repository"], owner);
    assert.ok(token.token);
    assert.deepEqual(namesOf(await ada.DeployTokens.all(owner)), ["pull"]);
    await ada.DeployTokens.remove(token.id, owner);
    assert.deepEqual(await ada.DeployTokens.all(owner), []);
  }
});

fact("the configuration of a project is validated", async (world) => {
  const mia = signedIn(world, "mia");
  await configure(mia);

  assert.equal((await mia.Lint.check(SITE, {})).valid, true);
  const invalid = await mia.Lint.lint(SITE, "unit:\n  stage: test\n");
  assert.deepEqual(
    [invalid.valid, invalid.errors[0]],
    [false, "jobs unit config should implement the script:, run:, or trigger: keyword"],
  );
}, NEWER);

fact("resource groups are read and changed", async (world) => {
  const mia = signedIn(world, "mia");
  await configure(mia, "release:\n  script: make\n  resource_group: production\n");
  await mia.Pipelines.create(SITE, (await mia.Projects.show(SITE)).default_branch);

  assert.deepEqual((await mia.ResourceGroups.all(SITE)).map((group) => group.key), ["production"]);
  await mia.ResourceGroups.edit(SITE, "production", { processMode: "newest_first" });
  assert.equal((await mia.ResourceGroups.show(SITE, "production")).process_mode, "newest_first");
}, NEWER);
