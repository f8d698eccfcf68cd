import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { env, platform } from "node:process";

/** A way to start the server: the words of a command, and why it is tried. */
export interface Candidate {
  words: readonly [string, ...string[]];
  origin: string;
}

const IS_WINDOWS = platform === "win32";

/** Return the commands that may start the server, the most specific first. */
export function listCandidates(command?: readonly string[]): Candidate[] {
  const [program, ...options] = command ?? [];
  if (program !== undefined) {
    return [{ words: [program, ...options], origin: "the option `command`" }];
  }
  if (env["FAKEPLAT"]) {
    return [{ words: splitCommand(env["FAKEPLAT"]), origin: "the environment variable FAKEPLAT" }];
  }
  return [
    { words: ["fakeplat"], origin: "PATH" },
    { words: ["uvx", "fakeplat"], origin: "PATH" },
    { words: ["pipx", "run", "fakeplat"], origin: "PATH" },
    { words: [IS_WINDOWS ? "python" : "python3", "-m", "fakeplat"], origin: "PATH" },
  ];
}

/** Return whether a program can be found, by its path or on PATH. */
export function isInstalled(program: string): boolean {
  if (/[\\/]/.test(program)) {
    return existsSync(program);
  }
  const endings = IS_WINDOWS ? (env["PATHEXT"] ?? ".EXE;.CMD;.BAT").split(";") : [""];
  return (env["PATH"] ?? "")
    .split(delimiter)
    .some((folder) => endings.some((ending) => existsSync(join(folder, program + ending))));
}

/** The value of FAKEPLAT is the path of a program, or a command whose words are separated by spaces. */
function splitCommand(text: string): [string, ...string[]] {
  const [program, ...options] = text.trim().split(/\s+/);
  return existsSync(text) || program === undefined ? [text] : [program, ...options];
}
