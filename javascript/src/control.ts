// Written by tools/generate.py from the declarations of the control routes.

export type Changes = {
  /** Keys of new records by kind. */
  created: Record<string, unknown>;
  /** Changed fields by kind and record, each with both values. */
  changed: Record<string, unknown>;
  /** Keys of deleted records by kind. */
  deleted: Record<string, unknown>;
};

export type Clock = {
  /** The world's time. */
  now: string;
  /** real, virtual, auto. */
  kind: string;
};

export type Coverage = {
  /** Name of the operation. */
  operation: string;
  /** HTTP method. */
  method: string;
  /** Path. */
  path: string;
  /** Section of the API. */
  section: string;
  /** built, not built, ours, or the release that added it. */
  state: string;
  /** Tier that the operation needs. */
  tier: string;
  /** Releases that have the operation; empty: all. */
  releases: string;
  /** Statuses that tests observed, if it is built. */
  observed?: unknown[];
  /** Real clients that called it, if it is built. */
  clients?: unknown[];
  /** What verified it beside the tests, if it is built. */
  verified?: unknown[];
  /** Declared statuses that no test observed, if it is built. */
  unproven?: unknown[];
};

export type Delivery = {
  /** Number of the delivery in this world. */
  id: number;
  /** Kind and id of the receiver. */
  receiver: Record<string, unknown>;
  /** The event. */
  trigger: string;
  /** HTTP method. */
  method: string;
  /** URL; user and password are masked. */
  url: string;
  /** Headers of the request. */
  headers: Record<string, unknown>;
  /** Body of the request. */
  body: string;
  /** The same as JSON, if it is JSON. */
  json: unknown;
  /** pending, delivered, failed or held_back. */
  state: string;
  /** Why it failed or was held back. */
  error: string | null;
  /** Status of the response. */
  status: number | null;
  /** Headers of the response. */
  response_headers: Record<string, unknown>;
  /** Body of the response. */
  response_body: string;
  /** Duration in seconds of real time. */
  duration: number | null;
  /** 1, or higher for a repetition. */
  attempt: number;
  /** The world's time. */
  time: string;
};

export type Error = {
  /** What is wrong. */
  error?: string;
};

export type Fault = {
  /** Number of the fault. */
  id: number;
  /** Name of the operation that fails. */
  operation?: string;
  /** Instead of an operation: pattern of paths, below /api/v4 unless it starts with a slash. */
  path?: string;
  /** HTTP method that the fault is restricted to. */
  method?: string;
  /** Number of the matching request, from 1, that fails. */
  nth?: number;
  /** Probability from 0 to 1 with which a matching request fails. */
  chance?: number;
  /** Whether the fault ends after its first time. */
  once?: boolean;
  /** How often the fault applies. */
  times?: number;
  /** Status of the response, from 200 to 599. */
  status?: number;
  /** With a status: the body, as a text or as JSON. */
  body?: unknown;
  /** Seconds in the header Retry-After, with 429 and 503. */
  retry_after?: number;
  /** What happens to the connection: timeout, reset, truncated or lost_reply. */
  connection?: string;
  /** Content-Type of the response. */
  content_type?: string;
  /** Real time by which the response is delayed: a duration, or seconds. */
  latency?: string | number;
  /** Number of matching requests. */
  seen: number;
  /** Number of requests that failed. */
  happened: number;
};

/** A scenario without `instance`, `seed` and `clock`. */
export type Fragment = Record<string, unknown>;

export type Health = {
  /** ok. */
  status: string;
  /** Release of fakeplat. */
  version: string;
  /** Name of the scenario. */
  scenario: string;
  /** Seed of the world. */
  seed: number;
};

/** The constants of the instance: release, tier, names. */
export type Instance = {
  /** Release of the platform, from 13.5 on, or latest. It decides which operations, parameters and fields exist. Default: 13.5.1. */
  version?: string;
  /** Whether the latest release is served under a version that is newer. Default: false. */
  beyond?: boolean;
  /** Tier of the instance, which enables paid features. Default: free. */
  tier?: "free" | "premium" | "ultimate";
  /** Whether the instance is the hosted offering, with plans of namespaces. Default: false. */
  hosted?: boolean;
  /** Which names are shown of fields that have two: the neutral ones, the vendor's, or both. Default: both. */
  wire_names?: "both" | "neutral" | "vendor";
  /** Name of the default branch of new repositories. Default: master, from release 14.0 on main. */
  default_branch?: string;
  /** Name of the product in texts. Default: Platform. */
  product_name?: string;
  /** Whether administrators can use impersonation tokens. Default: true. */
  impersonation?: boolean;
  /** Rate limit of each user: requests in a period. Default: false. */
  throttle?: false | {
    /** Number of requests that are allowed in a period. */
    requests: number;
    /** Length of the period. */
    period: string | number;
  };
  /** How long the mergeability check takes: immediate, a duration (after), or a number of reads (polls). */
  merge_check?: "immediate" | {
    /** Time that the check takes. */
    after?: string | number;
    /** Number of reads after which the check ends. */
    polls?: number;
  };
  /** Whether the documentation decides where the platform behaves differently. Default: true. */
  documented?: boolean;
  /** Text at the end of the subjects of e-mails. Default: none. */
  email_subject_suffix?: string;
  /** Token of the SCIM endpoint of an instance that is not hosted. Default: none. */
  scim_token?: string;
  /** Public SSH key with which commits of the web editor are signed. Default: none. */
  web_commits_public_key?: string;
  /** Registries outside of the instance: the project that plays the hub of images, and where unknown packages are forwarded to. */
  upstreams?: {
    /** Path of the project whose image repositories are those of the public hub. */
    images?: string;
    /** Address, or path on this host, of the repository that plays Maven Central. */
    maven?: string;
    /** Address, or path on this host, of the registry that plays the public one of npm. */
    npm?: string;
    /** Address, or path on this host, of the index that plays that of PyPI. */
    pypi?: string;
  };
  /** Number of bytes that all images of the container registry take at most. Default: 512 MiB. */
  registry_limit?: number;
  /** Whether the SSH server transfers the objects of Git LFS itself, from 17.2 on. Default: false. */
  lfs_pure_ssh_protocol?: boolean;
  /** Deprecated: write version: latest. */
  newer?: boolean;
};

export type JobOutcome = {
  /** A pattern of full paths, such as acme/*. Default: every project. */
  project?: string;
  /** A pattern of branches and tags. Default: all. */
  ref?: string;
  /** A pattern of names of jobs, such as test:*. Default: all. */
  job?: string;
  /** How the job ends, or that it does not. */
  outcome?: "success" | "failed" | "canceled" | "manual" | "stuck";
  /** The time from being queued to the end, such as 30s, or in seconds. Default: 1s. */
  after?: number | string;
  /** The outcome of each try, instead of outcome; the last one holds for all further tries. */
  attempts?: ("success" | "failed" | "canceled" | "manual" | "stuck")[];
  /** The complete log. */
  log?: string | null;
  /** Files in the job's archive of artifacts: paths and contents. */
  artifacts?: Record<string, string>;
  /** In percent. */
  coverage?: number | null;
  /** The exit code of a script that fails. Default: 1. */
  exit_code?: number;
};

export type Mail = {
  /** Number of the e-mail in this world. */
  id: number;
  /** Address of the recipient. */
  to: string;
  /** Subject. */
  subject: string;
  /** Headers. */
  headers: Record<string, unknown>;
  /** Text. */
  body: string;
  /** The same as HTML. */
  html: string;
  /** Why the recipient gets it. */
  reason: string;
  /** The world's time. */
  time: string;
};

export type NewFault = {
  /** Name of the operation that fails. */
  operation?: string;
  /** Instead of an operation: pattern of paths, below /api/v4 unless it starts with a slash. */
  path?: string;
  /** HTTP method that the fault is restricted to. */
  method?: string;
  /** Number of the matching request, from 1, that fails. */
  nth?: number;
  /** Probability from 0 to 1 with which a matching request fails. */
  chance?: number;
  /** Whether the fault ends after its first time. */
  once?: boolean;
  /** How often the fault applies. */
  times?: number;
  /** Status of the response, from 200 to 599. */
  status?: number;
  /** With a status: the body, as a text or as JSON. */
  body?: unknown;
  /** Seconds in the header Retry-After, with 429 and 503. */
  retry_after?: number;
  /** What happens to the connection: timeout, reset, truncated or lost_reply. */
  connection?: string;
  /** Content-Type of the response. */
  content_type?: string;
  /** Real time by which the response is delayed: a duration, or seconds. */
  latency?: string | number;
};

export type NewWorld = {
  /** Number of the world on this server. */
  id: number;
  /** URL in responses. */
  url: string;
  /** URL to connect to. */
  listen_url?: string;
  /** Token of the administrator. */
  root_token: string;
};

/** An OpenAPI document. */
export type OpenApi = Record<string, unknown>;

export type Request = {
  /** Number of the request in this world, from 1. */
  number: number;
  /** HTTP method. */
  method: string;
  /** Path with its query; secrets are masked with stars. */
  path: string;
  /** Name of the operation. */
  operation: string | null;
  /** For GraphQL: what the document asks for. */
  detail: string | null;
  /** Username of the caller; null for an anonymous request. */
  user: string | null;
  /** Kind of credential. */
  credential: string | null;
  /** Status of the response; 0: there was none. */
  status: number;
  /** Why the request was refused, or parameters ignored. */
  reason: string | null;
  /** The fault that was applied. */
  fault: string | null;
  /** What the client should not have sent. */
  warnings: unknown[];
  /** Duration in seconds of real time. */
  duration: number;
  /** The world's time. */
  time: string;
};

/** A scenario. */
export type Scenario = Record<string, unknown>;

export type Snapshot = {
  /** Name of the snapshot. */
  name: string;
  /** The world's time then. */
  time: string;
};

export type SnapshotName = {
  /** Name of the snapshot. */
  name: string;
};

export type Token = {
  /** The token. */
  token: string;
  /** Username. */
  user: string;
  /** Kind of the token. */
  kind: string;
};

export type World = {
  /** Number of the world on this server. */
  id: number;
  /** URL in responses. */
  url: string;
  /** URL to connect to. */
  listen_url: string;
  /** Name of the scenario. */
  scenario: string;
};

/** What each route takes, and what it answers. */
export interface Routes {
  /** Return the world's time and the kind of its clock. */
  get_clock: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<never, never>;
    answer: Clock;
  };
  /** Move the clock, to `now` or by `advance`. */
  move_clock: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** Time to go to; it cannot be in the past. */
      now?: string;
      /** Duration to advance by, or seconds. */
      advance?: string | number;
    };
    answer: Clock;
  };
  /** Return which operations are implemented, and how each is verified. */
  coverage: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<never, never>;
    answer: Coverage[];
  };
  /** Clear the delivery log. */
  clear_deliveries: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<never, never>;
    answer: void;
  };
  /** List the deliveries to webhooks and integrations, optionally filtered, or as soon as one has ended. */
  list_deliveries: {
    path: Record<never, never>;
    query: {
      /** The event, with or without its ending. */
      trigger?: string;
      /** Kind of receiver (hook, service), or one of them. */
      receiver?: string;
      /** A part of the URL. */
      url?: string;
      /** pending, delivered, failed or held_back. */
      state?: string;
      /** Status of the response. */
      status?: string;
      /** Number of the last entry that is already known: only later ones are listed. */
      after?: number;
      /** At most this many: the first ones after `after`, or else the last ones. */
      limit?: number;
      /** How long to wait, if no entry matches yet, for the first one: at most 60s. */
      wait?: string;
    };
    body: Record<never, never>;
    answer: Delivery[];
  };
  /** Send the request of a delivery again; the response is the new delivery. */
  redeliver: {
    path: {
      /** Number of the record. */
      id: number;
    };
    query: Record<never, never>;
    body: Record<never, never>;
    answer: Delivery;
  };
  /** List the records that changed since a snapshot. */
  diff: {
    path: Record<never, never>;
    query: {
      /** Name of the snapshot to compare with. */
      since: string;
    };
    body: Record<never, never>;
    answer: Changes;
  };
  /** Remove all faults. */
  clear_faults: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<never, never>;
    answer: void;
  };
  /** List the declared faults. */
  list_faults: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<never, never>;
    answer: Fault[];
  };
  /** Declare a fault. */
  add_fault: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: NewFault;
    answer: Fault;
  };
  /** Remove a fault. */
  remove_fault: {
    path: {
      /** Number of the record. */
      id: number;
    };
    query: Record<never, never>;
    body: Record<never, never>;
    answer: void;
  };
  /** Get a fault. */
  get_fault: {
    path: {
      /** Number of the record. */
      id: number;
    };
    query: Record<never, never>;
    body: Record<never, never>;
    answer: Fault;
  };
  /** Report that the server runs, and which scenario and seed this world has. */
  health: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<never, never>;
    answer: Health;
  };
  /** Add the records of a scenario fragment; the response lists what it created and changed. */
  load: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Fragment;
    answer: Changes;
  };
  /** Clear the outbox of e-mails. */
  clear_mails: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<never, never>;
    answer: void;
  };
  /** List the e-mails that the platform would have sent, optionally filtered. */
  list_mails: {
    path: Record<never, never>;
    query: {
      /** Address of the recipient. */
      to?: string;
      /** A part of the subject. */
      subject?: string;
    };
    body: Record<never, never>;
    answer: Mail[];
  };
  /** Return the OpenAPI description of the API and of the control routes. */
  openapi: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<never, never>;
    answer: OpenApi;
  };
  /** List the declarations of how jobs are played. */
  list_job_outcomes: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<never, never>;
    answer: JobOutcome[];
  };
  /** Replace the declarations of how jobs are played: by a list, or by a single one. */
  replace_job_outcomes: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: JobOutcome[];
    answer: JobOutcome[];
  };
  /** Clear the journal. */
  clear_requests: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<never, never>;
    answer: void;
  };
  /** List the requests in the journal, optionally filtered, a page of them, or as soon as there is one. */
  list_requests: {
    path: Record<never, never>;
    query: {
      /** Name of the operation. */
      operation?: string;
      /** HTTP method. */
      method?: string;
      /** Pattern of paths, below /api/v4 unless it starts with a slash. */
      path?: string;
      /** Username of the caller. */
      user?: string;
      /** Kind of credential. */
      credential?: string;
      /** Status, or a class of them. */
      status?: string;
      /** Number of the last entry that is already known: only later ones are listed. */
      after?: number;
      /** At most this many: the first ones after `after`, or else the last ones. */
      limit?: number;
      /** How long to wait, if no entry matches yet, for the first one: at most 60s. */
      wait?: string;
    };
    body: Record<never, never>;
    answer: Request[];
  };
  /** Reset the world to its scenario. */
  reset: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<never, never>;
    answer: void;
  };
  /** Export the world as a scenario. */
  export: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<never, never>;
    answer: Scenario;
  };
  /** Advance the clock until no job is due. */
  settle: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<never, never>;
    answer: Clock;
  };
  /** List the snapshots. */
  list_snapshots: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<never, never>;
    answer: Snapshot[];
  };
  /** Take a snapshot. */
  make_snapshot: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** Name of the snapshot. Default: snapshot-1, snapshot-2 … */
      name?: string;
    };
    answer: SnapshotName;
  };
  /** Delete a snapshot. */
  delete_snapshot: {
    path: {
      /** Name of the snapshot. */
      name: string;
    };
    query: Record<never, never>;
    body: Record<never, never>;
    answer: void;
  };
  /** Get a snapshot. */
  get_snapshot: {
    path: {
      /** Name of the snapshot. */
      name: string;
    };
    query: Record<never, never>;
    body: Record<never, never>;
    answer: Snapshot;
  };
  /** Take a snapshot. */
  make_snapshot_by_path: {
    path: {
      /** Name of the snapshot. */
      name: string;
    };
    query: Record<never, never>;
    body: Record<never, never>;
    answer: SnapshotName;
  };
  /** Restore a snapshot. */
  restore: {
    path: {
      /** Name of the snapshot. */
      name: string;
    };
    query: Record<never, never>;
    body: Record<never, never>;
    answer: void;
  };
  /** Create a token of any kind for a user. */
  mint_token: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** Username of the user whom the token is for. */
      user: string;
      /** personal, oauth, impersonation, session, project, group or job. Default: personal. */
      kind?: string;
      /** Scopes of the token. Default: all. */
      scopes?: unknown[];
      /** Day on which it expires. */
      expires_at?: string;
      /** Full path of the project, for the kind project. */
      project?: string;
      /** Full path of the group, for the kind group. */
      group?: string;
      /** Id of a running job, for the kind job. */
      job?: number;
      /** Name of the token. */
      name?: string;
    };
    answer: Token;
  };
  /** List the worlds. */
  list_worlds: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<never, never>;
    answer: World[];
  };
  /** Open another world, in the worker with the fewest if there are workers. */
  open_world: {
    path: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** Name of a scenario, or the scenario itself. Default: starter. */
      scenario?: string | Record<string, unknown>;
      /** Number that all random values are derived from. */
      seed?: number;
      /** Keys of the instance. */
      instance?: Record<string, unknown>;
      /** Kind of the clock, or kind, start and tick. */
      clock?: string | Record<string, unknown>;
      /** Origin in all URLs of responses. */
      base_url?: string;
      /** Port of the world. Default: 0, a free one. */
      port?: number;
    };
    answer: NewWorld;
  };
  /** Close a world. */
  close_world: {
    path: {
      /** Number of the record. */
      id: number;
    };
    query: Record<never, never>;
    body: Record<never, never>;
    answer: void;
  };
  /** Get a world. */
  get_world: {
    path: {
      /** Number of the record. */
      id: number;
    };
    query: Record<never, never>;
    body: Record<never, never>;
    answer: World;
  };
}

export type RouteName = keyof Routes;

/** The method and the path of each route. */
export const ROUTES: Readonly<Record<RouteName, readonly [method: string, path: string]>> = {
  get_clock: ["GET", "/_fakeplat/clock"],
  move_clock: ["POST", "/_fakeplat/clock"],
  coverage: ["GET", "/_fakeplat/coverage"],
  clear_deliveries: ["DELETE", "/_fakeplat/deliveries"],
  list_deliveries: ["GET", "/_fakeplat/deliveries"],
  redeliver: ["POST", "/_fakeplat/deliveries/{id}/redeliver"],
  diff: ["GET", "/_fakeplat/diff"],
  clear_faults: ["DELETE", "/_fakeplat/faults"],
  list_faults: ["GET", "/_fakeplat/faults"],
  add_fault: ["POST", "/_fakeplat/faults"],
  remove_fault: ["DELETE", "/_fakeplat/faults/{id}"],
  get_fault: ["GET", "/_fakeplat/faults/{id}"],
  health: ["GET", "/_fakeplat/health"],
  load: ["POST", "/_fakeplat/load"],
  clear_mails: ["DELETE", "/_fakeplat/mails"],
  list_mails: ["GET", "/_fakeplat/mails"],
  openapi: ["GET", "/_fakeplat/openapi.json"],
  list_job_outcomes: ["GET", "/_fakeplat/pipelines"],
  replace_job_outcomes: ["PUT", "/_fakeplat/pipelines"],
  clear_requests: ["DELETE", "/_fakeplat/requests"],
  list_requests: ["GET", "/_fakeplat/requests"],
  reset: ["POST", "/_fakeplat/reset"],
  export: ["GET", "/_fakeplat/scenario"],
  settle: ["POST", "/_fakeplat/settle"],
  list_snapshots: ["GET", "/_fakeplat/snapshots"],
  make_snapshot: ["POST", "/_fakeplat/snapshots"],
  delete_snapshot: ["DELETE", "/_fakeplat/snapshots/{name}"],
  get_snapshot: ["GET", "/_fakeplat/snapshots/{name}"],
  make_snapshot_by_path: ["POST", "/_fakeplat/snapshots/{name}"],
  restore: ["POST", "/_fakeplat/snapshots/{name}/restore"],
  mint_token: ["POST", "/_fakeplat/tokens"],
  list_worlds: ["GET", "/_fakeplat/worlds"],
  open_world: ["POST", "/_fakeplat/worlds"],
  close_world: ["DELETE", "/_fakeplat/worlds/{id}"],
  get_world: ["GET", "/_fakeplat/worlds/{id}"],
};
