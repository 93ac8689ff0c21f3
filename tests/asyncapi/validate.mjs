// Holds an AsyncAPI document against the project's own validator, and every golden event of today's shape
// against the document. Usage: validate.mjs DOCUMENT GOLDEN_FOLDER
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";

const { Parser } = createRequire(`${process.env.PARSER}/`)("@asyncapi/parser");
const Ajv = createRequire(`${process.env.AJV}/`)("ajv");

const [, , path, golden] = process.argv;
const text = readFileSync(path, "utf8");
const wrong = [];

const kWarning = 1; // hints, such as of a newer version of AsyncAPI, are not heeded

async function complaints(document) {
  const all = await new Parser().validate(document);
  return all.filter((each) => each.severity <= kWarning).map((each) => `${each.path.join(".")}: ${each.message}`);
}

wrong.push(...(await complaints(text)));
const broken = JSON.parse(text);
broken.operations.tell.channel.$ref = "#/channels/nowhere";
if ((await complaints(JSON.stringify(broken))).length === 0) wrong.push("a broken document passes, too");

const document = JSON.parse(text);
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
let checked = 0;
for (const [type, message] of Object.entries(document.components.messages)) {
  const version = message.headers.allOf[1].properties.ce_schemaversion.const;
  const files = readdirSync(golden).filter((file) => file.startsWith(`${type}.v${version}.`));
  const matches = ajv.compile({ ...message.payload, components: document.components });
  for (const file of files) {
    if (!matches(JSON.parse(readFileSync(`${golden}/${file}`, "utf8")))) {
      wrong.push(`${file}: ${ajv.errorsText(matches.errors)}`);
    }
    checked += 1;
  }
  for (const { payload } of message.examples) {
    if (!matches(payload)) wrong.push(`an example of ${type}: ${ajv.errorsText(matches.errors)}`);
  }
  if (matches([])) wrong.push(`${type}: whatever is sent passes`);
}
if (checked < Object.keys(document.components.messages).length) wrong.push("an event has no golden file");

wrong.forEach((each) => console.error(each));
console.log(`${checked} golden events`);
process.exit(wrong.length === 0 ? 0 : 1);
