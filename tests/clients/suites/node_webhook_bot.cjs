// A bot with node-gitlab-webhook: prints its port, then a line for each webhook that the handler has read.
const http = require("node:http");
const create = require("node-gitlab-webhook");

const handler = create({ path: "/webhook", secret: process.argv[2] });
handler.on("*", ({ event, payload }) => console.log(event, payload.object_attributes?.action ?? ""));
const server = http.createServer((request, response) =>
  handler(request, response, () => {
    if (!response.headersSent) response.writeHead(404).end();
  }),
);
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
