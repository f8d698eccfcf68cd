import { FakeplatError } from "./errors.js";
import { CurrentWorld, type Hooks } from "./hooks.js";
import type { StartOptions } from "./server.js";

/** Give each test of a file, or of the enclosing `describe`, a world of its own. */
export function useFakeplat(options: StartOptions = {}): CurrentWorld {
  const { beforeAll, beforeEach, afterEach, afterAll } = globalThis as unknown as Partial<Hooks>;
  if (!beforeAll || !beforeEach || !afterEach || !afterAll) {
    throw new FakeplatError("useFakeplat needs jest's global hooks: call it in a test file, without injectGlobals: false");
  }
  return new CurrentWorld().install({ beforeAll, beforeEach, afterEach, afterAll }, options);
}
