import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';

const root = path.join(process.cwd(), 'src');

/** The global `fetch`. It may be called or passed on only under the name of the port, whose type is `Fetch`. */
const globalFetch = /(?<![.\w'`])fetch(?:\(|,$| \})|globalThis\.fetch|typeof fetch\b/m;
const fetchPort = /\bFetch\b[^;]* from '[^']*wire\/node\/outgoingHttp'|fetch: ports\.fetch/;

/** A request of `node:http`, `node:https`, `node:http2` or another package, or a WebSocket. */
const requests = [
  /import (?:\* as )?(https?) from 'node:https?'[^]*(?<![.\w])\1\.(?:request|get|Agent|globalAgent)\b/,
  /import \{[^}]*\b(?:request|get|Agent|globalAgent)\b[^}]*\} from 'node:https?'/,
  /from '(?:undici|node:http2|axios|node-fetch)'/,
  /\bnew (?:WebSocket|EventSource)\(|extends WebSocket\b/,
];

/** Who sends HTTP requests besides `OutgoingHttp`, and why that is no request of the extension. */
const others: Readonly<Record<string, string>> = {
  'acp/demo/session/editorToolClient.ts': 'the demo agent, a program of its own',
  'amp/plugin/backlineDiagnostics.ts': 'runs in the Amp CLI, and connects to this machine',
  'wire/node/outgoingHttp.ts': 'OutgoingHttp itself',
  'wire/node/outgoingWebSocket.ts': 'the WebSocket of OutgoingHttp',
};

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

describe('HTTP requests', () => {
  it('are sent by OutgoingHttp alone, so that all have the same proxy and trust the same certificates', () => {
    const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => file.split(path.sep).join('/'))
      .filter((file) => !file.includes('/browser/'))
      .filter((file) => {
        const text = withoutComments(readFileSync(path.join(root, file), 'utf8'));
        const usesGlobalFetch = globalFetch.test(text) && !fetchPort.test(text);
        return usesGlobalFetch || requests.some((request) => request.test(text));
      });
    assert.deepEqual(found.sort(), Object.keys(others).sort());
  });
});
