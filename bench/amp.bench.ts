// The Amp server in a real VS Code beside the least that could do its job. Run by `npm run bench -- amp`.
import { once } from 'node:events';
import { glob, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket, type RawData } from 'ws';
import * as z from 'zod';
import { benchLatency, benchThroughput } from './lib/ampBench';
import { runAmpSubject } from './lib/ampSubject';
import { packageVsix } from '../scripts/lib/vsix.mjs';
import { VsCodeWindow } from '../test/ui/support/window';
import { median, printBenchLine } from './lib/benchLine';
import { bytesOf } from './lib/bytesOf';
import { BenchChild } from './lib/child';
import { readOnlyLockfile } from './lib/readLockfile';
import { runWsJsonPeer, startWsJsonPeer } from './lib/wsJsonPeer';

const Started = z.object({ url: z.string(), peerUrl: z.string() });
/** The window opens, and what was written a moment ago becomes a file like any other. */
const settleMs = 5_000;

const SelectionCost = z.object({ msPerEvent: z.number() });

async function main(): Promise<void> {
  await packageVsix();
  await benchRequests();
  await benchSelectionCost();
  await benchActivate();
}

async function benchRequests(): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const window = await VsCodeWindow.open();
  opened.defer(() => window.close());
  const small = path.join(window.sandbox.workspace, 'small.ts');
  const large = path.join(window.sandbox.workspace, 'large.ts');
  await writeFile(small, sourceText(1024));
  await writeFile(large, sourceText(1024 * 1024));
  await sleep(settleMs);

  const { port, authToken } = await readOnlyLockfile(path.join(window.sandbox.home, '.local/share/amp/ide'));
  const peer = await startWsJsonPeer(small, large);
  opened.defer(() => peer.stop());
  const contest = { subject: `ws://127.0.0.1:${port}?auth=${authToken}`, peer: peer.url };
  await benchLatency('amp.readFile.1KiB', contest, { path: small, rounds: 15, requestsPerRound: 400, bar: 1.5 });
  await benchLatency('amp.readFile.1MiB', contest, { path: large, rounds: 9, requestsPerRound: 30, bar: 2 });
  await benchThroughput('amp.requests.throughput', contest, {
    path: small,
    rounds: 7,
    requestsPerRound: 10_000,
    window: 128,
    bar: 0.6,
  });
}

/** Milliseconds from the call of `activate` to the lockfile, as the log of a window has it; each time in a fresh window. */
async function benchActivate(): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const window = await VsCodeWindow.open();
    try {
      times.push(await activationMs(window.sandbox.dataDir));
    } finally {
      await window.close();
    }
  }
  printBenchLine({ bench: 'amp.activate', value: median(times), unit: 'ms', bar: 50, better: 'lower' });
}

async function activationMs(dataDir: string): Promise<number> {
  for await (const file of glob('**/Backline.log', { cwd: dataDir })) {
    const ms = /\bamp started (\d+) ms after activation/.exec(await readFile(path.join(dataDir, file), 'utf8'))?.[1];
    if (ms !== undefined) return Number(ms);
  }
  throw new Error('The log does not say when the Amp server started.');
}

/** How long the host is busy for one selection, with ten clients, beside ten plain sends of the same text. */
async function benchSelectionCost(): Promise<void> {
  const subject = new BenchChild('subject');
  const { url, peerUrl } = Started.parse(await subject.next());
  const connect = (to: string): WebSocket[] =>
    Array.from({ length: 10 }, () => new WebSocket(to, { perMessageDeflate: false }));
  const [clients, peerClients] = [connect(url), connect(peerUrl)];
  await Promise.all([...clients, ...peerClients].map((client) => once(client, 'open')));
  let text = '';
  clients[0]?.on('message', (data: RawData) => {
    text = bytesOf(data).toString();
  });
  const measure = async (command: object): Promise<number> => {
    subject.send(command);
    return SelectionCost.parse(await subject.next()).msPerEvent;
  };
  await measure({ selections: 50 });
  await measure({ sends: 50, text });
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < 5; round++) {
    ours.push(await measure({ selections: 100 }));
    theirs.push(await measure({ sends: 100, text }));
  }
  const peer = { name: 'ten ws sends', value: median(theirs) };
  printBenchLine({ bench: 'amp.selection.cost', value: median(ours), unit: 'ms', peer, bar: 2, better: 'lower' });
  for (const client of [...clients, ...peerClients]) client.close();
  await subject.stop();
}

/** ASCII like most code, with the line ends and quotes that JSON has to escape. */
function sourceText(bytes: number): string {
  const line = 'export const greeting = "hello, world"; // one of many lines\n';
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
}

const [, , role, ...files] = process.argv;
if (role === 'peer') runWsJsonPeer(files);
else {
  (role === 'subject' ? runAmpSubject() : main()).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}
