// Reads one skill a line from standard input: {"dir", "file", "content" in
// base64}. Prints for each what skills-ref says of it, as the kinds of
// problems that the tests know. Its argument is the directory of the module.
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { pathToFileURL } from "node:url";

const { validate } = await import(pathToFileURL(path.join(process.argv[2], "dist", "validator.js")).href);

const kinds = [
  [/^Path does not exist|^Not a directory/, "path"],
  [/^Missing required file/, "file"],
  [/must start with YAML/, "front"],
  [/not properly closed/, "closed"],
  [/^Invalid YAML|must be a YAML mapping/, "yaml"],
  [/^Unexpected fields/, "fields"],
  [/^Missing required field in frontmatter: name/, "name missing"],
  [/^Field 'name' must be/, "name empty"],
  [/^Skill name .*exceeds/s, "name length"],
  [/^Skill name .*must be lowercase/s, "name case"],
  [/^Skill name cannot start/, "name hyphen"],
  [/^Skill name cannot contain consecutive/, "name hyphens"],
  [/^Skill name .*invalid characters/s, "name characters"],
  [/must match skill name/, "name directory"],
  [/^Missing required field in frontmatter: description/, "description missing"],
  [/^Field 'description' must be/, "description empty"],
  [/^Description exceeds/, "description length"],
  [/^Field 'compatibility' must be/, "compatibility type"],
  [/^Compatibility exceeds/, "compatibility length"],
];

const top = fs.mkdtempSync(path.join(os.tmpdir(), "skills-"));
const out = [];
for (const line of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const { dir, file, content } = JSON.parse(line);
  const at = path.join(top, dir);
  fs.mkdirSync(at);
  fs.writeFileSync(path.join(at, file), Buffer.from(content, "base64"));
  const messages = await validate(at);
  out.push(JSON.stringify(messages.map((m) => (kinds.find(([is]) => is.test(m)) ?? [0, "unknown: " + m])[1])));
  fs.rmSync(at, { recursive: true });
}
fs.rmSync(top, { recursive: true });
process.stdout.write(out.join("\n") + "\n");
