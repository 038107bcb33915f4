// A client of a TypeScript SDK, driven line by line: `[method, ...arguments]` in, `{"ok": …}` or `{"error": …}` out.
//
//     node sdk_client.mjs NODE_MODULES sdk|client OPTIONS COMMAND ARGS...
//
// `sdk` is @modelcontextprotocol/sdk, `client` is @modelcontextprotocol/client; OPTIONS are the client's, as JSON.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [modules, which, options, command, ...args] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const names = {
  sdk: ["@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/sdk/client/stdio.js"],
  client: ["@modelcontextprotocol/client", "@modelcontextprotocol/client/stdio"],
};
const [{ Client }, { StdioClientTransport }] = names[which].map((name) => require(name));
const client = new Client({ name: "test", version: "1" }, JSON.parse(options));
const say = (value) => process.stdout.write(JSON.stringify(value) + "\n");

await client.connect(new StdioClientTransport({ command, args, env: process.env }));
say({ ok: client.getServerCapabilities() });
for await (const line of createInterface({ input: process.stdin })) {
  const [method, ...given] = JSON.parse(line);
  try {
    say({ ok: (await client[method](...given)) ?? null });
  } catch (error) {
    say({ error: String(error.message) });
  }
}
await client.close();
