// The values that records are made of.

/** An exact number in its shortest form, such as "12.5". */
export type Decimal = string;

/** A record, or a request of a batch that will make one, or its id. */
export type Id = string | { readonly id: string };

/** A time: ISO 8601 with `Z` or an offset, or a Date. */
export type Instant = string | Date;

/** A day: "2026-03-01"; of a Date the day in UTC. */
export type CalendarDate = string | Date;

export function idOf(id: Id): string {
  return typeof id === "string" ? id : id.id;
}

/** A body in which each record that stands for its id is that id. Throws TypeError as `assertWritable` does. */
export function withIds(body: object): object {
  const made = Object.fromEntries(Object.entries(body).map(([name, value]) =>
    [name, name.endsWith("Id") && typeof value === "object" && value !== null ? idOf(value as Id) : value as unknown]));
  assertWritable(made);
  return made;
}

/**
 * Throws TypeError, which names the member by its dotted path, for an invalid Date and for a number that is not finite:
 * JSON writes them as null, and null clears a member.
 */
export function assertWritable(value: unknown, path = ""): void {
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`${path} is ${value}; use a finite number.`);
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new TypeError(`${path} is an invalid Date.`);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) assertWritable(inner, path ? `${path}.${name}` : name);
  }
}

/** Throws TypeError for a value that no HTTP header can hold: `fetch` reports it as it does a broken connection. */
export function assertSendable(value: string, header: string): void {
  if (!/^[ -~]*$/.test(value)) {
    throw new TypeError(`${JSON.stringify(value)} cannot be sent as ${header}: a header holds printable ASCII.`);
  }
}
