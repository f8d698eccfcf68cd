import { ROUTES, type RouteName, type Routes } from "./control.js";
import { ControlError } from "./errors.js";

/** What a route takes: parameters of its path, its query, its body. */
export interface CallOptions<Name extends RouteName> {
  path?: Routes[Name]["path"];
  query?: Routes[Name]["query"];
  body?: Routes[Name]["body"];
}

/** Sends requests to the control routes of one world. */
export class ControlClient {
  /** `key` is that of the server's `--control-key-file`. */
  constructor(
    readonly origin: string,
    readonly key?: string,
  ) {}

  /** Call a route by its name, and return its answer. ControlError if the server refuses it. */
  async call<Name extends RouteName>(name: Name, options: CallOptions<Name> = {}): Promise<Routes[Name]["answer"]> {
    const [method, template] = ROUTES[name];
    const route = fillTemplate(template, options.path ?? {});
    const response = await fetch(this.origin + route + formatQuery(options.query ?? {}), {
      method,
      headers: {
        ...(options.body === undefined ? {} : { "content-type": "application/json" }),
        ...(this.key === undefined ? {} : { "x-fakeplat-key": this.key }),
      },
      body: options.body === undefined ? null : JSON.stringify(options.body),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new ControlError(response.status, `${method} ${route}`, findReason(text));
    }
    return (text === "" ? undefined : JSON.parse(text)) as Routes[Name]["answer"];
  }
}

function fillTemplate(template: string, values: Record<string, unknown>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

function formatQuery(values: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) {
      query.append(name, String(value));
    }
  }
  return query.size === 0 ? "" : `?${query}`;
}

function findReason(text: string): string {
  try {
    return String((JSON.parse(text) as { error?: unknown }).error ?? text);
  } catch {
    return text;
  }
}
