// Sends the operations of a file one by one with graphql-request, and prints how many there were and what failed.

import { readFileSync } from "node:fs";
import { parse } from "graphql";
import { GraphQLClient } from "graphql-request";

const { url, token, operations } = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const client = new GraphQLClient(`${url}/api/graphql`, { headers: { authorization: `Bearer ${token}` } });
const failed = [];
for (const text of operations) {
  try {
    await client.request(parse(text));
  } catch (error) {
    failed.push(error.message);
  }
}
console.log(JSON.stringify({ sent: operations.length, failed }));
