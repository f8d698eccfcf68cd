export { type Fixtures, fixtures, type WorldFixtures } from "./fixtures.js";
