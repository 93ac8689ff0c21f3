// Verifies webhooks, which are signed as Standard Webhooks 1.0 says.
import { SignatureError } from "./errors.js";
import type { Event } from "./records.js";

export interface VerifyOptions {
  /** The seconds that a webhook's timestamp may be off; 300 by default, so that an old one cannot be sent again. */
  readonly tolerance?: number;
}

/** The headers of a request, as Fetch or as Node.js has them. */
export type RequestHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The event that a webhook tells of, if Tilth sent it; else a SignatureError is thrown: answer 400 and do nothing.
 * `body` is the request's body exactly as it came, `secret` the webhook's `whsec_…`.
 */
export async function verifyWebhook(body: string | Uint8Array, headers: RequestHeaders, secret: string,
                                    { tolerance = 300 }: VerifyOptions = {}): Promise<Event> {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => header(headers, `webhook-${name}`));
  if (!id || !timestamp || !signatures) throw new SignatureError("A header of the signature is missing.");
  const seconds = /^\d+$/.test(timestamp) ? Number(timestamp) : NaN;
  if (!(Math.abs(Date.now() / 1000 - seconds) <= tolerance)) {
    throw new SignatureError("The webhook is too old, or a clock is wrong.");
  }
  const content = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const key = await crypto.subtle.importKey("raw", secretOf(secret), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + content.length);
  signed.set(head);
  signed.set(content, head.length);
  for (const offered of signatures.split(" ")) {
    const signature = offered.startsWith("v1,") ? bytesOf(offered.slice(3)) : undefined;
    if (signature && await crypto.subtle.verify("HMAC", key, signature, signed)) {
      return JSON.parse(new TextDecoder().decode(content)) as Event;
    }
  }
  throw new SignatureError("No signature is that of this secret.");
}

function header(headers: RequestHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1];
  return typeof found === "object" ? found.join(" ") : found;
}

function secretOf(secret: string): Uint8Array<ArrayBuffer> {
  const key = bytesOf(secret.replace(/^whsec_/, ""));
  if (!key?.length) throw new SignatureError("The secret is not `whsec_` and base64.");
  return key;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}
