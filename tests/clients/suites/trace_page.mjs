// Opens a trace in a browser without a network, and prints what went wrong: node trace_page.mjs FILE

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf-8");
const [file, executablePath] = process.argv.slice(2);
const address = pathToFileURL(file).href;
const problems = [];
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });

for (const [colorScheme, width] of [["light", 1280], ["dark", 390]]) {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 }, offline: true });
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("request", (request) => request.url() !== address && !request.url().startsWith("data:") && problems.push(request.url()));
  await page.goto(address);
  const details = page.locator(".timeline details");
  for (let index = 0; index < (await details.count()); index += 1) {
    const one = details.nth(index);
    if ((await one.getAttribute("open")) === null) await one.locator("summary").click();
    if (!(await one.locator("pre, .changes, .headers").first().isVisible())) problems.push(`event ${index} shows nothing`);
  }
  const requests = page.locator(".timeline > li.request:visible");
  const all = await requests.count();
  await page.getByLabel("ada", { exact: true }).check();
  const callers = await requests.locator("summary strong").allTextContents();
  if (!callers.length || callers.length === all || callers.some((name) => name !== "ada")) problems.push(`requests of ada: ${callers}`);
  await page.getByLabel("everybody").check();
  if ((await requests.count()) !== all) problems.push("not all requests came back");
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (overflow > 0) problems.push(`${colorScheme}: ${overflow} px too wide`);
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => axe.run());
  problems.push(...violations.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes.map(({ html }) => html).join(" ")}`));
}
await browser.close();
console.log(JSON.stringify(problems, null, 1));
