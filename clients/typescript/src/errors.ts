// What can go wrong, as types.

/** The base of all errors of this package. */
export class TilthError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** The service could not be reached, or did not answer, or something else did, however often it was asked. */
export class ConnectionFailed extends TilthError {}

/** A webhook's body is not what its signature says, or is too old. */
export class SignatureError extends TilthError {}

/** What the service says of a refusal. */
export interface ErrorBody {
  readonly error?: string;
  readonly code?: string;
  readonly message?: string;
  readonly details?: Readonly<Record<string, readonly string[]>>;
}

/** The first that is a text: a proxy gives the members forms of its own. */
function textOf(...members: readonly unknown[]): string | undefined {
  return members.find((one): one is string => typeof one === "string" && one !== "");
}

/** The service refused a request. */
export class ApiError extends TilthError {
  /** The reason as a constant to compare with, such as `VALIDATION_ERROR`. */
  readonly code: string;
  /** The messages for each member of the request, by its dotted path: `{ name: ["is required"] }`. */
  readonly details: Readonly<Record<string, readonly string[]>>;

  constructor(
    /** The HTTP status. */
    readonly status: number,
    body: ErrorBody,
    /** Names the request in the service's logs. */
    readonly requestId?: string,
    /** The seconds after which the same request makes sense again, if the service said so. */
    readonly retryAfter?: number,
  ) {
    super(textOf(body.message, body.error) ?? `The service responded with ${status}.`);
    this.code = textOf(body.code, body.error) ?? String(status);
    this.details = typeof body.details === "object" && !Array.isArray(body.details) ? body.details ?? {} : {};
  }
}

/** 400, 405, 413, 415: the request itself is not right. `details` says which member and why. */
export class InvalidRequest extends ApiError {}
/** 401: the key is missing, malformed, unknown, revoked or expired. */
export class AuthenticationError extends ApiError {}
/** 403: the key lacks a scope, its address is not allowed, or the plan allows no more. */
export class PermissionDenied extends ApiError {}
/** 404: there is no such record, or it belongs to somebody else. */
export class NotFound extends ApiError {}
/** 409: a name or a tag is taken. */
export class Conflict extends ApiError {}
/** 412: the record has changed since its entity tag was read. */
export class PreconditionFailed extends ApiError {}
/** 424, only in a batch: a request that this one depends on failed. */
export class FailedDependency extends ApiError {}
/** 429: too many requests, for longer than the client waits. */
export class RateLimited extends ApiError {}
/** 5xx: the service could not process the request, however often it was asked. */
export class ServiceError extends ApiError {}

const KINDS: Readonly<Record<number, typeof ApiError>> = {
  400: InvalidRequest, 401: AuthenticationError, 403: PermissionDenied, 404: NotFound, 405: InvalidRequest,
  409: Conflict, 412: PreconditionFailed, 413: InvalidRequest, 415: InvalidRequest, 424: FailedDependency,
  429: RateLimited,
};

/** The error for an answer of the service, or of a proxy in front of it, which answers anything. */
export function apiError(status: number, body: unknown, requestId?: string, retryAfter?: number): ApiError {
  const Kind = KINDS[status] ?? (status >= 500 ? ServiceError : ApiError);
  return new Kind(status, typeof body === "object" && body !== null ? body : {}, requestId, retryAfter);
}
