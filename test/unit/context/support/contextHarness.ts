import type { ContextDocument } from '../../../../src/context/common/contextClient';
import { ContextClient, defaultClientOptions } from '../../../../src/context/common/contextClient';
import { ContextLookups, type ActiveFileAndRepository } from '../../../../src/context/common/ai/contextLookups';
import type { ContextProvider } from '../../../../src/context/common/providers/contextProvider';
import type { ContextItem, ProvidedItem } from '../../../../src/context/common/items/contextItem';
import { ItemList } from '../../../../src/context/common/items/itemList';
import type { LookupTarget, Mention, MentionsParams } from '../../../../src/context/common/ai/providerMention';
import { readItems } from '../../../../src/context/common/items/itemReader';
import { packedItemCount, unpackItem, type PackedItems } from '../../../../src/context/common/items/packedItems';
import {
  listProviders,
  type ProviderEntry,
  type ProviderList,
} from '../../../../src/context/common/providers/providerSettings';
import { ProviderTrafficRecorder } from '../../../../src/context/node/providerTrafficRecorder';
import { ProviderFactory } from '../../../../src/context/node/providerFactory';
import type { WorkerLimits } from '../../../../src/context/node/workers/workerThread';
import { disabledTrafficTap } from '../../../../src/wire/common/traffic';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { Clock } from '../../../../src/base/common/async';
import type { RunWithTimeLimit } from '../../../../src/base/common/runWithTimeLimit';
import { until } from '../../../support/eventually';
import { FakeClock } from '../../../fake/fakeClock';
import { OutgoingHttp } from '../../../../src/wire/node/outgoingHttp';

/** For globs that end by themselves, on a machine of any speed. */
export const withoutTimeLimit: RunWithTimeLimit = (work) => work();

export function documentOf(text: string, version = 1, uri = 'file:///repo/src/foo.ts'): ContextDocument {
  return { uri, version, getText: () => text };
}

/** Of settings of the user, with no folder open. */
export function listOf(backline: Readonly<Record<string, unknown>>): ProviderList {
  return listProviders({ user: { backline }, workspace: {}, folders: [], isTrusted: true });
}

/** A client of fakes: each key of `providers` is a URL of the settings. */
export function clientOf(
  clock: Clock,
  providers: Readonly<Record<string, ContextProvider>>,
  options: Partial<typeof defaultClientOptions> = {},
): ContextClient {
  const client = new ContextClient(
    {
      clock,
      log: nullLogger,
      secrets: { get: () => Promise.resolve(undefined) },
      runWithTimeLimit: withoutTimeLimit,
      createProvider: ({ id }) => {
        const provider = providers[id];
        if (!provider) throw new Error(`No fake is called ${id}`);
        return provider;
      },
    },
    { ...defaultClientOptions, ...options },
  );
  client.setProviders(listOf(Object.fromEntries(Object.keys(providers).map((id) => [id, true]))));
  return client;
}

export const testWorkerLimits: WorkerLimits = { memoryMib: 64, callMs: 45_000 };

/** Of providers for which no time passes but by `clock`: a worker that the machine stops for a moment is not blocked. */
export function factoryOf(
  workerFile: string,
  limits: WorkerLimits = testWorkerLimits,
  clock: Clock = new FakeClock(),
): ProviderFactory {
  return new ProviderFactory({
    workerFile,
    remoteFolder: `${workerFile}.remote`,
    fetch: new OutgoingHttp().fetch,
    clock,
    log: nullLogger,
    isAllowed: () => false,
    // Packages are the workspace's, whoever names them.
    decide: () => 'allowed',
    workerLimits: limits,
  });
}

/** A client of real providers, for which no time passes. The caller disposes it. */
export function realClient(
  factory: { create(entry: ProviderEntry): ContextProvider },
  settings: Readonly<Record<string, unknown>>,
  secrets: Readonly<Record<string, string>> = {},
): ContextClient {
  const client = new ContextClient({
    clock: new FakeClock(),
    log: nullLogger,
    secrets: { get: (name) => Promise.resolve(secrets[name]) },
    runWithTimeLimit: withoutTimeLimit,
    createProvider: (entry) => factory.create(entry),
  });
  client.setProviders(listOf(settings));
  return client;
}

/** Code of a module of `mjs` that makes the file `runs` beside it: the test sees that it has come so far. */
export const tellThatItRuns = `process.getBuiltinModule('node:fs').writeFileSync(new URL('runs', import.meta.url), '');`;

/**
 * Waits for the answer of a request for `documentOf`, and lets `passTime` pass its time as soon as all but one of the providers
 * have answered: however slow the machine is, only that one is late.
 */
export async function answerWithoutLast<T>(
  client: ContextClient,
  request: Promise<T>,
  passTime: () => void,
): Promise<T> {
  let isOver = false;
  void request.finally(() => (isOver = true));
  const { uri } = documentOf('');
  await until('the answer', () => {
    if (!isOver && client.knownItems(uri)?.pendingProviders.length === 1) passTime();
    return isOver;
  });
  return await request;
}

/** A provider whose answers the test gives. */
export class FakeProvider implements ContextProvider {
  readonly asked: string[] = [];
  readonly signals: AbortSignal[] = [];
  greetings = 0;
  rests = 0;
  isDisposed = false;
  findMentions: ((params: MentionsParams) => Promise<readonly Mention[]>) | undefined;
  knowItems: ((lookup: LookupTarget) => Promise<PackedItems>) | undefined;

  constructor(
    private readonly answer: (content: string, call: number) => Promise<PackedItems>,
    private readonly selectors?: readonly { path?: string; contentContains?: string }[],
  ) {}

  capabilities(): ReturnType<ContextProvider['capabilities']> {
    this.greetings++;
    const abilities = {
      annotations: true,
      mentions: this.findMentions !== undefined,
      items: this.knowItems !== undefined,
    };
    return Promise.resolve({ abilities, ...(this.selectors ? { selectors: this.selectors } : {}) });
  }

  async mentions(
    params: MentionsParams,
    _settings: object,
    signal: AbortSignal,
  ): Promise<readonly Mention[] | undefined> {
    this.signals.push(signal);
    return this.findMentions?.(params);
  }

  async lookUpItems(lookup: LookupTarget): Promise<PackedItems | undefined> {
    return this.knowItems?.(lookup);
  }

  documentItems({ content }: { content: string }, _settings: object, signal: AbortSignal): Promise<PackedItems> {
    this.asked.push(content);
    this.signals.push(signal);
    return this.answer(content, this.asked.length);
  }

  unload(): void {
    this.rests++;
  }

  dispose(): void {
    this.isDisposed = true;
  }
}

export function providedItem(title: string, line?: number, start = 0, end = 1): ProvidedItem {
  if (line === undefined) return { title };
  return { title, range: { start: { line, character: start }, end: { line, character: end } } };
}

/** As a provider of dialect A would say them. */
export function packedOf(...items: readonly ProvidedItem[]): PackedItems {
  return readItems(
    items.map(({ hover, aiContent, ...same }) => ({ ...same, ui: { hover }, ai: { content: aiContent } })),
  );
}

export function unpacked(packed: PackedItems): ProvidedItem[] {
  return Array.from({ length: packedItemCount(packed) }, (_, index) => unpackItem(packed, index));
}

export function itemListOf(items: readonly ContextItem[]): ItemList {
  return new ItemList(items.map(({ provider, ...item }) => ({ provider, packed: packedOf(item) })));
}

export const provided = (...items: readonly ProvidedItem[]): Promise<PackedItems> =>
  Promise.resolve(packedOf(...items));

export const never = <T>(): Promise<T> => new Promise(() => undefined);

export const titles = (items: Iterable<ContextItem>): string[] => [...items].map(({ title }) => title);

/** Lets what is ready run, without waiting for time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

/** What the providers of a client find by words, in a window that looks at foo.ts. */
export function lookupsOf(
  client: ContextClient,
  clock: Clock,
  place: Partial<ActiveFileAndRepository> = {},
): ContextLookups {
  return new ContextLookups({
    clock,
    providers: client.providers,
    userLocation: () => Promise.resolve({ uri: undefined, codebase: undefined, ...place }),
  });
}

/** Nobody finds anything by words. */
export const noLookups = {
  mentionSearch: { isWaiting: () => false, waitForMoreAnswers: () => Promise.resolve(false) },
  searchMentions: () => Promise.resolve([]),
  itemsOfMention: () => Promise.resolve([]),
  itemsForQuery: () => Promise.resolve({ items: [], pendingProviders: [], isComplete: true }),
};

export const noTraffic = new ProviderTrafficRecorder(disabledTrafficTap, systemClock, 'a provider');
