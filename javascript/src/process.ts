import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { type Candidate, isInstalled, listCandidates } from "./commands.js";
import { ServerFailedError, ServerNotFoundError } from "./errors.js";

/** How to start the server. */
export interface ProcessOptions {
  /** The command of the server, such as `["uvx", "fakeplat"]`; by default it is searched for. */
  command?: readonly string[];
  /** More options of `fakeplat serve`, such as `["--allow-egress"]`. */
  arguments?: readonly string[];
  /** Milliseconds until the server must be ready. The default, 120,000, leaves time for a first installation. */
  timeout?: number;
}

/** What the ready file tells. */
export interface Ready {
  url: string;
  listen_url?: string;
  root_token: string;
  pid: number;
}

const READY_TIMEOUT = 120_000;
const STOP_TIMEOUT = 10_000;
const POLL_INTERVAL = 20;
const MAX_OUTPUT = 10_000;
const NOT_STARTED = "could not be started";

/** A server that was started by this process, and that ends with it. */
export class ServerProcess {
  private output = "";
  private failure: Error | undefined;
  private readonly child: ChildProcess;

  private constructor(
    readonly candidate: Candidate,
    options: readonly string[],
  ) {
    const [program, ...words] = candidate.words;
    // The server stops at the end of its standard input, so it ends with this process, however that ends.
    const serve = ["serve", "--port", "0", "--scenario", "empty", "--until-eof", ...options];
    this.child = spawn(program, [...words, ...serve], { stdio: ["pipe", "ignore", "pipe"], windowsHide: true });
    this.child.on("error", (error) => (this.failure = error));
    this.child.stderr?.on("data", (data: Buffer) => (this.output = (this.output + data).slice(-MAX_OUTPUT)));
    this.detach();
  }

  /** Start the server with the first command that works. */
  static async start(options: ProcessOptions = {}): Promise<[ServerProcess, Ready]> {
    const attempts: string[] = [];
    for (const candidate of listCandidates(options.command)) {
      const command = candidate.words.join(" ");
      if (!isInstalled(candidate.words[0])) {
        attempts.push(`\`${command}\`: ${candidate.words[0]} is not there (${candidate.origin})`);
        continue;
      }
      const outcome = await ServerProcess.try(candidate, options);
      if (typeof outcome !== "string") {
        return outcome;
      }
      attempts.push(`\`${command}\`: ${outcome} (${candidate.origin})`);
    }
    throw new ServerNotFoundError(attempts);
  }

  /** Return the server that a command starts, or why it starts none. */
  private static async try(candidate: Candidate, options: ProcessOptions): Promise<[ServerProcess, Ready] | string> {
    const folder = await mkdtemp(join(tmpdir(), "fakeplat-"));
    const file = join(folder, "ready.json");
    const server = new ServerProcess(candidate, ["--ready-file", file, ...(options.arguments ?? [])]);
    try {
      return [server, await server.waitUntilReady(file, options.timeout ?? READY_TIMEOUT)];
    } catch (error) {
      await server.stop(0);
      if (server.isMissing) {
        return server.describeEnd();
      }
      throw error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** End the process, and wait until it has ended: after the timeout it is killed. */
  async stop(timeout = STOP_TIMEOUT): Promise<void> {
    this.child.stdin?.end();
    const deadline = Date.now() + timeout;
    while (!this.hasEnded) {
      if (Date.now() > deadline) {
        this.child.kill("SIGKILL");
        return;
      }
      await sleep(POLL_INTERVAL);
    }
  }

  private async waitUntilReady(file: string, timeout: number): Promise<Ready> {
    const deadline = Date.now() + timeout;
    for (;;) {
      const ready = await readReadyFile(file);
      if (ready !== undefined) {
        return ready;
      }
      if (this.hasEnded) {
        throw new ServerFailedError(`${this.command} ${this.describeEnd()}`);
      }
      if (Date.now() > deadline) {
        throw new ServerFailedError(`${this.command} was not ready within ${timeout} ms\n${this.output}`);
      }
      await sleep(POLL_INTERVAL);
    }
  }

  /** Whether the command runs no fakeplat at all: what fakeplat itself refuses begins with its name. */
  private get isMissing(): boolean {
    return this.hasEnded && !/^(fakeplat:|Usage: )/m.test(this.output);
  }

  private get hasEnded(): boolean {
    return this.failure !== undefined || this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private get command(): string {
    return this.candidate.words.join(" ");
  }

  private describeEnd(): string {
    if (this.failure !== undefined) {
      return `${NOT_STARTED}: ${this.failure.message}`;
    }
    const end = this.child.signalCode ?? `status ${this.child.exitCode}`;
    return `ended with ${end}: ${this.output.trim() || "it printed nothing"}`;
  }

  /** Let this process end although the server runs. */
  private detach(): void {
    this.child.unref();
    for (const stream of [this.child.stdin, this.child.stderr]) {
      (stream as Socket | null)?.unref();
    }
    this.child.stdin?.on("error", () => undefined); // the server may have ended before its input does
  }
}

async function readReadyFile(file: string): Promise<Ready | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Ready;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
}
