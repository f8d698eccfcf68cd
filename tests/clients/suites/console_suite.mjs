// The console in a real browser. A screenshot of each page stays in .cache/console/.

import assert from "node:assert/strict";
import { accessSync, constants, mkdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createRequire } from "node:module";
import { after } from "node:test";
import { chromium } from "playwright-core";
import { fact } from "./world.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf-8");
const SCREENSHOTS = join(dirname(process.env.FAKEPLAT_EVIDENCE), "..", "console");
const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const LOOKS = {
  light: { viewport: WIDE, colorScheme: "light" },
  dark: { viewport: WIDE, colorScheme: "dark" },
  phone: { viewport: PHONE, colorScheme: "light", hasTouch: true, isMobile: true },
};
const SITE = "at/acme/site";
const REASON = "project acme/site (5001) is private and hidden from eve: eve has no role there";
// More than the machine needs when many tests run at once.
const TIMEOUT = 60_000;
const FLAGS =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking " +
  "--disable-component-update --disable-sync";

const PAGES = {
  overview: "",
  requests: "console/requests",
  request: "console/requests/2",
  operations: "console/operations?q=feature_flags",
  projects: "console/projects",
  groups: "console/groups",
  users: "console/users",
  issues: "console/issues",
  "merge-requests": "console/merge_requests",
  pipelines: "console/pipelines",
  alerts: "console/alerts",
  clock: "console/clock",
  faults: "console/faults",
  snapshots: "console/snapshots",
  changes: "console/changes",
  user: "at/ada",
  group: "at/groups/acme",
  project: SITE,
  issue: `${SITE}/-/issues/1`,
  "merge-request": `${SITE}/-/merge_requests/1`,
  milestone: `${SITE}/-/milestones/1`,
  pipeline: `${SITE}/-/pipelines/`,
  commit: `${SITE}/-/commit/master`,
  commits: `${SITE}/-/commits/topic/one`,
  comparison: `${SITE}/-/compare/v1.0...topic/one`,
  branches: `${SITE}/-/branches`,
  tag: `${SITE}/-/tags/v1.0`,
  folder: `${SITE}/-/tree/topic/one`,
  file: `${SITE}/-/blob/topic/one/app/server.py`,
  "file-markdown": `${SITE}/-/blob/topic/one/docs/guide.md`,
  "file-picture": `${SITE}/-/blob/topic/one/docs/dot.png`,
  release: `${SITE}/-/releases/v1.0`,
  "wiki-page": `${SITE}/-/wikis/home`,
  wiki: `${SITE}/-/wikis`,
  snippet: "",
  packages: `${SITE}/-/packages`,
  "filtered-issues": `${SITE}/-/issues?label_name=bug&state=opened`,
  alert: `${SITE}/-/alert_management/1/details`,
  error: "at/no/such/record",
  // The platform's own pages.
  "platform-page": "../acme/docs",
  "platform-missing": "../acme/site",
};

function findBrowser() {
  for (const folder of process.env.PATH.split(delimiter)) {
    for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // not in this folder
      }
    }
  }
  throw new Error("chromium is missing: the tests of the console need it");
}

let browser;

async function open(world, path = "", options = {}) {
  browser ??= await chromium.launch({ executablePath: findBrowser(), args: FLAGS.split(" ") });
  const context = await browser.newContext({ viewport: WIDE, ...options });
  context.setDefaultTimeout(TIMEOUT);
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(`${world.url}/_fakeplat/${path}`);
  return Object.assign(page, { errors });
}

after(async () => browser?.close());

const ask = (world, method, path, user, body) =>
  fetch(`${world.url}/api/v4/${path}`, {
    method,
    headers: { "private-token": `${user}-token`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });

const MARKDOWN = `# Links to the shop

The old page **moved**; see #2, !1, @ada, ~bug and [the guide](docs/guide.md). ![A dot](docs/dot.png)

- [x] Find the links
- [ ] Change them

## What to do

1. Open the page.
2. Follow each link, as \`server.py\` does:

\`\`\`python
def follow(link):
    return open(link)
\`\`\`

> A link that leads nowhere is worse than none.

| page | links | broken |
|:-----|------:|-------:|
| shop |    12 |      3 |
| home |     7 |      0 |

An image of another host is not loaded: ![a picture](https://elsewhere.test/a.png). ~~Done~~ :tada: [^1]

[^1]: A note at the end.
`;
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

// Texts in Markdown, and what the pages of code show.
async function write(world) {
  const site = "projects/acme%2Fsite";
  const picture = { action: "create", file_path: "docs/dot.png", content: DOT, encoding: "base64" };
  const guide = { action: "create", file_path: "docs/guide.md", content: MARKDOWN.replaceAll("(docs/", "(") };
  const commit = { branch: "topic/one", start_branch: "master", commit_message: "Add a guide\n\nIn Markdown." };
  await ask(world, "POST", `${site}/repository/commits`, "ada", { branch: "master", commit_message: "Add a dot", actions: [picture] });
  await ask(world, "POST", `${site}/repository/commits`, "dev", { ...commit, actions: [guide] });
  await ask(world, "PUT", `${site}/issues/1`, "dev", { description: MARKDOWN });
  await ask(world, "POST", `${site}/wikis`, "dev", { title: "home", content: `${MARKDOWN}\n[[Other page]]` });
  await ask(world, "POST", `${site}/releases`, "mia", { tag_name: "v1.0", name: "First", description: MARKDOWN });
  await ask(world, "POST", "snippets", "dev", {
    title: "Open a link",
    visibility: "internal",
    description: MARKDOWN,
    files: [{ file_path: "follow.py", content: "def follow(link):\n    return open(link)\n" }],
  });
}

async function fill(world) {
  await ask(world, "GET", "projects/acme%2Fsite", "ada");
  await ask(world, "GET", "projects/acme%2Fsite", "eve");
  await ask(world, "POST", "projects/acme%2Fsite/issues", "dev", { title: "<script>alert(1)</script>", colour: 1 });
  await ask(world, "PUT", "projects/acme%2Fsite/issues/1", "dev", { state_event: "close" });
  await ask(world, "POST", "projects/acme%2Fsite/issues/1/notes", "dev", { body: "The page exists again." });
  await write(world);
  await fetch(`${world.url}/_fakeplat/snapshots/before`, { method: "POST" });
  const fault = { operation: "create_issue", status: 503, nth: 2 };
  await fetch(`${world.url}/_fakeplat/faults`, { method: "POST", body: JSON.stringify(fault) });
}

const WORLD = {
  scenario: {
    extends: "starter",
    generate: [{ into: "acme/site", pipelines: 2 }],
    projects: [{ path_with_namespace: "acme/site", packages: [{ name: "site", package_type: "npm", version: "1.0.0" }], alerts: { active: true, received: [{ title: "Disk is full", monitoring_tool: "probe" }] } }],
  },
};

async function violations(page) {
  await page.evaluate(AXE);
  const { violations: found } = await page.evaluate(() => window.axe.run());
  return found.map((rule) => `${rule.id}: ${rule.nodes.map((node) => node.target).join(", ")}`);
}

async function findPath(world, name) {
  if (name === "snippet") {
    const [snippet] = await (await ask(world, "GET", "snippets", "dev")).json();
    return snippet.web_url.replace(world.url, "at");
  }
  if (name !== "pipeline") return PAGES[name];
  const page = await open(world, "console/pipelines");
  const link = await page.locator("tbody a").first().getAttribute("href");
  await page.context().close();
  return link.replace("/_fakeplat/", "");
}

const pagesAre = (look) => async (world) => {
  const options = LOOKS[look];
  mkdirSync(SCREENSHOTS, { recursive: true });
  await fill(world);
  const page = await open(world, "", options);
  for (const name of Object.keys(PAGES)) {
    await page.goto(`${world.url}/_fakeplat/${await findPath(world, name)}`);
    assert.deepEqual(await violations(page), [], `${name} in ${look}`);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= options.viewport.width, `${name} is ${width} pixels wide in ${look}`);
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${look}.png`), fullPage: true });
  }
  // A browser reports the page of what does not exist, which is a 404.
  assert.deepEqual(page.errors.filter((error) => !error.includes("404")), []);
};

fact("every page is accessible in light colours", pagesAre("light"), WORLD);
fact("every page is accessible in dark colours", pagesAre("dark"), WORLD);
fact("every page is accessible and fits on a phone", pagesAre("phone"), WORLD);

fact("one walks from the index to the diff of a merge request", async (world) => {
  const page = await open(world);
  await page.getByRole("link", { name: "Merge requests", exact: true }).click();
  await page.getByRole("link", { name: "Search by name" }).click();
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Search by name opened");
  const added = page.getByRole("region", { name: "Diff of app/search.py" }).locator(".added");
  assert.equal(await added.count(), 7);
  assert.equal(await added.first().textContent(), '+"""Finds pages by name."""');
});

fact("one walks from a project to a line of a file", async (world) => {
  await write(world);
  const page = await open(world, SITE);
  // In the list of branches, before the merge requests that link to it.
  await page.getByRole("link", { name: "topic/one", exact: true }).first().click();
  await page.getByRole("link", { name: "docs/", exact: true }).click();
  await page.getByRole("link", { name: "guide.md", exact: true }).click();
  await page.getByRole("heading", { name: "Links to the shop" }).waitFor();
  assert.equal(await page.getByRole("region", { name: "Content of guide.md" }).locator("code").count(), MARKDOWN.split("\n").length - 1);
  await page.getByRole("navigation", { name: "Location" }).getByRole("link", { name: "topic/one" }).click();
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "topic/one");
  assert.deepEqual(page.errors, []);
});

fact("Markdown is rendered, shows its source, and loads nothing from elsewhere", async (world) => {
  await write(world);
  const page = await open(world);
  const hosts = new Set();
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  await page.goto(`${world.url}/_fakeplat/${SITE}/-/issues/1`);
  await page.getByRole("heading", { name: "What to do", level: 3 }).waitFor();
  assert.equal(await page.getByRole("img", { name: "A dot" }).evaluate((image) => image.naturalWidth), 1);
  assert.equal(await page.getByRole("checkbox").count(), 2);
  await page.getByText("Source", { exact: true }).first().click();
  await page.getByRole("region", { name: "Source" }).getByText("| shop |").waitFor();
  assert.deepEqual([...hosts], [new URL(world.url).host]);
  await page.goto(`${world.url}/_fakeplat/${SITE}/-/blob/topic/one/docs/guide.md`);
  assert.equal(await page.getByRole("img", { name: "A dot" }).evaluate((image) => image.naturalWidth), 1);
  await page.getByRole("link", { name: "the guide" }).click();
  await page.getByRole("heading", { level: 1, name: "guide.md" }).waitFor();
  assert.deepEqual(page.errors, []);
});

fact("requests of a stream appear in one response", async (world) => {
  const page = await open(world, "console/clock");
  const streams = [];
  page.on("request", (request) => request.url().includes("/console/events") && streams.push(request.url()));
  await page.goto(`${world.url}/_fakeplat/console/requests`);
  await page.getByText("Live: requests appear as they arrive.").waitFor();
  for (const count of [1, 2, 3]) {
    await ask(world, "GET", "projects/acme%2Fsite", "ada");
    await page.getByText(`Live: ${count} new request`).waitFor();
  }
  assert.equal(streams.length, 1);
});

fact("a refused request appears live with its reason", async (world) => {
  const page = await open(world, "console/requests");
  await page.getByText("Live: requests appear as they arrive.").waitFor();
  await ask(world, "GET", "projects/acme%2Fsite", "eve");
  await page.getByRole("row").filter({ hasText: REASON }).waitFor();
  await ask(world, "GET", "projects/acme%2Fsite", "ada");
  await page.getByText("Live: 2 new requests.").waitFor();
  const statuses = await page.locator("tbody td[data-label=Status]").allTextContents();
  assert.deepEqual(statuses.map((text) => text.trim()), ["200", "404"]);
  await page.getByRole("link", { name: "1", exact: true }).click();
  await page.locator("strong", { hasText: REASON }).waitFor();
  assert.deepEqual(page.errors, []);
});

fact("a request with a hostile path appears live as text", async (world) => {
  const page = await open(world, "console/requests");
  await page.getByText("Live: requests appear as they arrive.").waitFor();
  await ask(world, "GET", "projects?search=%3Cimg/src%3Dx/onerror%3Dalert(1)%3E&<img/src=x/onerror=alert(1)>", "ada");
  await page.getByText("Live: 1 new request.").waitFor();
  assert.equal(await page.locator("img").count(), 0);
});

fact("a fault is injected and strikes", async (world) => {
  const page = await open(world);
  await page.getByRole("link", { name: "Faults", exact: true }).click();
  await page.getByLabel("What goes wrong").selectOption("status 503");
  await page.getByLabel("Operation").fill("create_issue");
  await page.getByRole("button", { name: "Inject the fault" }).click();
  await page.getByRole("cell", { name: "operation create_issue" }).waitFor();
  const create = () => ask(world, "POST", "projects/acme%2Fsite/issues", "ada", { title: "New" });
  assert.equal((await create()).status, 503);
  await page.getByRole("button", { name: "Remove fault 1" }).click();
  await page.getByText("No faults").waitFor();
  assert.equal((await create()).status, 201);
});

fact("a snapshot is compared and restored", async (world) => {
  const page = await open(world, "console/snapshots");
  await page.getByLabel("Name").fill("before");
  await page.getByRole("button", { name: "Take a snapshot" }).click();
  await ask(world, "PUT", "projects/acme%2Fsite/issues/1", "ada", { state_event: "close" });
  await page.getByRole("link", { name: "Changes since before" }).click();
  await page.getByRole("row", { name: "state opened closed" }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Restore before" }).click();
  await page.getByRole("link", { name: "Changes since before" }).click();
  await page.getByText("Nothing has changed since before.").waitFor();
});

fact("the clock is advanced", async (world) => {
  const page = await open(world, "console/clock");
  await page.getByLabel("Advance by").fill("2h");
  await page.getByRole("button", { name: "Advance", exact: true }).click();
  await page.getByText("2020-11-20 11:00:00").first().waitFor();
}, { clock: { kind: "virtual", start: "2020-11-20T09:00:00Z" } });

fact("everything can be read, and switched, without a script", async (world) => {
  await fill(world);
  const page = await open(world, "console/requests", { javaScriptEnabled: false });
  await page.getByRole("row").filter({ hasText: REASON }).waitFor();
  assert.equal(await page.getByText("Live:").count(), 0);
  await page.getByRole("link", { name: "Refused requests" }).click();
  await page.getByText("1 requests.").waitFor();
  await page.getByRole("link", { name: "Faults", exact: true }).click();
  await page.getByRole("button", { name: "Remove all faults" }).click();
  await page.getByText("No faults").waitFor();
});

fact("the keyboard reaches the content, the menu and the switches", async (world) => {
  const page = await open(world, "console/faults");
  const focused = () => page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.name);
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to the content");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.name), "outcome");
  const seen = new Set();
  for (let step = 0; step < 40; step += 1) {
    seen.add(await focused());
    await page.keyboard.press("Tab");
  }
  for (const name of ["operation", "path", "nth", "chance", "latency", "once", "Inject the fault", "Overview", "Clock"]) {
    assert.ok(seen.has(name), `${name} is not reached`);
  }
});

fact("a page of another origin can neither embed nor control the console", async (world) => {
  const page = await open(world);
  const foreign = await page.context().newPage();
  await foreign.goto(`${process.env.FAKEPLAT_URL}/users/sign_in`);
  const outcome = await foreign.evaluate(async (url) => {
    const sent = await fetch(`${url}/_fakeplat/console/snapshots`, { method: "POST", mode: "no-cors" }).then(
      (response) => response.type,
      String,
    );
    const read = await fetch(`${url}/_fakeplat/`).then(() => "read", () => "refused");
    return [sent, read];
  }, world.url);
  assert.deepEqual(outcome, ["opaque", "refused"]);
  const names = await (await fetch(`${world.url}/_fakeplat/snapshots`)).json();
  assert.deepEqual(names, []);
});

fact("a web URL leads to the page of its record", async (world) => {
  const answer = await ask(world, "GET", "projects/acme%2Fdocs", "ada");
  const { web_url: url } = await answer.json();
  const page = await open(world);
  await page.goto(url);
  await page.getByRole("link", { name: "Show it in the console" }).click();
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Docs");
});

fact("a web URL that the browser's user may not see leads to the console", async (world) => {
  const answer = await ask(world, "GET", "projects/acme%2Fsite/issues/1", "ada");
  const { web_url: url } = await answer.json();
  const page = await open(world);
  await page.goto(url);
  await page.getByRole("link", { name: "Look for it in the console" }).click();
  await page.getByRole("heading", { name: "Broken link on the front page" }).waitFor();
});

fact("the sign-in page, where / of a world leads, has a link to the console", async (world) => {
  const page = await open(world);
  await page.goto(world.url);
  assert.equal(new URL(page.url()).pathname, "/users/sign_in");
  await page.getByRole("link", { name: "Console of this fake" }).click();
  await page.getByRole("heading", { name: "Requests" }).waitFor();
});
