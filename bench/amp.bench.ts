// The Amp server in a real VS Code beside the least that could do its job. Run by `npm run bench -- amp`.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket, type RawData } from 'ws';
import * as z from 'zod';
import { compareActivations } from './lib/activation';
import { benchLatency, benchThroughput } from './lib/amp/ampBench';
import { runAmpSubject } from './lib/amp/ampSubject';
import { installVsix } from '../scripts/lib/vscode/host.mjs';
import { packageVsix } from '../scripts/lib/vscode/vsix.mjs';
import { VsCodeWindow } from '../test/ui/support/window';
import { median, printBenchLine } from './lib/benchLine';
import { bytesOf } from './lib/bytesOf';
import { BenchChild } from './lib/child';
import { readOnlyLockfile } from './lib/amp/readLockfile';
import { packageWsJsonExtension, runWsJsonPeer, startWsJsonPeer, urlOfWsJsonExtension } from './lib/amp/wsJsonPeer';

const Started = z.object({ url: z.string(), peerUrl: z.string() });
/** The window opens, and what was written a moment ago becomes a file like any other. */
const settleMs = 5_000;

/** Many short rounds, because the speed of a machine changes from one second to the next. */
const rounds = 25;
const eventsPerRound = 20;

const SelectionCost = z.object({ msPerEvent: z.number() });

async function main(): Promise<void> {
  await packageVsix();
  await benchRequests();
  await benchSelectionCost();
  await benchActivate();
}

async function benchRequests(): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'backline-bench-'));
  opened.defer(() => rm(folder, { recursive: true }));
  const peerVsix = await packageWsJsonExtension(folder);
  const window = await VsCodeWindow.open({ prepare: (sandbox) => installVsix(peerVsix, sandbox) });
  opened.defer(() => window.close());
  const small = path.join(window.sandbox.workspace, 'small.ts');
  const large = path.join(window.sandbox.workspace, 'large.ts');
  await writeFile(small, sourceText(1024));
  await writeFile(large, sourceText(1024 * 1024));
  await sleep(settleMs);

  const { port, authToken } = await readOnlyLockfile(path.join(window.sandbox.home, '.local/share/amp/ide'));
  const peer = await startWsJsonPeer(small, large);
  opened.defer(() => peer.stop());
  const subject = `ws://127.0.0.1:${port}?auth=${authToken}`;
  const contest = { subject, peer: peer.url, peerName: 'ws + JSON' };
  const inDocument = { dialect: 'document', path: small } as const;
  const ofSmall = { ...inDocument, rounds: 15, requestsPerRound: 400, bar: 1.4 };
  await benchLatency('amp.readFile.1KiB', contest, ofSmall);
  // The extension host takes longer for the same than a process without other work.
  const hostPeer = await urlOfWsJsonExtension(window.sandbox.home);
  const inHost = { subject, peer: hostPeer, peerName: 'ws + JSON in the extension host' };
  await benchLatency('amp.readFile.1KiB.host', inHost, ofSmall);
  const ofLarge = { dialect: 'document', path: large } as const;
  await benchLatency('amp.readFile.1MiB', contest, { ...ofLarge, rounds: 9, requestsPerRound: 30, bar: 1.2 });
  const many = { path: small, rounds: 7, requestsPerRound: 10_000, window: 128, bar: 0.7 };
  await benchThroughput('amp.requests.throughput', contest, { ...many, dialect: 'document' });
  await benchThroughput('amp.requests.throughput.cli', contest, { ...many, dialect: 'cli' });
}

async function benchActivate(): Promise<void> {
  const { subject, peer } = await compareActivations();
  printBenchLine({
    bench: 'amp.activate',
    value: subject,
    unit: 'ms',
    peer: { name: 'an extension with a ws server and a file', value: peer },
    bar: 1.6,
    better: 'lower',
  });
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
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const selections = await measure({ selections: eventsPerRound });
    const sends = await measure({ sends: eventsPerRound, text });
    if (round < 0) continue;
    ours.push(selections);
    theirs.push(sends);
  }
  const peer = { name: 'ten ws sends', value: median(theirs) };
  printBenchLine({ bench: 'amp.selection.cost', value: median(ours), unit: 'ms', peer, bar: 2, better: 'lower' });
  await benchFrames(measure);
  for (const client of [...clients, ...peerClients]) client.close();
  await subject.stop();
}

/** Whether frames of our own are worth it: an answer of 1 KiB to each of ten clients, beside `ws`. */
async function benchFrames(measure: (command: object) => Promise<number>): Promise<void> {
  const text = JSON.stringify({ serverResponse: { id: '1', result: { content: sourceText(1024) } } });
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const frames = await measure({ frames: eventsPerRound, text });
    const sends = await measure({ sends: eventsPerRound, text });
    if (round < 0) continue;
    ours.push(frames);
    theirs.push(sends);
  }
  const peer = { name: 'ten ws sends', value: median(theirs) };
  printBenchLine({ bench: 'amp.frames', value: median(ours), unit: 'ms', peer, bar: 0.9, better: 'lower' });
}

/** ASCII like most code, with the line ends and quotes that JSON has to escape. */
function sourceText(bytes: number): string {
  const line = 'export const greeting = "hello, world"; // one of many lines\n';
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
}

const [, , role, ...files] = process.argv;
const run = role === 'peer' ? runWsJsonPeer(files) : role === 'subject' ? runAmpSubject() : main();
run.catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
