import type { ContextDocument } from '../../../../src/context/common/contextClient';
import { ContextClient, defaultClientOptions } from '../../../../src/context/common/contextClient';
import type { ContextProvider, ProvidedItems } from '../../../../src/context/common/contextProvider';
import type { ContextItem } from '../../../../src/context/common/contextItem';
import { listProviders, type ProviderEntry, type ProviderList } from '../../../../src/context/common/providerSettings';
import { ProviderFactory } from '../../../../src/context/node/providerFactory';
import type { WorkerLimits } from '../../../../src/context/node/workerRun';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { Clock } from '../../../../src/base/common/async';

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
      createProvider: ({ id }) => {
        const provider = providers[id];
        if (!provider) throw new Error(`No fake is called ${id}`);
        return provider;
      },
    },
    { ...defaultClientOptions, ...options },
  );
  client.configure(listOf(Object.fromEntries(Object.keys(providers).map((id) => [id, true]))));
  return client;
}

export const testWorkerLimits: WorkerLimits = { memoryMib: 64, callMs: 1_500 };

export function factoryOf(workerFile: string, limits: WorkerLimits = testWorkerLimits): ProviderFactory {
  return new ProviderFactory({
    workerFile,
    remoteFolder: `${workerFile}.remote`,
    fetch: (url, init) => fetch(url, init),
    clock: systemClock,
    log: nullLogger,
    isAllowed: () => false,
    workerLimits: limits,
  });
}

/** A client of real providers. The caller disposes it. */
export function realClient(
  factory: { create(entry: ProviderEntry): ContextProvider },
  settings: Readonly<Record<string, unknown>>,
  secrets: Readonly<Record<string, string>> = {},
): ContextClient {
  const client = new ContextClient(
    {
      clock: systemClock,
      log: nullLogger,
      secrets: { get: (name) => Promise.resolve(secrets[name]) },
      createProvider: (entry) => factory.create(entry),
    },
    { ...defaultClientOptions, deadlineMs: 5_000 },
  );
  client.configure(listOf(settings));
  return client;
}

/** A provider whose answers the test gives. */
export class FakeProvider implements ContextProvider {
  readonly asked: string[] = [];
  readonly signals: AbortSignal[] = [];
  greetings = 0;
  isDisposed = false;

  constructor(
    private readonly answer: (content: string, call: number) => Promise<ProvidedItems>,
    private readonly selectors?: readonly { path?: string; contentContains?: string }[],
  ) {}

  capabilities(): ReturnType<ContextProvider['capabilities']> {
    this.greetings++;
    return Promise.resolve(this.selectors ? { selectors: this.selectors } : {});
  }

  items({ content }: { content: string }, _settings: object, signal: AbortSignal): Promise<ProvidedItems> {
    this.asked.push(content);
    this.signals.push(signal);
    return this.answer(content, this.asked.length);
  }

  dispose(): void {
    this.isDisposed = true;
  }
}

export function providedItem(title: string, line?: number, start = 0, end = 1): ProvidedItems['items'][number] {
  if (line === undefined) return { title };
  return { title, range: { start: { line, character: start }, end: { line, character: end } } };
}

export const provided = (...items: ProvidedItems['items']): Promise<ProvidedItems> =>
  Promise.resolve({ items, notes: [] });

export const never = <T>(): Promise<T> => new Promise(() => undefined);

export const titles = (items: readonly ContextItem[]): string[] => items.map(({ title }) => title);

/** Lets what is ready run, without waiting for time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}
