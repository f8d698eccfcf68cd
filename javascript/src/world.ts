import type {
  Changes,
  Clock,
  Coverage,
  Delivery,
  Fault,
  Fragment,
  Health,
  Instance,
  JobOutcome,
  Mail,
  NewFault,
  OpenApi,
  Request,
  Routes,
  Scenario,
  Snapshot,
} from "./control.js";
import { ControlClient } from "./control-client.js";
import { FakeplatError } from "./errors.js";

export type RequestFilter = Routes["list_requests"]["query"];
export type DeliveryFilter = Routes["list_deliveries"]["query"];
export type MailFilter = Routes["list_mails"]["query"];
export type TokenOptions = Omit<Routes["mint_token"]["body"], "user">;

/** The initial state of a world: what `POST /_fakeplat/worlds` takes, with the keys of the instance beside the others. */
export type WorldOptions = Omit<Routes["open_world"]["body"], "instance"> & Instance;

const DEFAULT_WAIT = "5s";

/** One isolated platform: its address, and everything that its control routes do. */
export class World {
  readonly clock: WorldClock;
  readonly deliveries: Deliveries;
  readonly faults: Faults;
  readonly mails: Mails;
  readonly pipelines: Pipelines;
  readonly requests: Requests;
  readonly snapshots: Snapshots;

  /** `id` is its number on the server, `url` the origin in its answers. */
  constructor(
    readonly id: number,
    readonly url: string,
    readonly rootToken: string,
    protected readonly control: ControlClient,
    private readonly onClose: () => Promise<void>,
  ) {
    this.clock = new WorldClock(control);
    this.deliveries = new Deliveries(control);
    this.faults = new Faults(control);
    this.mails = new Mails(control);
    this.pipelines = new Pipelines(control);
    this.requests = new Requests(control);
    this.snapshots = new Snapshots(control);
  }

  /** The origin that the world listens on; it differs from `url` if the world has a `base_url`. */
  get listenUrl(): string {
    return this.control.origin;
  }

  /** The root of the REST API. */
  get apiUrl(): string {
    return `${this.url}/api/v4`;
  }

  /** Create a token of a user, of any kind, and return its value. */
  async token(user: string, options: TokenOptions = {}): Promise<string> {
    return (await this.control.call("mint_token", { body: { ...options, user } })).token;
  }

  /** Add the records of a fragment of a scenario; return what that changed. */
  load(fragment: Fragment): Promise<Changes> {
    return this.control.call("load", { body: fragment });
  }

  /** Move the clock until nothing is due any more. */
  settle(): Promise<Clock> {
    return this.control.call("settle");
  }

  /** Return to the state of the scenario. */
  reset(): Promise<void> {
    return this.control.call("reset");
  }

  /** Return what changed since a snapshot. */
  diff(since: string): Promise<Changes> {
    return this.control.call("diff", { query: { since } });
  }

  /** Return the world as a scenario. */
  scenario(): Promise<Scenario> {
    return this.control.call("export");
  }

  /** Return which scenario and seed the world has. */
  health(): Promise<Health> {
    return this.control.call("health");
  }

  /** Return the OpenAPI document of the world's release. */
  openapi(): Promise<OpenApi> {
    return this.control.call("openapi");
  }

  /** Return which operations are implemented, and how each is verified. */
  coverage(): Promise<Coverage[]> {
    return this.control.call("coverage");
  }

  /** Close the world and its port. */
  async close(): Promise<void> {
    await this.onClose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

class Routed {
  constructor(protected readonly control: ControlClient) {}
}

/** The world's time. */
class WorldClock extends Routed {
  get(): Promise<Clock> {
    return this.control.call("get_clock");
  }

  /** Move by a duration such as `1h30m`, or by seconds. */
  advance(duration: string | number): Promise<Clock> {
    return this.control.call("move_clock", { body: { advance: duration } });
  }

  /** Move to a time, which cannot be in the past. */
  moveTo(now: string | Date): Promise<Clock> {
    return this.control.call("move_clock", { body: { now: now instanceof Date ? now.toISOString() : now } });
  }
}

/** The requests to webhooks and integrations. */
class Deliveries extends Routed {
  list(filter: DeliveryFilter = {}): Promise<Delivery[]> {
    return this.control.call("list_deliveries", { query: filter });
  }

  /** Return the first matching delivery, as soon as there is one that has ended; `wait` says how long to wait. */
  async waitFor(filter: DeliveryFilter = {}): Promise<Delivery> {
    const query = { wait: DEFAULT_WAIT, ...filter };
    const [delivery] = await this.list(query);
    if (delivery === undefined) {
      throw new FakeplatError(`no delivery matches ${JSON.stringify(filter)} within ${query.wait}`);
    }
    return delivery;
  }

  /** Send the request of a delivery again. */
  redeliver(id: number): Promise<Delivery> {
    return this.control.call("redeliver", { path: { id } });
  }

  clear(): Promise<void> {
    return this.control.call("clear_deliveries");
  }
}

/** Faults that make requests fail. */
class Faults extends Routed {
  add(fault: NewFault): Promise<Fault> {
    return this.control.call("add_fault", { body: fault });
  }

  get(id: number): Promise<Fault> {
    return this.control.call("get_fault", { path: { id } });
  }

  list(): Promise<Fault[]> {
    return this.control.call("list_faults");
  }

  remove(id: number): Promise<void> {
    return this.control.call("remove_fault", { path: { id } });
  }

  clear(): Promise<void> {
    return this.control.call("clear_faults");
  }
}

/** The e-mails that the platform would have sent. */
class Mails extends Routed {
  list(filter: MailFilter = {}): Promise<Mail[]> {
    return this.control.call("list_mails", { query: filter });
  }

  clear(): Promise<void> {
    return this.control.call("clear_mails");
  }
}

/** How the jobs of pipelines are played. */
class Pipelines extends Routed {
  list(): Promise<JobOutcome[]> {
    return this.control.call("list_job_outcomes");
  }

  /** Replace all declarations. */
  replace(...outcomes: JobOutcome[]): Promise<JobOutcome[]> {
    return this.control.call("replace_job_outcomes", { body: outcomes });
  }
}

/** The journal. */
class Requests extends Routed {
  list(filter: RequestFilter = {}): Promise<Request[]> {
    return this.control.call("list_requests", { query: filter });
  }

  clear(): Promise<void> {
    return this.control.call("clear_requests");
  }
}

/** Named snapshots. */
class Snapshots extends Routed {
  list(): Promise<Snapshot[]> {
    return this.control.call("list_snapshots");
  }

  get(name: string): Promise<Snapshot> {
    return this.control.call("get_snapshot", { path: { name } });
  }

  /** Take a snapshot and return its name, by default `snapshot-1` and so on. */
  async take(name?: string): Promise<string> {
    return (await this.control.call("make_snapshot", { body: name === undefined ? {} : { name } })).name;
  }

  restore(name: string): Promise<void> {
    return this.control.call("restore", { path: { name } });
  }

  delete(name: string): Promise<void> {
    return this.control.call("delete_snapshot", { path: { name } });
  }
}
