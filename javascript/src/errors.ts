/** The base class of this package's errors. */
export class FakeplatError extends Error {
  override name = "FakeplatError";
}

/** No command starts the server; the message says what was tried. */
export class ServerNotFoundError extends FakeplatError {
  override name = "ServerNotFoundError";

  constructor(readonly attempts: readonly string[]) {
    super(
      [
        "the fakeplat server was not found. Install it with `pip install fakeplat`, or set FAKEPLAT to its command.",
        "Tried:",
        ...attempts.map((attempt) => `  - ${attempt}`),
      ].join("\n"),
    );
  }
}

/** The server was found, and ended or was not ready in time. */
export class ServerFailedError extends FakeplatError {
  override name = "ServerFailedError";
}

/** A control request was refused; the message is the server's. */
export class ControlError extends FakeplatError {
  override name = "ControlError";

  constructor(
    readonly status: number,
    readonly route: string,
    reason: string,
  ) {
    super(`${route}: ${reason}`);
  }
}
