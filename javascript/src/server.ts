import { readFile } from "node:fs/promises";
import { env } from "node:process";

import type { Routes } from "./control.js";
import { ControlClient } from "./control-client.js";
import { FakeplatError } from "./errors.js";
import { type ProcessOptions, ServerProcess } from "./process.js";
import { World, type WorldOptions } from "./world.js";

/** How to start the server, and what its worlds are unless a test asks for something else. */
export type StartOptions = ProcessOptions & WorldOptions;

/** How to reach a server that runs already. */
export type ConnectOptions = WorldOptions & {
  /** The key of its `--control-key-file`. */
  key?: string;
};

const WORLD_KEYS = ["scenario", "seed", "clock", "base_url", "port"] as const;

const FIRST_WORLD = 1;
const ROOT_TOKEN = "root-token";
const KEY_OPTION = "--control-key-file";

/** A running server, which has any number of isolated worlds. */
export class Server {
  private first: World | undefined;

  private constructor(
    private readonly control: ControlClient,
    private readonly defaults: WorldOptions,
    private readonly process?: ServerProcess,
  ) {}

  /** Start a server with a world of these options. ServerNotFoundError says what was tried. */
  static async start(options: StartOptions = {}): Promise<Server> {
    const { port, ...others } = options;
    const server = await Server.launch(others);
    try {
      server.first = await server.createWorld(port === undefined ? {} : { port });
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Start a server whose only world is an empty one, until others are created. */
  static async launch({ command, arguments: more, timeout, ...defaults }: StartOptions = {}): Promise<Server> {
    const [process, ready] = await ServerProcess.start({
      ...(command && { command }),
      ...(more && { arguments: more }),
      ...(timeout !== undefined && { timeout }),
    });
    const control = new ControlClient(ready.listen_url ?? ready.url, await readKey(more ?? []));
    return new Server(control, defaults, process);
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

  /** The address of the server, which is that of `world`. */
  get url(): string {
    return this.first?.url ?? this.control.origin;
  }

  /** The world with the options of `start`, or the one that a server that ran already began with. */
  get world(): World {
    if (this.first !== undefined) {
      return this.first;
    }
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
    return Server.launch(options);
  }
  const { command: _command, arguments: _arguments, timeout: _timeout, ...defaults } = options;
  return connect(url, defaults);
}

/** Return the key of the control routes, if the options of the server name its file. */
async function readKey(options: readonly string[]): Promise<string | undefined> {
  const position = options.findIndex((option) => option.split("=")[0] === KEY_OPTION);
  const file = options[position]?.slice(KEY_OPTION.length + 1) || options[position + 1];
  return position < 0 || file === undefined ? undefined : (await readFile(file, "utf8")).trim();
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
