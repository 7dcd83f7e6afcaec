// The Amp server in a real VS Code beside the least that could do its job. Run by `npm run bench -- amp`.
import { writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compareActivations } from './lib/activation';
import { benchLatency, benchThroughput } from './lib/amp/ampBench';
import { packageVsix } from '../scripts/lib/vscode/vsix.mjs';
import { VsCodeWindow } from '../test/ui/support/window';
import { printBenchLine } from './lib/benchLine';
import { readOnlyLockfile } from './lib/amp/readLockfile';
import { runWsJsonPeer, startWsJsonPeer } from './lib/amp/wsJsonPeer';

/** The window opens, and what was written a moment ago becomes a file like any other. */
const settleMs = 5_000;

async function main(): Promise<void> {
  await packageVsix();
  await benchRequests();
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
  const subject = `ws://127.0.0.1:${port}?auth=${authToken}`;
  const contest = { subject, peer: peer.url, peerName: 'ws + JSON' };
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

/** ASCII like most code, with the line ends and quotes that JSON has to escape. */
function sourceText(bytes: number): string {
  const line = 'export const greeting = "hello, world"; // one of many lines\n';
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
}

const [, , role, ...files] = process.argv;
const run = role === 'peer' ? runWsJsonPeer(files) : main();
run.catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
