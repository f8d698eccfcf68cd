const { useFakeplat } = require("fakeplat/jest");

const platform = useFakeplat({ tier: "premium" });
const urls = new Set();

for (const number of [1, 2]) {
  test(`test ${number} has a world of its own`, async () => {
    const { world } = platform;
    const headers = { "private-token": await world.token("dev") };
    const response = await fetch(`${world.apiUrl}/projects/acme%2Fsite/star`, { method: "POST", headers });
    expect(response.status).toBe(201);
    urls.add(world.url);
    expect(urls.size).toBe(number);
  });
}

test("the global setup gives all files one server", () => {
  expect(process.env.FAKEPLAT_URL).toMatch(/^http:\/\/127\.0\.0\.1:/);
});
