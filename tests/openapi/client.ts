// Uses the service with nothing but what its description says.

import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Farm = components["schemas"]["Farm"];
type FarmCreate = components["schemas"]["FarmCreate"];

declare const process: { argv: string[] };
const [, , baseUrl, key] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

const wanted: FarmCreate = { name: "Oasis", totalArea: "12.50" };
const made = await client.POST("/api/v1/farms", { body: wanted });
const listed = await client.GET("/api/v1/farms", { params: { query: { sort: "name", order: "asc", limit: 5 } } });
const refused = await client.POST("/api/v1/farms", { body: { name: "", totalArea: 1 } });

const farm: Farm = made.data!.data;
const messages: string[] = refused.error!.details!["name"];
console.log(JSON.stringify({
  name: farm.name,
  totalArea: farm.totalArea,
  total: listed.data!.pagination.total,
  refused: refused.error!.code,
  why: messages.length,
}));
