// What users of openid-client rely on: discovery, registration with PKCE, devices, and who the user is.

import assert from "node:assert/strict";
import * as openid from "openid-client";
import { advance, fact } from "./world.mjs";

const CALLBACK = "https://app.example.test/callback";
const APPLICATION = { name: "App", uid: "app", secret: "app-secret", redirect_uri: CALLBACK, scopes: ["api", "openid"] };
const WORLD = {
  scenario: { extends: "starter", applications: [APPLICATION] },
  clock: "virtual",
  instance: { version: "19.3" },
};
const INSECURE = { execute: [openid.allowInsecureRequests] };

const discover = (world, ...client) => openid.discovery(new URL(world.url), ...client, undefined, INSECURE);

// A browser that has signed in: it keeps its cookies and follows redirects as far as the platform's own pages go.
class Browser {
  constructor(world) {
    this.origin = new URL(world.url).origin;
    this.cookie = "";
  }

  async open(address, form) {
    const headers = { cookie: this.cookie, ...(form && { "content-type": "application/x-www-form-urlencoded" }) };
    const body = form && new URLSearchParams(form).toString();
    const options = { method: form ? "POST" : "GET", headers, body, redirect: "manual" };
    const response = await fetch(new URL(address, this.origin), options);
    const cookie = response.headers.get("set-cookie");
    if (cookie) this.cookie = cookie.split(";")[0];
    const location = response.headers.get("location");
    if (location?.startsWith(this.origin)) return this.open(location);
    return location ?? response.text();
  }

  // Sends the first form of a page with its hidden fields.
  submit(page, fields = {}) {
    const [, action, content] = page.match(/<form action="([^"]*)"(.*?)<\/form>/s);
    const hidden = [...content.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
    return this.open(action, { ...Object.fromEntries(hidden.map(([, name, value]) => [name, unescape(value)])), ...fields });
  }

  async signIn(address) {
    return this.submit(await this.open(address), { "user[login]": "dev", "user[password]": "dev-password" });
  }
}

const unescape = (text) => text.replaceAll("&quot;", '"').replaceAll("&#x27;", "'").replaceAll("&amp;", "&");

const authorize = async (world, config, scope) => {
  const verifier = openid.randomPKCECodeVerifier();
  const challenge = { code_challenge: await openid.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" };
  const state = openid.randomState();
  const address = openid.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope, state, ...challenge });
  const browser = new Browser(world);
  const answer = await browser.submit(await browser.signIn(address.href));
  const checks = { pkceCodeVerifier: verifier, expectedState: state };
  return openid.authorizationCodeGrant(config, new URL(answer), checks);
};

// ID tokens have the world's time, which the library compares with its own.
fact("an ID token is verified with the published key, and tells of groups", async (world) => {
  const config = await discover(world, "app", "app-secret");
  const tokens = await authorize(world, config, "openid");
  const claims = tokens.claims();
  assert.deepEqual(["app", ["acme"]], [claims.aud, claims.groups_direct]);
  const user = await openid.fetchUserInfo(config, tokens.access_token, claims.sub);
  assert.deepEqual(["dev", "dev"], [user.nickname, user.preferred_username]);
}, { ...WORLD, clock: "real" });

fact("an application registers itself and uses PKCE", async (world) => {
  const metadata = await openid.discovery(new URL(world.url), "unregistered", undefined, undefined, INSECURE);
  const response = await fetch(`${world.url}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "Agent", redirect_uris: [CALLBACK] }),
  });
  const { client_id: id } = await response.json();
  const config = new openid.Configuration(metadata.serverMetadata(), id, undefined, openid.None());
  openid.allowInsecureRequests(config);
  assert.equal("mcp", (await authorize(world, config, "mcp")).scope);
}, WORLD);

fact("a device polls until its user has confirmed it", async (world) => {
  const discovered = (await discover(world, "app", "app-secret")).serverMetadata();
  // The platform does not publish the address.
  const server = { ...discovered, device_authorization_endpoint: `${world.url}/oauth/authorize_device` };
  const config = new openid.Configuration(server, "app", "app-secret");
  openid.allowInsecureRequests(config);
  const codes = await openid.initiateDeviceAuthorization(config, { scope: "api" });
  const polling = openid.pollDeviceAuthorizationGrant(config, { ...codes, interval: 0.2 });
  const browser = new Browser(world);
  const page = await browser.signIn(codes.verification_uri_complete);
  const confirmed = await browser.submit(await browser.submit(page, { user_code: codes.user_code }));
  assert.match(confirmed, /Device successfully authorized/);
  await advance(world, "6s");
  const { access_token: token } = await polling;
  const response = await fetch(`${world.url}/api/v4/user`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal("dev", (await response.json()).username);
}, WORLD);
