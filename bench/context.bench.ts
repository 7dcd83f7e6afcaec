import { median, printBenchLine } from './lib/benchLine';
import {
  bareOf,
  directOf,
  oursOf,
  peerOf,
  textOf,
  writeProviders,
  type ProviderKind,
  type Subject,
} from './lib/contextSubjects';

/**
 * A 447 KiB file of 10,000 lines, asked about again and again, as a hover asks: for what all items of one place say.
 * `context.cached`: milliseconds of a question that was asked before. `context.uncached`: a new version, asked of
 * providers that have an item for every tenth line, against calling their functions in this very thread, where nothing
 * would stop one that loops: the worst ratio of 1, 5 and 20 providers. `context.isolated`: the same against bare workers,
 * one for each provider. Providers that have nothing to say do so in a microsecond when they are called in this thread,
 * which no worker can: `context.uncached.empty` misses its bar. `context.memory`: MiB of this thread that 25 edits leave behind. `context.hang`: how much later the items of four
 * providers are there when a fifth never answers.
 */
const peerName = '@openctx/client 0.0.30';
const counts = [1, 5, 20];
const warmUps = 10;
const rounds = 25;
const mib = 1_024 * 1_024;

void main();

async function main(): Promise<void> {
  await benchCached();
  await benchUncached();
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
    const ms = await msOf(subject, 1, text, count * 1_000);
    if (round > warmUps) times.push(ms);
  }
  return median(times);
}

interface Times {
  readonly ours: number;
  readonly direct: number;
  readonly bare: number;
}

async function benchUncached(): Promise<void> {
  const tenth = await benchKind('tenth');
  const empty = await benchKind('empty');
  printWorst('context.uncached', 'direct', tenth);
  printWorst('context.isolated', 'bare', [...tenth, ...empty]);
}

async function benchKind(kind: ProviderKind): Promise<Times[]> {
  const all: Times[] = [];
  for (const count of counts) {
    const times = await compareUncached(kind, count);
    all.push(times);
    printWorst(`context.uncached.${kind}.${count}`, 'direct', [times]);
    printWorst(`context.isolated.${kind}.${count}`, 'bare', [times]);
  }
  return all;
}

function printWorst(bench: string, key: 'direct' | 'bare', all: readonly Times[]): void {
  const worst = all.reduce((a, b) => (a.ours / a[key] >= b.ours / b[key] ? a : b));
  const peer = { name: key === 'direct' ? 'direct calls' : 'bare workers', value: worst[key] };
  printBenchLine({ bench, value: worst.ours, unit: 'ms', peer, bar: 1.5, better: 'lower' });
}

async function compareUncached(kind: ProviderKind, count: number): Promise<Times> {
  const urls = writeProviders(...repeat(kind, count));
  const subjects = { ours: oursOf(urls), direct: await directOf(urls), bare: bareOf(urls) };
  const times = { ours: new Array<number>(), direct: new Array<number>(), bare: new Array<number>() };
  for (let version = 1; version <= warmUps + rounds; version++) {
    const text = textOf(version);
    for (const key of ['ours', 'direct', 'bare'] as const) {
      const ms = await msOf(subjects[key], version, text, kind === 'tenth' ? count * 1_000 : 0);
      if (version > warmUps) times[key].push(ms);
    }
  }
  for (const subject of Object.values(subjects)) subject.dispose();
  return { ours: median(times.ours), direct: median(times.direct), bare: median(times.bare) };
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
  const fastest = await use(oursOf(writeProviders(...others)), (subject) => medianMs(subject, 4_000));
  const hanging = await use(oursOf(writeProviders(...others, 'hang')), (subject) => medianMs(subject, 4_000));
  printBenchLine({ bench: 'context.hang', value: hanging - fastest, unit: 'ms', bar: 50, better: 'lower' });
}

async function medianMs(subject: Subject, expected: number): Promise<number> {
  const times: number[] = [];
  for (let version = 1; version <= warmUps + rounds; version++) {
    const ms = await msOf(subject, version, textOf(version), expected);
    if (version > warmUps) times.push(ms);
  }
  return median(times);
}

async function msOf(subject: Subject, version: number, text: string, expected: number): Promise<number> {
  const startMs = performance.now();
  const { count, hovered } = await subject.ask(version, text);
  const ms = performance.now() - startMs;
  // Workers that are only starting may be late.
  if (version <= warmUps) return ms;
  if (count !== expected || hovered.length !== expected / 1_000)
    throw new Error(`${count} of ${expected} items were found, ${hovered.length} of them at the place`);
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
