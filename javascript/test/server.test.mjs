// The process of the server: how it is found, and how it ends.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";

import { connect, FakeplatError, ServerFailedError, ServerNotFoundError, start, startOrConnect } from "fakeplat";

const COMMAND = process.env.FAKEPLAT;
const PATH = process.env.PATH;
let folder;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fakeplat-test-"));
});

afterEach(() => {
  process.env.FAKEPLAT = COMMAND;
  process.env.PATH = PATH;
  delete process.env.FAKEPLAT_URL;
});

function writeProgram(name, script) {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

async function isServing(url) {
  try {
    return (await fetch(`${url}/_fakeplat/health`)).ok;
  } catch {
    return false;
  }
}

async function untilStopped(url) {
  while (await isServing(url)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("a server has isolated worlds until it is stopped", async () => {
  const server = await start({ scenario: "starter", tier: "ultimate", clock: "virtual", seed: 3 });
  const [first, second] = [await server.createWorld(), await server.createWorld({ scenario: "empty", base_url: "https://git.example.test" })];
  assert.deepEqual([(await first.health()).scenario, (await first.health()).seed], ["starter", 3]);
  assert.equal((await first.clock.get()).kind, "virtual");
  assert.equal(second.apiUrl, "https://git.example.test/api/v4");
  assert.equal((await fetch(`${second.listenUrl}/_fakeplat/health`)).status, 200);
  await second.close();
  assert.ok(!(await isServing(second.listenUrl)));
  await server.stop();
  assert.ok(!(await isServing(first.url)));
});

test("a server has the world that its options ask for", async () => {
  const server = await start({ scenario: "starter", version: "16.11", tier: "premium" });
  const headers = { "private-token": "ada-token" };
  const version = await (await fetch(`${server.url}/api/v4/version`, { headers })).json();
  assert.match(version.version, /^16\.11/);
  assert.equal((await fetch(`${server.world.apiUrl}/projects/acme%2Fsite`, { headers })).status, 200);
  assert.notEqual((await server.createWorld()).url, server.url);
  await server.stop();
  await assert.rejects(start({ scenario: "stater" }), /starter/);
});

test("a port is that of the first world", async () => {
  const probe = await start();
  const { port } = new URL(probe.url);
  await probe.stop();
  const server = await start({ port: Number(port) });
  assert.equal(new URL(server.url).port, port);
  assert.notEqual((await server.createWorld()).url, server.url);
  await server.stop();
});

test("a scenario is a name, a file or the scenario itself", async () => {
  const server = await start();
  const file = join(folder, "shop.yaml");
  writeFileSync(file, "groups: [{path: shop}]\n");
  for (const scenario of [file, { groups: [{ path: "shop" }] }]) {
    const world = await server.createWorld({ scenario });
    const response = await fetch(`${world.apiUrl}/groups/shop`, { headers: { "private-token": world.rootToken } });
    assert.equal(response.status, 200);
  }
  await assert.rejects(server.createWorld({ scenario: "stater" }), /starter/);
  await assert.rejects(server.createWorld({ teir: "free" }), /teir.*tier/s);
  await server.stop();
});

test("the server ends with the process that started it", async () => {
  for (const end of ["", "process.exit(3)", "process.kill(process.pid, 'SIGKILL')"]) {
    const script = `import { start } from "fakeplat"; console.log((await start()).url); ${end}`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
    assert.match(stdout, /^http:/);
    await untilStopped(stdout.trim());
  }
});

test("the server is found on PATH, by uvx, by pipx and as a module of Python", async () => {
  delete process.env.FAKEPLAT;
  for (const [program, words] of [["python3", "-m fakeplat serve "], ["pipx", "run fakeplat serve "], ["uvx", "fakeplat serve "], ["fakeplat", "serve "]]) {
    const skip = words.split(" ").length - 2;
    writeProgram(program, `case "$*" in "${words}"*) ;; *) exit 1;; esac\nshift ${skip}\nexec ${COMMAND} "$@"`);
    process.env.PATH = `${folder}:/usr/bin:/bin`;
    const server = await start();
    assert.ok(await isServing(server.url));
    await server.stop();
  }
});

test("what was tried is said if no server is found", async () => {
  delete process.env.FAKEPLAT;
  writeProgram("uvx", "echo 'no network' >&2; exit 2");
  process.env.PATH = folder;
  await assert.rejects(start(), (error) => {
    assert.ok(error instanceof ServerNotFoundError && error instanceof FakeplatError);
    assert.equal(
      error.message,
      [
        "the fakeplat server was not found. Install it with `pip install fakeplat`, or set FAKEPLAT to its command.",
        "Tried:",
        "  - `fakeplat`: fakeplat is not there (PATH)",
        "  - `uvx fakeplat`: ended with status 2: no network (PATH)",
        "  - `pipx run fakeplat`: pipx is not there (PATH)",
        "  - `python3 -m fakeplat`: python3 is not there (PATH)",
      ].join("\n"),
    );
    return true;
  });
});

test("FAKEPLAT is a path with spaces, or a command", async () => {
  const program = join(folder, "a folder", "fakeplat");
  mkdirSync(dirname(program));
  symlinkSync(COMMAND, program);
  for (const command of [program, `${COMMAND} `, `/usr/bin/env ${COMMAND}`]) {
    process.env.FAKEPLAT = command;
    await (await start()).stop();
  }
  process.env.FAKEPLAT = join(folder, "none");
  await assert.rejects(start(), /none is not there \(the environment variable FAKEPLAT\)/);
});

test("the options name the command before everything else", async () => {
  process.env.FAKEPLAT = join(folder, "none");
  await (await start({ command: [COMMAND] })).stop();
});

test("what the server refuses is said", async () => {
  await assert.rejects(start({ arguments: ["--seed", "x"] }), (error) => {
    assert.ok(error instanceof ServerFailedError);
    assert.match(error.message, /serve.*--seed/s);
    return true;
  });
});

test("a server that is not ready in time is stopped", async () => {
  writeProgram("slow", "exec sleep 60");
  await assert.rejects(start({ command: [join(folder, "slow")], timeout: 50 }), /was not ready within 50 ms/);
});

test("a running server is used, and left running", async () => {
  const server = await start();
  process.env.FAKEPLAT_URL = `${server.url}/`;
  const other = await startOrConnect({ command: ["none"], scenario: "empty" });
  const world = await other.createWorld();
  assert.equal((await world.health()).scenario, "empty");
  await other.stop();
  assert.ok(await isServing(world.url));
  await server.stop();
  await assert.rejects(connect(server.url), /no fakeplat server answers at http/);
});

test("a server with a key is used with the key", async () => {
  const file = join(folder, "key");
  writeFileSync(file, "a-long-key");
  await (await start({ arguments: [`--control-key-file=${file}`] })).stop();
  const server = await start({ arguments: ["--control-key-file", file] });
  await assert.rejects(connect(server.url), /403|key/i);
  const connected = await connect(server.url, { key: "a-long-key" });
  const world = await connected.createWorld();
  assert.equal((await world.health()).status, "ok");
  const { world: first } = connected;
  await first.load({ groups: [{ path: "shop" }] });
  const read = () => fetch(`${first.apiUrl}/groups/shop`, { headers: { "private-token": first.rootToken } });
  assert.equal((await read()).status, 200);
  await first.reset();
  assert.equal((await read()).status, 404);
  await server.stop();
});
