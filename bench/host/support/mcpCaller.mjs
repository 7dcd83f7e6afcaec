// A client of the tools in a process of its own, as agents are. Reads one request per line, and answers each with its text and
// the milliseconds from the call to the whole answer. VS Code changes `fetch` and `http` in extensions, so they would not be comparable.
import { createInterface } from 'node:readline';
import { parseJson } from '../../../scripts/lib/json.mjs';

for await (const line of createInterface({ input: process.stdin })) {
  /** @type {{ body: string, headers: Record<string, string>, url: string }} */
  const { body, headers, url } = parseJson(line);
  const startedAt = performance.now();
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  process.stdout.write(`${JSON.stringify({ ms: performance.now() - startedAt, text })}\n`);
}
