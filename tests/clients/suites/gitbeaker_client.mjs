// What the suites of gitbeaker share.

import assert from "node:assert/strict";
import { Gitlab } from "@gitbeaker/rest";

export function signedIn(world, username, options = {}) {
  const token = username === "root" ? world.root_token : `${username}-token`;
  return new Gitlab({ host: world.url, token, ...options });
}

export async function user(client, username) {
  const [account] = await client.Users.all({ username });
  return account;
}

export async function refused(call, status, text) {
  await assert.rejects(call, (error) => {
    assert.equal(error.name, "GitbeakerRequestError");
    assert.equal(error.cause.response.status, status);
    assert.equal(error.message, text);
    return true;
  });
}
