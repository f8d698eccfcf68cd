import { FakeplatError } from "./errors.js";
import { type Server, type StartOptions, startOrConnect } from "./server.js";
import type { World } from "./world.js";

type Hook = (run: () => Promise<void>) => unknown;

/** The hooks of a test framework. */
export interface Hooks {
  beforeAll: Hook;
  beforeEach: Hook;
  afterEach: Hook;
  afterAll: Hook;
}

/** The world of the test that runs. */
export class CurrentWorld {
  private current: World | undefined;

  /** The world of the running test. */
  get world(): World {
    if (this.current === undefined) {
      throw new FakeplatError("there is a world in tests and in their beforeEach only");
    }
    return this.current;
  }

  /** Give each test a world of a server that runs as long as the tests. */
  install(hooks: Hooks, options: StartOptions): this {
    let server: Server;
    hooks.beforeAll(async () => {
      server = await startOrConnect(options);
    });
    hooks.beforeEach(async () => {
      this.current = await server.createWorld();
    });
    hooks.afterEach(async () => {
      await this.current?.close();
      this.current = undefined;
    });
    hooks.afterAll(async () => {
      await server.stop();
    });
    return this;
  }
}
