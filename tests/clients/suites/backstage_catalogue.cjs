// Runs the providers of Backstage's catalogue once: reads {server, token, group} as JSON, prints what they find.
const { readFileSync } = require("node:fs");
const { ConfigReader } = require("@backstage/config");
const {
  GitlabDiscoveryEntityProvider,
  GitlabOrgDiscoveryEntityProvider,
} = require("@backstage/plugin-catalog-backend-module-gitlab");

const { server, token, group } = JSON.parse(readFileSync(0, "utf-8"));
const host = new URL(server).host;
const schedule = { frequency: { minutes: 30 }, timeout: { minutes: 3 } };
const config = new ConfigReader({
  integrations: { gitlab: [{ host, token, baseUrl: server, apiBaseUrl: `${server}/api/v4` }] },
  catalog: { providers: { gitlab: { served: { host, group, orgEnabled: true, restrictUsersToGroup: true, schedule } } } },
});
const problems = [];
const logger = {
  child: () => logger,
  debug() {},
  info() {},
  warn: (text) => problems.push(String(text)),
  error: (text) => problems.push(String(text)),
};

async function find(Provider) {
  const tasks = [];
  const scheduler = { createScheduledTaskRunner: () => ({ run: async (task) => tasks.push(task) }) };
  const found = [];
  const connection = {
    applyMutation: async ({ entities }) => found.push(...entities.map(({ entity }) => entity)),
    refresh: async () => {},
  };
  for (const provider of Provider.fromConfig(config, { logger, scheduler })) await provider.connect(connection);
  for (const task of tasks) await task.fn();
  return found;
}

async function main() {
  const locations = await find(GitlabDiscoveryEntityProvider);
  const organisation = await find(GitlabOrgDiscoveryEntityProvider);
  console.log(JSON.stringify({ locations, organisation, problems }));
}

main();
