import { after, afterEach, before, beforeEach } from "node:test";

import { CurrentWorld } from "./hooks.js";
import type { StartOptions } from "./server.js";

/** Give each test of a file, or of the enclosing `describe`, a world of its own. */
export function useFakeplat(options: StartOptions = {}): CurrentWorld {
  return new CurrentWorld().install({ beforeAll: before, beforeEach, afterEach, afterAll: after }, options);
}
