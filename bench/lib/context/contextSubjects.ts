import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import * as z from 'zod';
import { contextWorkerBundle } from '../../../scripts/lib/bundles/contextWorker.mjs';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { ContextClient } from '../../../src/context/common/contextClient';
import type { ItemRange } from '../../../src/context/common/items/contextItem';
import type { ItemList } from '../../../src/context/common/items/itemList';
import { itemsAt } from '../../../src/context/common/items/itemQueries';
import { listProviders } from '../../../src/context/common/providers/providerSettings';
import { ProviderFactory } from '../../../src/context/node/providerFactory';
import { createTimeLimitedRunner } from '../../../src/base/node/timeLimitedRunner';
import { OutgoingHttp } from '../../../src/wire/node/outgoingHttp';

/** Who is measured: our client, and the client of OpenCtx. Both ask the same modules, of dialect C. */
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
  /** As OpenCtx's hello-world: an item for each tenth line. */
  hello: `export default {
  meta: () => ({ name: 'hello', annotations: {} }),
  annotations({ uri, content }) {
    const annotations = [];
    for (const [line, text] of content.split(/\\r?\\n/).entries()) {
      if (line % 10 !== 0) continue;
      const range = { start: { line, character: 0 }, end: { line, character: text.length } };
      annotations.push({ uri, range, item: { title: 'Hello', url: 'https://example.com', ui: { hover: { text: 'From a provider' } } } });
    }
    return annotations;
  },
};`,
  /** As OpenCtx's links: patterns that are looked for in each line. */
  links: `const patterns = [/eventLogger\\.log/dg, /FROM (?<table>\\w+)/dg, /value0[0-9]{2}00 /dg];
export default {
  meta: () => ({ name: 'links', annotations: {} }),
  annotations({ uri, content }) {
    const annotations = [];
    const lines = content.split(/\\r?\\n/);
    for (const pattern of patterns)
      for (let line = 0; line < lines.length; line++)
        for (const { indices: [[start, end]] } of lines[line].matchAll(pattern))
          annotations.push({ uri, range: { start: { line, character: start }, end: { line, character: end } }, item: { title: 'A link', url: 'https://example.com/' + line } });
    return annotations;
  },
};`,
  /** As OpenCtx's prometheus: a pattern that is looked for in the whole text, and hardly found. */
  metrics: `const pattern = /Opts\\{\\s*Name:\\s*"([^"]+)|const value05000/dg;
export default {
  meta: () => ({ name: 'metrics', annotations: {} }),
  annotations({ uri, content }) {
    const starts = [0];
    for (let at = content.indexOf('\\n'); at >= 0; at = content.indexOf('\\n', at + 1)) starts.push(at + 1);
    return [...content.matchAll(pattern)].map(({ index }) => {
      const line = starts.findLastIndex((start) => start <= index);
      const character = index - starts[line];
      return { uri, range: { start: { line, character }, end: { line, character: character + 10 } }, item: { title: 'A metric', ui: { hover: { text: 'See the graph' } } } };
    });
  },
};`,
  /** An item for the first line. */
  small: providerOfLines('line === 0'),
  tenth: providerOfLines('line % 10 === 0'),
  hang: 'export default { meta: () => ({ name: "h", annotations: {} }), annotations: () => new Promise(() => {}) };',
};

/** Has an item for each line of which `condition`, an expression, is true. */
function providerOfLines(condition: string): string {
  return `export default {
  meta: () => ({ name: 'lines', annotations: {} }),
  annotations({ uri, content }) {
    const annotations = [];
    const lines = content.split('\\n');
    for (let line = 0; line < lines.length - 1; line++) {
      if (!(${condition})) continue;
      const range = { start: { line, character: 0 }, end: { line, character: lines[line].length } };
      annotations.push({ uri, range, item: { title: 'Line ' + line, ui: { hover: { text: 'Here is line ' + line } } } });
    }
    return annotations;
  },
};`;
}

const uri = 'file:///bench/file.ts';
const folder = sharedFolder();

/** With the program of the workers. Children of the bench use their parent's. */
function sharedFolder(): string {
  const inherited = process.env['BACKLINE_BENCH_CONTEXT'];
  if (inherited !== undefined) return inherited;
  const made = mkdtempSync(path.join(tmpdir(), 'backline-bench-context-'));
  process.env['BACKLINE_BENCH_CONTEXT'] = made;
  process.on('exit', () => rmSync(made, { recursive: true, force: true }));
  // As it ships.
  buildSync({ ...contextWorkerBundle(), minify: true, absWorkingDir: process.cwd(), outdir: made });
  return made;
}

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
    fetch: new OutgoingHttp().fetch,
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

type Answer = readonly Annotation[];

interface Annotation {
  readonly range: ItemRange;
  readonly item: { readonly ui?: { readonly hover: { readonly text: string } } };
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
    hovered: all.flatMap((answer) => answer.filter(isHovered).map(({ item }) => item.ui?.hover.text)),
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
