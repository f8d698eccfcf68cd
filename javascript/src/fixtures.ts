import { type Server, type StartOptions, startOrConnect } from "./server.js";
import type { World } from "./world.js";

/** What a test gets from the fixtures. */
export interface WorldFixtures {
  /** A world of its own, which is closed at the end of the test. */
  world: World;
}

type Use = (world: World) => Promise<void>;

/** The fixtures in the form that `test.extend` of vitest and of Playwright takes. */
export type Fixtures = { world: (context: object, use: Use) => Promise<void> };

/** Return fixtures for `test.extend`: tests that ask for `world` get one with these options, from one server. */
export function fixtures(options: StartOptions = {}): Fixtures {
  let server: Promise<Server> | undefined;
  return {
    // Both frameworks read from the first parameter which other fixtures this one needs: none.
    world: async ({}, use) => {
      server ??= startOrConnect(options);
      const world = await (await server).createWorld();
      await use(world);
      await world.close();
    },
  };
}
