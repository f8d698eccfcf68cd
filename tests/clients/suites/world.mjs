// Each test gets its own world on the server at FAKEPLAT_URL: the starter scenario unless `options` name another.

import { appendFileSync } from "node:fs";
import { test } from "node:test";

const server = process.env.FAKEPLAT_URL;
// The instance of all worlds, such as its release.
const { instance } = JSON.parse(process.env.FAKEPLAT_WORLD ?? "{}");

export function fact(name, check, options = {}) {
  test(name, async () => {
    const description = { scenario: "starter", ...options, instance: { ...instance, ...options.instance } };
    const world = await control("POST", `${server}/_fakeplat/worlds`, description);
    try {
      await check(world);
    } finally {
      const entries = await control("GET", `${world.url}/_fakeplat/requests`);
      appendFileSync(process.env.FAKEPLAT_EVIDENCE, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
      await control("DELETE", `${server}/_fakeplat/worlds/${world.id}`);
    }
  });
}

// Declares how the jobs of the world are played.
export const playJobs = (world, ...outcomes) => control("PUT", `${world.url}/_fakeplat/pipelines`, outcomes);

// Moves a virtual clock, by a duration or until nothing is due.
export const advance = (world, duration) => control("POST", `${world.url}/_fakeplat/clock`, { advance: duration });
export const settle = (world) => control("POST", `${world.url}/_fakeplat/settle`);

async function control(method, url, body) {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? null : response.json();
}
