// The package in a project of CommonJS modules, without a framework.
const assert = require("node:assert/strict");
const { test } = require("node:test");

const { start } = require("fakeplat");
const { useFakeplat } = require("fakeplat/node-test");

const platform = useFakeplat();

test("the package can be required", async () => {
  const server = await start();
  assert.equal((await platform.world.health()).status, "ok");
  assert.notEqual(server.url, platform.world.url);
  await server.stop();
});
