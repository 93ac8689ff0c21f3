// A certified OpenID Connect provider for the tests. Prints its issuer when it listens; a line on
// stdin gives it another signing key: "rotate".

import { generateKeyPairSync, randomUUID } from "node:crypto";
import http from "node:http";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { default: Provider } = await import(pathToFileURL(`${process.env.NODE_MODULES}/oidc-provider/lib/index.js`));
const callbacks = JSON.parse(process.env.CALLBACKS);

const people = {
  aisha: { email: "aisha@id.example", email_verified: true, name: "Aisha" },
  nameless: { email: "nameless@id.example", email_verified: true },
  doubtful: { email: "taken@id.example", email_verified: false },
  squatter: { email: "claimed@id.example", email_verified: false },
  claimant: { email: "claimed@id.example", email_verified: true },
  member: { email: "member@id.example", email_verified: true },
  outsider: { email: "outsider@id.example", email_verified: true },
  leaver: { email: "leaver@id.example", email_verified: true },
  owner: { email: "taken@id.example", email_verified: true },
  quiet: {},
  wordy: { email: "wordy@id.example", email_verified: true, name: "Ada\u0000 " + "é".repeat(300) },
  blank: { email: "no address", email_verified: true, name: "\u0000" },
  endless: { email: `${"e".repeat(250)}@id.example`, email_verified: true },
};

function key() {
  const { privateKey } = generateKeyPairSync(process.env.KEY_KIND ?? "rsa", { modulusLength: 2048, namedCurve: "P-256" });
  return { ...privateKey.export({ format: "jwk" }), kid: randomUUID(), use: "sig" };
}

let handle;
const server = http.createServer((request, response) => handle(request, response));
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const start = () => {
    const signing = key();
    const provider = new Provider(issuer, {
      clients: [{
        client_id: "tilth", client_secret: "a secret of tilth & its provider", redirect_uris: callbacks,
        post_logout_redirect_uris: callbacks.map((callback) => new URL("/", callback).href),
        id_token_signed_response_alg: signing.kty === "EC" ? "ES256" : "RS256",
      }],
      jwks: { keys: [signing] },
      claims: { email: ["email", "email_verified"], profile: ["name"] },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...people[sub] }) }),
      cookies: { keys: ["for tests"] },
      pkce: { required: () => true },
    });
    handle = provider.callback();
  };
  start();
  createInterface({ input: process.stdin }).on("line", () => {
    start();
    console.log("rotated");
  }).on("close", () => process.exit());
  console.log(issuer);
});
