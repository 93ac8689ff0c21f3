// The TypeScript client on the service, and on one that is played.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import {
  ApiError, AuthenticationError, Conflict, ConnectionFailed, etagOf, type Event, FailedDependency, InvalidRequest, NotFound,
  PreconditionFailed, RateLimited, ServiceError, SignatureError, Tilth, TilthError, verifyWebhook,
} from "@tilth/client";

const url = process.env.TILTH_URL!;
const key = process.env.TILTH_API_KEY!;
const client = new Tilth({ url, key });
let number = 0;
const farmOf = () => client.farms.create({ name: `Farm ${++number}`, totalArea: 10 });

async function first<T>(all: AsyncIterable<T>): Promise<T> {
  for await (const one of all) return one;
  throw new Error("There is none.");
}

test("a list walks its pages", async () => {
  const farm = await farmOf();
  for (const name of ["A", "B", "C"]) await client.fields.create(farm, { name, area: 1 });
  const fields = client.fields.list(farm, { sort: "name", order: "asc", limit: 2 });
  assert.deepEqual((await fields.all()).map((field) => field.name), ["A", "B", "C"]);
  assert.equal((await fields.page()).pagination.totalPages, 2);
});

test("bodies take records, dates and numbers, and answers are exact", async () => {
  const farm = await farmOf();
  const field = await client.fields.create(farm, { name: "North", area: "0.10" });
  const crop = await client.crops.create({ farmId: farm, fieldId: field, cropType: "Wheat",
                                           plantingDate: new Date("2026-03-01T00:00:00Z") });
  assert.deepEqual([field.area, crop.farmId, crop.fieldId, crop.plantingDate], ["0.1", farm.id, field.id, "2026-03-01"]);
  const block = await client.blocks.create(farm, field, {
    cropId: crop, name: "A", geometry: { type: "Point", coordinates: [39.6, 24.4] } });
  assert.deepEqual(block.geometry, { type: "Point", coordinates: [39.6, 24.4] });
  assert.equal((await client.blocks.list(farm, field).all()).length, 1);
});

test("if-match refuses a change of what has changed", async () => {
  const farm = await farmOf();
  await client.farms.update(farm, { totalArea: 2 }, { ifMatch: etagOf(farm) });
  await assert.rejects(client.farms.update(farm, { totalArea: 3 }, { ifMatch: etagOf(farm) }), PreconditionFailed);
});

test("errors are types with details", async () => {
  await assert.rejects(client.farms.create({ name: "", totalArea: 1 }), (error: unknown) => {
    assert(error instanceof InvalidRequest && error instanceof TilthError);
    assert.deepEqual([error.name, error.status, error.code, error.details],
                     ["InvalidRequest", 400, "VALIDATION_ERROR", { name: ["must not be empty"] }]);
    return Boolean(error.requestId);
  });
  const farm = await farmOf();
  await assert.rejects(client.farms.create({ name: farm.name, totalArea: 1 }), Conflict);
  await client.farms.delete(farm);
  await assert.rejects(client.farms.get(farm), NotFound);
  await assert.rejects(client.farms.get("../tasks?x="), InvalidRequest);
  await assert.rejects(new Tilth({ url, key: `svc_live_${"0".repeat(32)}` }).farms.list().all(), AuthenticationError);
});

test("the past can be read and not written", async () => {
  const farm = await farmOf();
  await client.farms.update(farm, { name: `${farm.name} later` });
  const past = client.asOf(new Date(farm.createdAt));
  assert.equal((await past.farms.get(farm)).name, farm.name);
  await assert.rejects(past.farms.delete(farm), TypeError);
});

test("requests of a batch refer to each other", async () => {
  const batch = client.batch();
  const farm = batch.farms.create({ name: "In a batch", totalArea: 12 });
  const field = batch.fields.create(farm, { name: "North", area: 4 });
  const refused = batch.fields.create(farm, { name: "", area: 4 });
  const block = batch.blocks.create(farm, refused, { cropId: field, name: "A" });
  const listed = batch.fields.list(farm, { limit: 5 });
  assert.throws(() => farm.result(), TilthError);
  assert.deepEqual(await batch.send(), { succeeded: 3, failed: 2, notAttempted: 0 });
  assert.deepEqual(await client.fields.get(farm, field), field.result());
  assert.deepEqual(listed.result().map((one) => one.name), ["North"]);
  assert.throws(() => refused.result(), InvalidRequest);
  assert.throws(() => block.result(), FailedDependency);
  await client.farms.update(farm, { totalArea: 13 }, { ifMatch: etagOf(farm.result()) });
});

test("computed answers are typed", async () => {
  const farm = await client.farms.create({ name: "Counted", totalArea: 1, country: "Saudi Arabia" });
  await client.expenses.create(farm, { amount: "12.50", category: "fuel", transactionDate: "2026-03-01" });
  assert.equal((await client.farms.financialSummary(farm)).expenses.byCurrency["SAR"]?.original, "12.5");
  assert.equal((await client.regionalPrices.list({ country: "SA" })).meta.currency, "SAR");
  assert((await client.usage.get()).farmsCount > 0);
});

test("another client sees a change by its position, and follows from it", async () => {
  const farm = await farmOf();
  const other = new Tilth({ url, key });
  other.position = client.position;
  assert.deepEqual(await other.farms.get(farm), farm);
  const start = client.position;
  await client.farms.update(farm, { totalArea: 11 });
  const event = await first(other.events.follow({ from: start }));
  assert.deepEqual([event.type, event.data["farmId"]], ["tilth.farm.amended", farm.id]);
  assert.equal((await first(other.events.follow({ from: farm.createdAt }))).data["farmId"], farm.id);
  await client.farms.delete(farm);
  assert.equal((await first(other.events.follow({ from: event }))).type, "tilth.farm.removed");
  assert.equal((await first(other.events.list({ after: event.position }))).type, "tilth.farm.removed");
});

test("following ends when it is told to", async () => {
  const end = new AbortController();
  for await (const _ of client.events.follow({ signal: end.signal })) end.abort();
  assert(end.signal.aborted);
});

// --- a service that is played

type Answer = Response | Error;

function played(...answers: Answer[]) {
  const requests: { url: URL; headers: Headers; body: string }[] = [];
  const waits: number[] = [];
  const service = new Tilth({
    url: "http://played", key: "key",
    fetch: async (asked, options) => {
      requests.push({ url: new URL(String(asked)), headers: new Headers(options?.headers), body: String(options?.body) });
      const answer = answers.shift()!;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    sleep: async (seconds) => void waits.push(seconds),
  });
  return { service, requests, waits };
}

const answer = (status: number, body: object = {}, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });
const made = { data: { id: "a", name: "Oasis" } };

test("it asks again after what passes, for one change", async () => {
  const { service, requests, waits } = played(new TypeError("fetch failed"), answer(503), answer(409, {}, { "Retry-After": "1" }),
                                              answer(429, {}, { "Retry-After": "7" }), answer(201, made));
  assert.equal((await service.farms.create({ name: "Oasis", totalArea: 1 })).name, "Oasis");
  assert.equal(new Set(requests.map((request) => request.headers.get("Idempotency-Key") + request.body)).size, 1);
  assert.deepEqual(waits.slice(2), [1, 7]);
});

test("it does not wait for an hour, nor ask again for what stays refused", async () => {
  const busy = played(answer(429, {}, { "Retry-After": "3000" }));
  await assert.rejects(busy.service.farms.get("a"), (error: unknown) => error instanceof RateLimited && error.retryAfter === 3000);
  const taken = played(answer(409));
  await assert.rejects(taken.service.farms.create({ name: "Oasis", totalArea: 1 }), Conflict);
  assert.deepEqual([...busy.waits, ...taken.waits], []);
});

/** An X-RateLimit-Reset of the service. */
const resetIn = (seconds: number) => ({ "X-RateLimit-Reset": new Date(Date.now() + seconds * 1000).toISOString() });

test("it waits until the rate limit resets", async () => {
  const soon = played(answer(429, {}, resetIn(20)), answer(200, made));
  await soon.service.farms.get("a");
  assert(soon.waits.length === 1 && Math.abs(soon.waits[0]! - 20) < 2, String(soon.waits));
  const late = played(answer(429, {}, resetIn(3000)));
  await assert.rejects(late.service.farms.get("a"), (error: unknown) =>
    error instanceof RateLimited && Math.abs(error.retryAfter! - 3000) < 2);
  assert.deepEqual(late.waits, []);
});

test("any other rate limit reset changes no wait", async () => {
  for (const other of [answer(429, {}, resetIn(-20)), answer(429, {}, { "X-RateLimit-Reset": "soon" }),
                       answer(429, {}, { "X-RateLimit-Reset": "2099-03-01T00:00:00" }),
                       answer(429, {}, { ...resetIn(20), "Retry-After": "1" }), answer(503, {}, resetIn(20))]) {
    const { service, waits } = played(other, answer(200, made));
    await service.farms.get("a");
    assert(waits.length === 1 && waits[0]! > 0 && waits[0]! <= 1, String(waits));
  }
});

test("it gives up at last", async () => {
  const lost = Array.from({ length: 5 }, () => new TypeError("fetch failed"));
  await assert.rejects(played(...lost).service.farms.get("a"), ConnectionFailed);
  const proxied = played(...Array.from({ length: 3 }, () => new Response("<html>", { status: 502 })));
  await assert.rejects(proxied.service.farms.get("a"), ServiceError);
  assert.equal(proxied.waits.length, 2);
});

test("what something else answers in the service's place is an error", async () => {
  const page = () => new Response("<html>", { headers: { "Content-Type": "text/html" } });
  assert.equal((await played(page(), answer(200, made)).service.farms.get("a")).name, "Oasis");
  await assert.rejects(played(...Array.from({ length: 5 }, page)).service.farms.list().all(), ConnectionFailed);
  await assert.rejects(first(played(page()).service.events.follow()), ConnectionFailed);
  for (const body of [{ details: [{ reason: "busy" }] }, { details: null, code: 14, error: { code: 14 } }]) {
    await assert.rejects(played(answer(400, body)).service.farms.get("a"), (error: unknown) => {
      assert(error instanceof InvalidRequest);
      assert.deepEqual([error.code, error.details], ["400", {}]);
      return true;
    });
  }
});

test("a body that is not JSON is asked for again, and then an error", async () => {
  const refused = { name: "ConnectionFailed", message: /status 200. is not JSON/ };
  const typed = (type: string, text: string) => new Response(text, { headers: { "Content-Type": type } });
  for (const text of ["<html>Sign in</html>", '{"data": {"id"', ""]) {
    const page = () => typed("application/json", text);
    const pages = () => played(...Array.from({ length: 5 }, page)).service;
    assert.equal((await played(page(), answer(200, made)).service.farms.get("a")).name, "Oasis");
    await assert.rejects(pages().farms.get("a"), refused);
    await assert.rejects(pages().farms.list().all(), refused);
    await assert.rejects(pages().farms.healthScore("a"), refused);
    await assert.rejects(pages().farms.create({ name: "Oasis", totalArea: 1 }), refused);
    await assert.rejects(pages().batch().send(), refused);
  }
  const lines = (text: string) => typed("application/x-ndjson", text);
  const whole = '{"id":"1","position":"p0.1"}\n';
  assert.equal((await first(played(lines('{"id"'), lines(whole)).service.events.list())).id, "1");
  await assert.rejects(first(played(...Array.from({ length: 5 }, () => lines('{"id"'))).service.events.list()), refused);
  for await (const _ of played(lines("")).service.events.list()) assert.fail();
});

test("a removal needs no body", async () => {
  for (const status of [204, 200]) await played(new Response(null, { status })).service.farms.delete("a");
});

test("a change that is sent elsewhere is an error, and does not become a read", async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.method);
    response.writeHead(301, { Location: "/api/v1/farms" }).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const moved = new Tilth({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key });
  await assert.rejects(moved.farms.create({ name: "Oasis", totalArea: 1 }),
                       (error: unknown) => error instanceof ApiError && error.status === 301);
  assert.deepEqual(asked, ["POST"]);
  server.close();
  server.closeAllConnections();
});

test("what would lead to another path is no id", async () => {
  const { service, requests } = played(answer(200));
  for (const id of ["", ".", ".."]) await assert.rejects(async () => service.fields.delete("a", id), TypeError);
  assert.deepEqual(requests, []);
});

test("a URL without http or a host is refused at once", () => {
  for (const wrong of ["played", "played:8080", "localhost:8080/api", "ftp://played", "http://", "https:///api", "http://a b", ""]) {
    assert.throws(() => new Tilth({ url: wrong, key }), /^TypeError: The URL of the service must begin with http/);
  }
});

test("a URL may end with a slash and have a path", async () => {
  const asked: unknown[] = [];
  const below = new Tilth({ url: "HTTPS://played:8443/tilth/", key, fetch: async (url) => (asked.push(url), answer(200, made)) });
  await below.farms.get("a");
  assert.deepEqual(asked, ["HTTPS://played:8443/tilth/api/v1/farms/a"]);
});

test("in a page a URL may be a path of the page's origin", async () => {
  const asked: unknown[] = [];
  const page = globalThis as { location?: unknown };
  page.location = { href: "https://played/today" };
  try {
    for (const path of ["", "/", "/tilth/"]) {
      const own = new Tilth({ url: path, key, fetch: async (url) => (asked.push(url), answer(200, made)) });
      await own.farms.get("a");
    }
    assert.throws(() => new Tilth({ url: "played:8080", key }), TypeError);
  } finally {
    delete page.location;
  }
  assert.deepEqual(asked, ["/api/v1/farms/a", "/api/v1/farms/a", "/tilth/api/v1/farms/a"]);
});

test("what no header can hold is refused before it is sent", async () => {
  const { service, requests, waits } = played();
  const refused = /^TypeError: .* cannot be sent as /;
  for (const value of ['"v1"\n', '"v1"\r\nX: y', '"\u0661"', "\0"]) {
    await assert.rejects(service.farms.update("a", { name: "Oasis" }, { ifMatch: value }), refused);
    await assert.rejects(service.farms.delete("a", { ifMatch: value }), refused);
    await assert.rejects(service.farms.create({ name: "Oasis", totalArea: 1 }, { idempotencyKey: value }), refused);
    assert.throws(() => service.asOf(value), refused);
    assert.throws(() => { service.position = value; }, refused);
  }
  assert.deepEqual([requests, waits], [[], []]);
});

test("what JSON would write as null is refused before it is sent", async () => {
  const { service, requests } = played();
  const [lost, invalid] = [new Date("not a date"), /^TypeError: dueDate is an invalid Date/];
  await assert.rejects(service.tasks.update("a", { dueDate: lost }), invalid);
  assert.throws(() => service.batch().tasks.update("a", { dueDate: lost }), invalid);
  for (const number of [NaN, Infinity, -Infinity]) {
    await assert.rejects(service.farms.create({ name: "Oasis", totalArea: number }), /^TypeError: totalArea is .*finite/);
    await assert.rejects(service.farms.update("a", { location: { lat: number, lng: 1 } }), /^TypeError: location.lat is .*finite/);
    assert.throws(() => service.batch().blocks.create("a", "b", {
      cropId: "c", name: "A", geometry: { type: "Point", coordinates: [1, number] },
    }), /^TypeError: geometry.coordinates.1 is .*finite/);
    await assert.rejects(service.farms.list({ limit: number }).all(), /^TypeError: limit is .*finite/);
    assert.throws(() => service.batch().farms.list({ limit: number }), /^TypeError: limit is .*finite/);
  }
  await assert.rejects(service.tasks.list({ dueBefore: lost }).page(), /^TypeError: dueBefore is an invalid Date/);
  await assert.rejects(first(service.events.list({ since: lost })), /^TypeError: since is an invalid Date/);
  await assert.rejects(first(service.events.follow({ from: lost })), /^TypeError: from is an invalid Date/);
  assert.throws(() => service.asOf(lost), /^TypeError: time is an invalid Date/);
  assert.deepEqual(requests, []);
});

test("a key is shown in no error", async () => {
  for (const wrong of ["svc_live\nsecret", "svc_live_secret…", " "]) {
    assert.throws(() => new Tilth({ url, key: wrong }), (error: unknown) => error instanceof TypeError && !/secret/.test(error.message));
  }
  assert((await new Tilth({ url, key: `${key}\n` }).usage.get()).farmsCount > 0);
});

test("a list that is answered at once ends with it", async () => {
  const data = ["0", "1", "2"].map((id) => ({ id })); // as for 10,000 records and more: all of them, and two pages
  const { service } = played(answer(200, { data, pagination: { page: 1, limit: 2, total: 3, totalPages: 2 } }));
  assert.equal((await service.plants.list("a", "b", "c").all()).length, 3);
});

test("what stands for an id is one, and an object of the owner's stays as it is", async () => {
  const { service, requests } = played(answer(201, made));
  await service.userCrops.create({ adminCropId: { id: "a" }, source: "manual_search", customizations: { id: "mine" } });
  assert.deepEqual(JSON.parse(requests[0]!.body),
                   { adminCropId: "a", source: "manual_search", customizations: { id: "mine" } });
});

test("reads carry the position of the last change", async () => {
  const { service, requests } = played(answer(201, made, { "Tilth-Position": "p0.7" }), answer(200, made));
  await service.farms.create({ name: "Oasis", totalArea: 1 });
  await service.farms.get("a");
  assert.deepEqual(requests.map((request) => request.headers.get("Tilth-Min-Position")), [null, "p0.7"]);
});

function broken(...numbers: number[]): Response {
  const text = numbers.map((one) => `: still here\n\nid: p0.${one}\nevent: x\ndata: {"id":"${one}","position":"p0.${one}"}\n\n`);
  const parts = [...text.join(""), "data: {\"half"].map((letter) => new TextEncoder().encode(letter));
  return new Response(new ReadableStream({
    pull(controller) {
      const part = parts.shift();
      if (part) controller.enqueue(part);
      else controller.error(new TypeError("terminated"));
    },
  }));
}

test("following resumes after a broken connection", async () => {
  const { service, requests } = played(broken(1, 2), new TypeError("fetch failed"), answer(503), broken(3),
                                       answer(401, { code: "INVALID_API_KEY" }));
  const found: string[] = [];
  await assert.rejects(async () => {
    for await (const event of service.events.follow({ from: "p0.0" })) found.push(event.id);
  }, AuthenticationError);
  assert.deepEqual(found, ["1", "2", "3"]);
  assert.deepEqual(requests.map((request) => request.url.searchParams.get("after")), ["p0.0", "p0.2", "p0.2", "p0.2", "p0.3"]);
});

// --- webhooks

const secret = `whsec_${Buffer.from(Array.from({ length: 32 }, (_, at) => at)).toString("base64")}`;
const other = `whsec_${Buffer.alloc(32).toString("base64")}`;
const body = JSON.stringify({ id: "msg_1", type: "tilth.task.completed", data: { title: "سقي" } });

function signed(by = secret, text = body, age = 0): Record<string, string> {
  const at = new Date(Math.floor(Date.now() / 1000 - age) * 1000);
  return { "Webhook-Id": "msg_1", "webhook-timestamp": String(at.getTime() / 1000),
           "webhook-signature": new Webhook(by).sign("msg_1", at, text) };
}

test("what the library of Standard Webhooks signs is verified", async () => {
  for (const sent of [body, new TextEncoder().encode(body)]) {
    const event: Event = await verifyWebhook(sent, signed(), secret);
    assert.deepEqual(event.data, { title: "سقي" });
  }
  const rotated = { ...signed(), "webhook-signature": `${signed(other)["webhook-signature"]} v1a,x ${signed()["webhook-signature"]}` };
  assert.equal((await verifyWebhook(body, new Headers(rotated), secret)).id, "msg_1");
});

test("anything else is refused", async () => {
  const wrong: [string, Record<string, string>][] = [
    [`${body} `, signed()], [body, signed(other)], [body, { ...signed(), "Webhook-Id": "msg_2" }],
    [body, { ...signed(), "webhook-signature": "v1,ü" }], [body, { ...signed(), "webhook-timestamp": "soon" }],
    [body, { ...signed(), "webhook-timestamp": "1" }], [body, signed(secret, body, 3600)],
    [body, signed(secret, body, -3600)], [body, {}],
  ];
  for (const [text, headers] of wrong) await assert.rejects(verifyWebhook(text, headers, secret), SignatureError);
  await assert.rejects(verifyWebhook(body, signed(), "whsec_!"), SignatureError);
});

test("a position only moves forward", async () => {
  const positions = ["p0.9", "p0.10", "p0.9", "p1.3", "p1.2"];
  const played = new Tilth({ key: "key", fetch: async () => new Response(JSON.stringify({ data: { id: "a" } }), {
    status: 201, headers: { "Content-Type": "application/json", "Tilth-Position": positions.shift()! } }) });
  const seen: (string | undefined)[] = [];
  while (positions.length) {
    await played.farms.create({ name: "Oasis", totalArea: 1 });
    seen.push(played.position);
  }
  assert.deepEqual(seen, ["p0.9", "p0.10", "p0.10", "p1.3", "p1.3"]);
});

test("a request of another batch is refused", () => {
  const [one, other] = [client.batch(), client.batch()];
  const farm = one.farms.create({ name: "Oasis", totalArea: 1 });
  const own = other.farms.create({ name: "Hill", totalArea: 1 });
  const refused = { name: "TilthError", message: /another batch/ };
  assert.throws(() => other.fields.create(farm, { name: "North", area: 1 }), refused);
  assert.throws(() => other.tasks.create({ farmId: farm, title: "Prune", category: "other" }), refused);
  const field = other.fields.create(own, { name: "North", area: 1 });
  assert.equal(field.request.path, "/v1/farms/{$r0}/fields");
});
