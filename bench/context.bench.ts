import assert from 'node:assert/strict';
import { median, printBenchLine } from './lib/benchLine';
import { coldCost, coldRole, runCold } from './lib/context/contextCold';
import {
  oursOf,
  peerOf,
  textOf,
  writeProviders,
  type Found,
  type ProviderKind,
  type Subject,
} from './lib/context/contextSubjects';

/**
 * A 447 KiB file of 10,000 lines, asked about again and again, as a hover asks: for what all items of one place say.
 *
 * - `context.cached`: milliseconds of a question that was asked before.
 * - `context.uncached.real`: a new version, asked of three providers like real ones, against the client of OpenCtx. The best of 30
 *   rounds, in which they take turns.
 * - `context.cold`: CPU of a new process from the first question to the items, against as many workers that load nothing.
 * - `context.memory`: MiB of this thread that 25 edits leave behind.
 * - `context.hang`: how much later the items of four providers are there when a fifth never answers.
 */
const peerName = '@openctx/client 0.0.30';
const counts = [1, 5, 20];
const warmUps = 10;
const rounds = 30;
const coldRounds = 5;
const mib = 1_024 * 1_024;

const [role, ...roleArgs] = process.argv.slice(2);
void (role === coldRole ? runCold(roleArgs[0], Number(roleArgs[1])) : main());

async function main(): Promise<void> {
  await benchCached();
  await benchUncached();
  await benchCold();
  await benchMemory();
  await benchHang();
  process.exit(0);
}

async function benchCached(): Promise<void> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (const count of counts) {
    const urls = writeProviders(...repeat('tenth', count));
    ours.push(await use(oursOf(urls), (subject) => repeatedMs(subject, count)));
    theirs.push(await use(await peerOf(urls), (subject) => repeatedMs(subject, count)));
  }
  const peer = { name: peerName, value: Math.max(...theirs) };
  printBenchLine({
    bench: 'context.cached',
    value: Math.max(...ours),
    unit: 'ms',
    peer,
    bar: 0.1,
    barOf: 'value',
    better: 'lower',
  });
}

async function repeatedMs(subject: Subject, count: number): Promise<number> {
  const text = textOf(1);
  const times: number[] = [];
  for (let round = 1; round <= warmUps + rounds; round++) {
    const ms = await msOf(subject, 1, text, foundOf(count));
    if (round > warmUps) times.push(ms);
  }
  return median(times);
}

/** What the providers like real ones find: an item for each tenth line, for 100 values and for one value. */
const realFound: Found = { count: 1_001 + 100 + 1, hovered: ['From a provider'] };

/** The best times of our client and the peer's, which take turns. Both must find the same. */
async function benchUncached(): Promise<void> {
  const urls = writeProviders('hello', 'links', 'metrics');
  const subjects = { ours: oursOf(urls), peer: await peerOf(urls) };
  const best = { ours: Infinity, peer: Infinity };
  for (let version = 1; version <= warmUps + rounds; version++) {
    const text = textOf(version);
    for (const key of ['ours', 'peer'] as const) {
      const ms = await msOf(subjects[key], version, text, realFound);
      if (version > warmUps) best[key] = Math.min(best[key], ms);
    }
  }
  for (const subject of Object.values(subjects)) subject.dispose();
  const peer = { name: peerName, value: best.peer };
  printBenchLine({ bench: 'context.uncached.real', value: best.ours, unit: 'ms', peer, bar: 0.9, better: 'lower' });
}

async function benchCold(): Promise<void> {
  const costs = { ours: new Array<number>(), bare: new Array<number>() };
  for (let round = 0; round < coldRounds; round++)
    for (const key of ['ours', 'bare'] as const) costs[key].push((await coldCost(key, 5)).cpuMs);
  const peer = { name: 'bare workers that load nothing', value: Math.min(...costs.bare) };
  const value = Math.min(...costs.ours);
  printBenchLine({ bench: 'context.cold', value, unit: 'ms of CPU', peer, bar: 0.5, better: 'lower' });
  const twenty: Awaited<ReturnType<typeof coldCost>>[] = [];
  for (let round = 0; round < coldRounds; round++) twenty.push(await coldCost('ours', 20));
  const least = (key: 'cpuMs' | 'residentMib'): number => Math.min(...twenty.map((each) => each[key]));
  printBenchLine({ bench: 'context.cold.20', value: least('cpuMs'), unit: 'ms of CPU', bar: 500, better: 'lower' });
  printBenchLine({
    bench: 'context.cold.20.memory',
    value: least('residentMib'),
    unit: 'MiB',
    bar: 60,
    better: 'lower',
  });
  if (twenty.some(({ items }) => items !== 20))
    throw new Error('The first hover of 20 providers did not find all items.');
}

async function benchMemory(): Promise<void> {
  const urls = writeProviders(...repeat('tenth', 10));
  const ours = await use(oursOf(urls), keptMib);
  const theirs = await use(await peerOf(urls), keptMib);
  const peer = { name: peerName, value: theirs };
  printBenchLine({ bench: 'context.memory', value: ours, unit: 'MiB', peer, bar: 10, barOf: 'value', better: 'lower' });
}

async function keptMib(subject: Subject): Promise<number> {
  await subject.ask(0, textOf(0, 20));
  const before = usedMib();
  for (let version = 1; version <= 25; version++) await subject.ask(version, textOf(version));
  return usedMib() - before;
}

function usedMib(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / mib;
}

async function benchHang(): Promise<void> {
  const others = repeat('tenth', 4);
  const fastest = await use(oursOf(writeProviders(...others)), (subject) => medianMs(subject, 4));
  const hanging = await use(oursOf(writeProviders(...others, 'hang')), (subject) => medianMs(subject, 4));
  printBenchLine({ bench: 'context.hang', value: hanging - fastest, unit: 'ms', bar: 50, better: 'lower' });
}

/** What this many providers find that have an item for each tenth line. */
function foundOf(count: number): Found {
  return { count: count * 1_000, hovered: new Array<string>(count).fill('Here is line 5000') };
}

async function medianMs(subject: Subject, providers: number): Promise<number> {
  const times: number[] = [];
  for (let version = 1; version <= warmUps + rounds; version++) {
    const ms = await msOf(subject, version, textOf(version), foundOf(providers));
    if (version > warmUps) times.push(ms);
  }
  return median(times);
}

async function msOf(subject: Subject, version: number, text: string, expected: Found): Promise<number> {
  const startMs = performance.now();
  const found = await subject.ask(version, text);
  const ms = performance.now() - startMs;
  // Workers that are only starting may be late.
  if (version <= warmUps) return ms;
  assert.deepEqual({ ...found, hovered: found.hovered.toSorted() }, expected);
  return ms;
}

async function use<T>(subject: Subject, work: (subject: Subject) => Promise<T>): Promise<T> {
  try {
    return await work(subject);
  } finally {
    subject.dispose();
  }
}

function repeat(kind: ProviderKind, count: number): ProviderKind[] {
  return Array.from({ length: count }, () => kind);
}
