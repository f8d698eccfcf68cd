import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { useFakeplat } from "fakeplat/node-test";

const platform = useFakeplat({ tier: "premium" });
let first;

async function star(world) {
  const headers = { "private-token": await world.token("dev") };
  const response = await fetch(`${world.apiUrl}/projects/acme%2Fsite/star`, { method: "POST", headers });
  return response.status;
}

test("a test has a world", async () => {
  first = platform.world;
  assert.equal(await star(first), 201);
});

test("the next test has another world in its initial state", async () => {
  assert.notEqual(platform.world.url, first.url);
  assert.equal(await star(platform.world), 201);
});

test("the world of an earlier test is closed", async () => {
  await assert.rejects(first.health(), /fetch failed/);
});

describe("options", () => {
  const latest = useFakeplat({ version: "latest", scenario: "empty" });

  test("a block has worlds of its own", async () => {
    const metadata = await fetch(`${latest.world.apiUrl}/version`, { headers: { "private-token": latest.world.rootToken } });
    assert.match((await metadata.json()).version, /^19\./);
    assert.equal((await latest.world.health()).scenario, "empty");
  });
});
