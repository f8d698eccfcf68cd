import { test as base, expect } from "@playwright/test";

import { fixtures, type WorldFixtures } from "fakeplat/playwright";

const test = base.extend<WorldFixtures>(fixtures({ scenario: "starter" }));
const urls = new Set<string>();

for (const number of [1, 2]) {
  test(`test ${number} has a world of its own`, async ({ world, request }) => {
    const headers = { "private-token": await world.token("dev") };
    const response = await request.post(`${world.apiUrl}/projects/acme%2Fsite/star`, { headers });
    expect(response.status()).toBe(201);
    urls.add(world.url);
    expect(urls.size).toBe(number);
  });
}
