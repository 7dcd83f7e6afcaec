import { getHeapStatistics } from 'node:v8';
import type { Transferable } from 'node:worker_threads';
import { messageOf } from '../../../base/common/errors';
import { toLookupParams, readMentions } from '../../common/ai/mentionReader';
import { readItems } from '../../common/items/itemReader';
import type { PackedItems } from '../../common/items/packedItems';
import { maxModuleFiles } from '../../common/limits';
import { abilitiesOfFunctions, handshakeMethod, itemsMethod } from '../../common/providers/dialectFunctions';
import { ProviderError } from '../../common/providers/providerError';
import { readSharedText, type SharedText } from '../textSharer';
import type {
  ModuleLocation,
  ProviderWorkerBatch,
  ProviderWorkerMessage,
  ProviderWorkerRequest,
} from '../providerWorkerMessages';
import type { WorkerProgress } from '../workers/workerProgress';
import type { ModuleLoadGuard } from './loadGuard';
import { loadWithoutRunning } from './moduleHooks';
import { pickHandshakeFields } from './copyPlainData';
import { loadProvider, importSpecifierOf, type LoadedProvider } from './providerModule';
import { describeThrown, type ThrownDescription } from './thrown';

// Providers can replace these.
const { setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask } = globalThis;
const { hrtime } = process;

/** Minimum change of memory usage that is reported, in bytes. */
const memoryStep = 8 * 1_024 * 1_024;

/** Interval of heartbeats while the worker waits for a provider. */
const heartbeatMs = 50;

/** How long answers are collected into one message, because each message is expensive. */
const collectMs = 10;

/** Minimum size of an array that is transferred, in bytes. Copying a smaller one is cheaper. */
const minTransferred = 16 * 1_024;

interface ProviderWorkerDeps {
  readonly progress: WorkerProgress;
  readonly guard: ModuleLoadGuard | undefined;
  /** Runs code of a provider, and attributes its timers and promises to the provider. */
  readonly runAs: <T>(provider: number, work: () => T) => T;
  readonly post: (messages: readonly ProviderWorkerMessage[], transfer: readonly Transferable[]) => void;
}

function hostedProvider(id: number, location: ModuleLocation): HostedProvider {
  return { id, location, files: new Set(), reportedFileCount: 0, loaded: undefined, loading: undefined };
}

interface HostedProvider {
  readonly id: number;
  readonly location: ModuleLocation;
  readonly files: Set<string>;
  reportedFileCount: number;
  /** The loaded module. Undefined until it is loaded. */
  loaded: LoadedProvider | undefined;
  loading: Promise<LoadedProvider> | undefined;
}

/** Runs providers and answers requests. Validates and packs results to save work for the extension host. */
export class ProviderWorker {
  private readonly providers = new Map<number, HostedProvider>();
  private lastLoad: Promise<unknown> = Promise.resolve();
  private hostedBeingLoaded: HostedProvider | undefined;
  private messagesToPost: ProviderWorkerMessage[] = [];
  private transferList: Transferable[] = [];
  private collectedSinceMs: number | undefined;
  private collectTimer: NodeJS.Timeout | undefined;
  private reportedMemoryBytes = 0;
  private lastText: { readonly id: number; readonly content: string } | undefined;
  private openRequestCount = 0;
  /** Whether the host sends more requests at once, whose answers are sent together with those to the current ones. */
  private isBatchContinued = false;
  /** Number of requests that wait until their module is loaded. */
  private waitingForLoadCount = 0;
  private heartbeatTimer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: ProviderWorkerDeps) {}

  /** The provider whose module is being loaded. */
  get loadingProvider(): number | undefined {
    return this.hostedBeingLoaded?.id;
  }

  recordLoadedFile(url: string, provider: number | undefined): void {
    const files = this.findHosted(provider)?.files;
    if (files && files.size < maxModuleFiles) files.add(url);
  }

  reportUncaught(thrown: unknown, provider: number | undefined): void {
    const { details } = describeThrown(thrown);
    this.add({ kind: 'trouble', details, ...(provider === undefined ? {} : { provider }) });
    this.postAll();
  }

  /** Reports the memory usage. The extension host checks it, because the limits of workers do not include buffers. */
  reportMemory(): void {
    // `arrayBuffers` of the process would also include buffers that were transferred with answers.
    const bytes = getHeapStatistics().external_memory;
    if (Math.abs(bytes - this.reportedMemoryBytes) < memoryStep) return;
    this.reportedMemoryBytes = bytes;
    this.deps.post([{ kind: 'memory', bytes }], []);
  }

  /** Handles requests of the host in order. */
  handleBatch({ requests, isContinued }: ProviderWorkerBatch): void {
    this.isBatchContinued = isContinued;
    this.deps.progress.recordHeartbeat();
    this.openRequestCount += requests.length;
    for (const request of requests) this.handleRequest(request);
    this.forgetTextAndPostAll();
  }

  private handleRequest(request: ProviderWorkerRequest): void {
    const { provider: id, module: location } = request;
    const hosted = this.providers.get(id) ?? (location && hostedProvider(id, location));
    if (!hosted) throw new Error(`Provider ${id} is not known here.`);
    this.providers.set(id, hosted);
    if (hosted.loaded) this.sendRequest(hosted, hosted.loaded, request);
    else void this.loadAndSendRequest(hosted, request);
  }

  /** Never rejects. */
  private async loadAndSendRequest(hosted: HostedProvider, request: ProviderWorkerRequest): Promise<void> {
    this.waitingForLoadCount++;
    const loaded = await this.loadFor(hosted, request).finally(() => this.waitingForLoadCount--);
    if (loaded) this.sendRequest(hosted, loaded, request);
    this.postSoon();
  }

  /** Returns the loaded module. Undefined if the request has ended. Never rejects. */
  private async loadFor(hosted: HostedProvider, request: ProviderWorkerRequest): Promise<LoadedProvider | undefined> {
    try {
      if (request.body.method === 'survey') {
        const files = await this.listModuleFiles(hosted);
        this.reportFiles(hosted);
        this.finish({ kind: 'survey', id: request.id, files });
        return undefined;
      }
      if (this.deps.guard?.isClosed === false)
        throw new ProviderError('Its files were not checked before it was called.');
      return await (hosted.loading ??= this.load(hosted));
    } catch (error) {
      this.fail(hosted, request.id, error, true);
      return undefined;
    }
  }

  /** Loads one module at a time, so that it is known which provider's code is running. */
  private load(hosted: HostedProvider): Promise<LoadedProvider> {
    const { progress, runAs } = this.deps;
    const loading = this.lastLoad.then(async () => {
      this.hostedBeingLoaded = hosted;
      progress.beginLoading();
      this.startHeartbeat();
      try {
        return (hosted.loaded = await runAs(hosted.id, () => loadProvider(hosted.location)));
      } finally {
        this.hostedBeingLoaded = undefined;
        progress.endLoading();
      }
    });
    this.lastLoad = loading.catch(() => undefined);
    return loading;
  }

  private async listModuleFiles({ location }: HostedProvider) {
    const { guard } = this.deps;
    if (!guard) return [];
    await loadWithoutRunning(importSpecifierOf(location));
    return [...guard.close()];
  }

  /** Calls the provider, and processes its answer when its promise has resolved. */
  private sendRequest(hosted: HostedProvider, loaded: LoadedProvider, request: ProviderWorkerRequest): void {
    const end = (result: unknown): void => {
      this.runProvider(hosted, request.id, () => this.answer(hosted, loaded, request, result));
    };
    this.runProvider(hosted, request.id, () => {
      const result = this.callProvider(loaded, request);
      if (!isThenable(result)) {
        this.answer(hosted, loaded, request, result);
        return;
      }
      this.startHeartbeat();
      Promise.resolve(result).then(end, (error: unknown) => {
        this.fail(hosted, request.id, error, false);
        this.postSoon();
      });
    });
  }

  private runProvider(hosted: HostedProvider, question: number, work: () => void): void {
    const { progress, runAs } = this.deps;
    progress.recordHeartbeat();
    try {
      runAs(hosted.id, work);
    } catch (error) {
      this.fail(hosted, question, error, false);
    }
    progress.recordHeartbeat();
    this.reportMemory();
    this.postSoon();
  }

  private callProvider({ dialect, call }: LoadedProvider, { body }: ProviderWorkerRequest): unknown {
    switch (body.method) {
      case 'survey':
        throw new ProviderError('It was surveyed after it was loaded.');
      case 'capabilities':
        return call(handshakeMethod(dialect), {}, body.settings);
      case 'items':
        return call(itemsMethod(dialect), { uri: body.uri, content: this.readText(body.text) }, body.settings);
      case 'mentions':
        return call('mentions', body.params, body.settings);
      case 'lookUp':
        return call('items', toLookupParams(body.lookup), body.settings);
    }
  }

  private answer(
    hosted: HostedProvider,
    { dialect, has }: LoadedProvider,
    { id, body }: ProviderWorkerRequest,
    result: unknown,
  ): void {
    const answer = ((): ProviderWorkerMessage => {
      switch (body.method) {
        case 'survey':
          return { kind: 'survey', id, files: [] };
        case 'capabilities': {
          const abilities = abilitiesOfFunctions(dialect, has);
          return { kind: 'capabilities', id, dialect, abilities, handshake: pickHandshakeFields(result) };
        }
        case 'items':
          return this.itemsAnswer(id, readItems(result, body.uri));
        case 'mentions':
          return { kind: 'mentions', id, mentions: readMentions(result) };
        case 'lookUp':
          return this.itemsAnswer(id, readItems(result ?? []));
      }
    })();
    // The host watches the files after an answer and after a failed load.
    this.reportFiles(hosted);
    this.finish(answer);
  }

  private itemsAnswer(id: number, packed: PackedItems): ProviderWorkerMessage {
    for (const { buffer } of [packed.ranges, packed.texts])
      if (buffer.byteLength >= minTransferred) this.transferList.push(buffer);
    return { kind: 'items', id, packed };
  }

  /** Reads a text. Keeps the last one, because several providers often get the same text. */
  private readText(text: SharedText): string {
    if (this.lastText?.id !== text.id) this.lastText = { id: text.id, content: readSharedText(text) };
    return this.lastText.content;
  }

  private fail(hosted: HostedProvider, id: number, error: unknown, isModule: boolean): void {
    this.reportFiles(hosted);
    const thrown: Partial<ThrownDescription> = error instanceof ProviderError ? {} : describeThrown(error);
    const { message = messageOf(error), details } = thrown;
    this.finish({ kind: 'failed', id, message, isModule, ...(details === undefined ? {} : { details }) });
  }

  private finish(message: ProviderWorkerMessage): void {
    this.openRequestCount--;
    this.add(message);
  }

  private reportFiles(hosted: HostedProvider): void {
    if (hosted.files.size === hosted.reportedFileCount) return;
    hosted.reportedFileCount = hosted.files.size;
    this.add({ kind: 'files', provider: hosted.id, urls: [...hosted.files] });
  }

  private findHosted(provider: number | undefined): HostedProvider | undefined {
    if (provider !== undefined) return this.providers.get(provider);
    // During a survey, no provider runs yet, and the worker has only one.
    return this.providers.size === 1 ? [...this.providers.values()][0] : undefined;
  }

  private add(message: ProviderWorkerMessage): void {
    this.messagesToPost.push(message);
  }

  /**
   * Posts the collected messages together once all modules are loaded, after `collectMs` at the latest. If a provider blocks
   * the worker before that, the host ends the worker and repeats the requests of all of them.
   */
  private postSoon(): void {
    if (this.messagesToPost.length === 0) return;
    const now = monotonicNow();
    this.collectedSinceMs ??= now;
    if (now - this.collectedSinceMs > collectMs) this.postAll();
    else if (this.waitingForLoadCount === 0) queueMicrotask(() => this.forgetTextAndPostAll());
    else this.collectTimer ??= setTimeout(() => this.postAll(), collectMs);
  }

  private forgetTextAndPostAll(): void {
    if (this.isBatchContinued) return;
    this.lastText = undefined;
    this.postAll();
  }

  private postAll(): void {
    this.collectedSinceMs = undefined;
    clearTimeout(this.collectTimer);
    this.collectTimer = undefined;
    if (this.messagesToPost.length === 0) return;
    // Reports the memory first, so that a worker that uses too much is stopped for this reason.
    this.reportMemory();
    const { messagesToPost, transferList } = this;
    this.messagesToPost = [];
    this.transferList = [];
    this.deps.post(messagesToPost, transferList);
  }

  /** Sends heartbeats as long as questions are open, which shows that the event loop runs. */
  private startHeartbeat(): void {
    this.heartbeatTimer ??= setInterval(() => {
      this.deps.progress.recordHeartbeat();
      if (this.openRequestCount > 0) return;
      clearInterval(this.heartbeatTimer);
      this.heartbeatTimer = undefined;
    }, heartbeatMs).unref();
  }
}

/** In milliseconds. Faster than `performance.now()` if it was not called for a while. */
function monotonicNow(): number {
  return Number(hrtime.bigint()) / 1e6;
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
