import { env } from "node:process";

import type { Routes } from "./control.js";
import { ControlClient } from "./control-client.js";
import { FakeplatError } from "./errors.js";
import { type ProcessOptions, ServerProcess } from "./process.js";
import { World, type WorldOptions } from "./world.js";

/** How to start the server, and the world that it gets unless a test asks for another. */
export type StartOptions = ProcessOptions & WorldOptions;

/** How to reach a server that runs already. */
export type ConnectOptions = WorldOptions & {
  /** The key of its `--control-key-file`. */
  key?: string;
};

const WORLD_KEYS = ["scenario", "seed", "clock", "base_url", "port"] as const;

const FIRST_WORLD = 1;
const ROOT_TOKEN = "root-token";

/** A running server, which has any number of isolated worlds. */
export class Server {
  private constructor(
    private readonly control: ControlClient,
    private readonly defaults: WorldOptions,
    private readonly process?: ServerProcess,
  ) {}

  /** Start a server. ServerNotFoundError says what was tried. */
  static async start({ command, arguments: more, timeout, ...defaults }: StartOptions = {}): Promise<Server> {
    const [process, ready] = await ServerProcess.start({
      ...(command && { command }),
      ...(more && { arguments: more }),
      ...(timeout !== undefined && { timeout }),
    });
    return new Server(new ControlClient(ready.listen_url ?? ready.url), defaults, process);
  }

  /** Use a server that runs already; `stop` leaves it running. */
  static async connect(url: string, { key, ...defaults }: ConnectOptions = {}): Promise<Server> {
    const control = new ControlClient(url.replace(/\/+$/, ""), key);
    try {
      await control.call("health");
    } catch (error) {
      throw new FakeplatError(`no fakeplat server answers at ${url}: ${describe(error)}`);
    }
    return new Server(control, defaults);
  }

  /** The address of the server: that of an empty world, whose control routes create the others. */
  get url(): string {
    return this.control.origin;
  }

  /** The world that the server began with: an empty one unless the server ran already, as in a container. */
  get world(): World {
    const { origin } = this.control;
    return new World(FIRST_WORLD, origin, ROOT_TOKEN, this.control, () => this.closeWorld(FIRST_WORLD));
  }

  /** Create an isolated world, with the options of the server unless others are given; the clock is `auto`, as in pytest. */
  async createWorld(options: WorldOptions = {}): Promise<World> {
    const body = buildBody({ clock: "auto", ...this.defaults, ...options });
    const { id, url, listen_url, root_token } = await this.control.call("open_world", { body });
    const control = new ControlClient(listen_url ?? url, this.control.key);
    return new World(id, url, root_token, control, () => this.closeWorld(id));
  }

  /** Stop the server with all of its worlds. */
  async stop(): Promise<void> {
    await this.process?.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private closeWorld(id: number): Promise<void> {
    return this.control.call("close_world", { path: { id } });
  }
}

/** Start a server. */
export const start = Server.start;

/** Use a server that runs already. */
export const connect = Server.connect;

/** Use the server of FAKEPLAT_URL, as under `fakeplat run` or after a global setup, or else start one. */
export function startOrConnect(options: StartOptions = {}): Promise<Server> {
  const url = env["FAKEPLAT_URL"];
  if (!url) {
    return start(options);
  }
  const { command: _command, arguments: _arguments, timeout: _timeout, ...defaults } = options;
  return connect(url, defaults);
}

/** Put the keys of the instance where the control route has them. */
function buildBody(options: WorldOptions): Routes["open_world"]["body"] {
  const names: readonly string[] = WORLD_KEYS;
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  const instance = Object.fromEntries(entries.filter(([name]) => !names.includes(name)));
  return { ...Object.fromEntries(entries.filter(([name]) => names.includes(name))), instance };
}

function describe(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
