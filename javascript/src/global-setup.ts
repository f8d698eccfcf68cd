import { env } from "node:process";

import { start } from "./server.js";

/**
 * A global setup for vitest, Playwright and jest: one server for all test files, whose address is in FAKEPLAT_URL.
 * Returns the teardown; where a framework ignores it, the server ends with the process.
 */
export default async function globalSetup(): Promise<() => Promise<void>> {
  if (env["FAKEPLAT_URL"]) {
    return async () => undefined;
  }
  const server = await start();
  env["FAKEPLAT_URL"] = server.url;
  return async () => {
    delete env["FAKEPLAT_URL"];
    await server.stop();
  };
}
