// Uses the service with nothing but what its description says.

import createClient from "openapi-fetch";
import type { paths } from "./api.js";

declare const process: { argv: string[] };
const [, , baseUrl, key] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

const made = await client.POST("/api/v1/farms", { body: { name: "Oasis", totalArea: "12.50" } });
const listed = await client.GET("/api/v1/farms", { params: { query: { sort: "name", order: "asc", limit: 5 } } });
const refused = await client.POST("/api/v1/farms", { body: { name: "", totalArea: 1 } });

console.log(JSON.stringify({
  name: made.data!.data.name,
  totalArea: made.data!.data.totalArea,
  total: listed.data!.pagination.total,
  refused: refused.error!.code,
}));
