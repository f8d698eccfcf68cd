export type * from "./control.js";
export { ControlError, FakeplatError, ServerFailedError, ServerNotFoundError } from "./errors.js";
export type { ProcessOptions } from "./process.js";
export { connect, type ConnectOptions, Server, start, startOrConnect, type StartOptions } from "./server.js";
export { type DeliveryFilter, type MailFilter, type RequestFilter, type TokenOptions, World, type WorldOptions } from "./world.js";
