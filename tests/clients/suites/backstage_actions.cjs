// Runs actions of Backstage's scaffolder: reads {server, token, workspace, actions} as JSON, prints the outputs of each.
const { readFileSync } = require("node:fs");
const { ConfigReader } = require("@backstage/config");
const { ScmIntegrations } = require("@backstage/integration");
const gitlab = require("@backstage/plugin-scaffolder-backend-module-gitlab");

const { server, token, workspace, actions } = JSON.parse(readFileSync(0, "utf-8"));
const host = new URL(server).host;
const config = new ConfigReader({
  integrations: { gitlab: [{ host, token, baseUrl: server, apiBaseUrl: `${server}/api/v4` }] },
});
const integrations = ScmIntegrations.fromConfig(config);
const known = new Map(
  Object.values(gitlab)
    .filter((create) => typeof create === "function")
    .map((create) => create({ integrations, config }))
    .filter((action) => action.handler)
    .map((action) => [action.id, action]),
);
const logger = new Proxy({}, { get: () => () => {} });

async function run({ id, input }) {
  const outputs = {};
  await known.get(id).handler({
    input,
    workspacePath: workspace,
    output: (name, value) => (outputs[name] = value),
    checkpoint: ({ fn }) => fn(),
    logger,
    secrets: {},
  });
  return outputs;
}

async function main() {
  const outputs = [];
  for (const action of actions) outputs.push(await run(action));
  console.log(JSON.stringify(outputs));
}

main();
