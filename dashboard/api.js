// Sends requests to the service, with the session cookie.

export class Refusal extends Error {
  constructor(status, body, retryAfter) {
    super(body.message ?? body.error ?? "The service did not answer as it should.");
    this.status = status;
    this.code = body.code;
    this.details = body.details ?? {};
    this.retryAfter = retryAfter;
  }
}

async function ask(method, path, body) {
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
    });
  } catch {
    throw new Refusal(0, { message: "The service cannot be reached." });
  }
  const text = await answer.text();
  let json = {};
  try {
    json = text ? JSON.parse(text) : {};
  } catch {
    // a proxy's own page: the status is enough
  }
  if (!answer.ok) {
    if (answer.status === 401 && json.code === "UNAUTHENTICATED") {
      document.dispatchEvent(new CustomEvent("signed-out"));
    }
    throw new Refusal(answer.status, json, Number(answer.headers.get("Retry-After")));
  }
  return answer.status === 204 ? { location: answer.headers.get("Location") } : json;
}

export const get = (path) => ask("GET", path);
export const post = (path, body) => ask("POST", path, body);
export const remove = (path) => ask("DELETE", path);
