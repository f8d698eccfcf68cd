import { test as base, expect } from "@playwright/test";

import { fixtures, type WorldFixtures } from "fakeplat/playwright";

const test = base.extend<WorldFixtures>(fixtures({ scenario: "starter" }));

test("a test has a world", async ({ world, request }) => {
  const headers = { "private-token": await world.token("dev") };
  const response = await request.get(`${world.apiUrl}/projects/acme%2Fsite`, { headers });
  expect(response.status()).toBe(200);
});
