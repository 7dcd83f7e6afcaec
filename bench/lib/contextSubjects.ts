import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { buildSync } from 'esbuild';
import * as z from 'zod';
import { contextWorkerBundle } from '../../scripts/lib/contextWorker.mjs';
import { nullLogger } from '../../src/base/common/log';
import { systemClock } from '../../src/base/node/systemClock';
import { ContextClient } from '../../src/context/common/contextClient';
import type { ItemRange } from '../../src/context/common/items/contextItem';
import type { ItemList } from '../../src/context/common/items/itemList';
import { itemsAt } from '../../src/context/common/items/itemQueries';
import { listProviders } from '../../src/context/common/providers/providerSettings';
import { ProviderFactory } from '../../src/context/node/providerFactory';
import { createTimeLimitedRunner } from '../../src/base/node/timeLimitedRunner';

/** Who is measured: our client, the client of OpenCtx, and the providers alone. All ask the same modules, of dialect C. */
export interface Subject {
  /** Asks as a hover does: all providers about all of the text, for what they say of one place. */
  ask(version: number, content: string): Promise<Found>;
  dispose(): void;
}

export interface Found {
  readonly count: number;
  /** The texts of the items at the place. */
  readonly hovered: readonly (string | undefined)[];
}

const hoverPosition = { line: 5_000, character: 4 };

export type ProviderKind = keyof typeof sources;

const sources = {
  empty: 'export default { meta: () => ({ name: "e", annotations: {} }), annotations: () => [] };',
  tenth: `export default {
  meta: () => ({ name: 't', annotations: {} }),
  annotations({ uri, content }) {
    const annotations = [];
    const lines = content.split('\\n');
    for (let line = 0; line < lines.length - 1; line += 10) {
      const range = { start: { line, character: 0 }, end: { line, character: lines[line].length } };
      annotations.push({ uri, range, item: { title: 'Line ' + line, ui: { hover: { text: 'Here is line ' + line } } } });
    }
    return annotations;
  },
};`,
  hang: 'export default { meta: () => ({ name: "h", annotations: {} }), annotations: () => new Promise(() => {}) };',
};

export const uri = 'file:///bench/file.ts';
const folder = mkdtempSync(path.join(tmpdir(), 'backline-bench-context-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
buildSync({ ...contextWorkerBundle(), absWorkingDir: process.cwd(), outdir: folder });

/** URLs of modules of their own; the caller asks them. */
export function writeProviders(...kinds: readonly ProviderKind[]): string[] {
  return kinds.map((kind, index) => {
    const file = path.join(folder, `${kind}${index}.mjs`);
    writeFileSync(file, sources[kind]);
    return pathToFileURL(file).href;
  });
}

/** A line is about 46 characters, so that 10,000 of them are 447 KiB; each version has another first line. */
export function textOf(version: number, lines = 10_000): string {
  const line = (index: number): string =>
    `const value${String(index).padStart(5, '0')} = compute(${index % 7}, 'abc');`;
  const body = Array.from({ length: lines - 1 }, (_, index) => line(index).padEnd(45, ' '));
  // Flat, as an editor hands it out.
  return Buffer.from([`// version ${version}`, ...body, ''].join('\n')).toString('latin1');
}

export function oursOf(urls: readonly string[]): Subject {
  const factory = new ProviderFactory({
    workerFile: path.join(folder, 'context-worker.js'),
    remoteFolder: path.join(folder, 'remote'),
    fetch: (url, init) => fetch(url, init),
    clock: systemClock,
    log: nullLogger,
    isAllowed: () => false,
  });
  const client = new ContextClient({
    clock: systemClock,
    log: nullLogger,
    secrets: { get: () => Promise.resolve(undefined) },
    runWithTimeLimit: createTimeLimitedRunner(100),
    createProvider: (entry) => factory.create(entry),
  });
  const backline = Object.fromEntries(urls.map((url) => [url, true]));
  client.setProviders(listProviders({ user: { backline }, workspace: {}, folders: [], isTrusted: true }));
  const isEnough = (items: ItemList): boolean => itemsAt(items, hoverPosition).length > 0;
  return {
    async ask(version, content) {
      const { items } = await client.requestItems({ uri, version, getText: () => content }, { isEnough });
      return { count: items.length, hovered: itemsAt(items, hoverPosition).map(({ hover }) => hover?.text) };
    },
    dispose: () => client.dispose(),
  };
}

const annotationsOf = z.custom<(params: object, settings: object) => unknown>((value) => typeof value === 'function');
const providerModule = z.object({ default: z.object({ annotations: annotationsOf }) });

export async function directOf(urls: readonly string[]): Promise<Subject> {
  const providers = await Promise.all(urls.map(async (url) => providerModule.parse(await import(url)).default));
  return {
    async ask(_version, content) {
      const answers = await Promise.all(providers.map(({ annotations }) => annotations({ uri, content }, {})));
      return foundIn(answers);
    },
    dispose: () => undefined,
  };
}

const bareProgram = `
const { parentPort, workerData } = require('node:worker_threads');
const provider = import(workerData).then((module) => module.default);
parentPort.on('message', async (params) => parentPort.postMessage((await provider).annotations(params, {})));
`;

/** The least that isolation costs without care: a bare worker for each provider, that is sent the text and sends back the answer. */
export function bareOf(urls: readonly string[]): Subject {
  const workers = urls.map((workerData) => new Worker(bareProgram, { eval: true, workerData }));
  return {
    async ask(_version, content) {
      const answers = workers.map((worker) => new Promise<unknown>((resolve) => worker.once('message', resolve)));
      for (const worker of workers) worker.postMessage({ uri, content });
      return foundIn(await Promise.all(answers));
    },
    dispose: () => {
      for (const worker of workers) void worker.terminate();
    },
  };
}

type Answer = readonly Annotation[];

interface Annotation {
  readonly range: ItemRange;
  readonly item: { readonly ui: { readonly hover: { readonly text: string } } };
}

const answerOf = z.custom<Answer>((value) => Array.isArray(value));

function foundIn(answers: readonly unknown[]): Found {
  const { line, character } = hoverPosition;
  const all = answers.map((answer) => answerOf.parse(answer));
  const isHovered = ({ range: { start, end } }: Annotation): boolean =>
    (start.line < line || (start.line === line && start.character <= character)) &&
    (end.line > line || (end.line === line && end.character >= character));
  return {
    count: all.reduce((sum, { length }) => sum + length, 0),
    hovered: all.flatMap((answer) => answer.filter(isHovered).map(({ item }) => item.ui.hover.text)),
  };
}

const peerClient = z.object({
  annotations: z.custom<(params: object) => Promise<unknown[]>>((value) => typeof value === 'function'),
  dispose: z.custom<() => void>((value) => typeof value === 'function'),
});
const peerModule = z.object({
  createClient: z.custom<(env: object) => unknown>((value) => typeof value === 'function'),
});

/** @openctx/client 0.0.30, asked by URI as its extension does. */
export async function peerOf(urls: readonly string[]): Promise<Subject> {
  const resolved = createRequire(path.join(process.cwd(), 'package.json')).resolve('@openctx/client');
  const imported: unknown = await import(pathToFileURL(resolved).href);
  const providers = Object.fromEntries(urls.map((url) => [url, true]));
  const env = {
    configuration: () => Promise.resolve({ enable: true, providers }),
    makeRange: (range: unknown) => range,
  };
  const client = peerClient.parse(peerModule.parse(imported).createClient(env));
  return {
    ask: async (_version, content) => foundIn([await client.annotations({ uri, content })]),
    dispose: () => client.dispose(),
  };
}
