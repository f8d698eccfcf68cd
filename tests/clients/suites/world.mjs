// Each fact gets a world of its own on the server that FAKEPLAT_URL names: starter, unless `given` says otherwise.

import { appendFileSync } from "node:fs";
import { test } from "node:test";

const server = process.env.FAKEPLAT_URL;

export function fact(name, holds, given = {}) {
  test(name, async () => {
    const world = await control("POST", `${server}/_fakeplat/worlds`, { scenario: "starter", ...given });
    try {
      await holds(world);
    } finally {
      const met = await control("GET", `${world.url}/_fakeplat/requests`);
      appendFileSync(process.env.FAKEPLAT_EVIDENCE, met.map((one) => `${JSON.stringify(one)}\n`).join(""));
      await control("DELETE", `${server}/_fakeplat/worlds/${world.id}`);
    }
  });
}

async function control(method, url, body) {
  const answer = await fetch(url, {
    method,
    headers: { "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  return answer.status === 204 ? null : answer.json();
}
