import { raceSignal } from '../../base/common/async';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import type { LookupTarget, Mention, MentionsParams } from '../common/ai/providerMention';
import { validatePackedItems, type PackedItems } from '../common/items/packedItems';
import type {
  ProviderCapabilities,
  ContextProvider,
  ItemsParams,
  ProviderSettings,
} from '../common/providers/contextProvider';
import { hasDocumentItems, readCapabilities } from '../common/providers/dialects';
import { RequestCancelledError } from '../common/providers/callWithTimeout';
import { ProviderError, type ConsentRequest } from '../common/providers/providerError';
import { describeOwnWorker } from '../common/workers/ownWorkerNote';
import type { ProviderTrafficRecorder } from './providerTrafficRecorder';
import type { ModuleWatcher } from './moduleWatcher';
import type {
  HashedModuleFile,
  ModuleLocation,
  ProviderWorkerAnswer,
  ProviderWorkerRequestBody,
} from './providerWorkerMessages';
import type { TextSharer } from './textSharer';
import { InterruptedError, type PoolQuestionBody, type WorkerPool } from './workers/workerPool';

export interface LocatedModule extends ModuleLocation {
  /** A request to allow a newer version. */
  readonly newVersion?: ConsentRequest;
  /** Checks the module's files before any of them runs. @throws ProviderError if they are not allowed */
  readonly assertAllowed?: (files: readonly HashedModuleFile[]) => void;
}

interface WorkerProviderPorts {
  readonly pool: WorkerPool;
  readonly log: Logger;
  readonly texts: TextSharer;
  readonly traffic: ProviderTrafficRecorder;
  readonly watcher: (onChange: () => void) => ModuleWatcher;
  /** Whether the provider must not share a worker. */
  readonly isOwnWorkerRequired: boolean;
}

/** The module of a provider that runs in a worker. */
type ReadyModule = Omit<PoolQuestionBody, 'request'>;

/** A JavaScript provider. A worker of the pool loads it with the first request, and again after that worker has ended. */
export class WorkerProvider implements ContextProvider {
  private readonly onListenerError = (error: unknown): void => this.ports.log.error('A listener failed', error);
  private readonly reloadEmitter = new Emitter<void>(this.onListenerError);
  readonly onDidReload = this.reloadEmitter.event;
  private readonly printEmitter = new Emitter<string>(this.onListenerError);
  readonly onDidPrint = this.printEmitter.event;
  private readonly watcher: ModuleWatcher;
  /** Its number in the pool. */
  private readonly numberInPool: number;
  private isDisposed = false;
  private readyModule: ReadyModule | undefined;
  private modulePreparation: Promise<ReadyModule> | undefined;
  private availableNewVersion: ConsentRequest | undefined;
  private mustLocateModuleAgain = false;

  /** `locate` finds the module. With `isRefresh`, it ignores cached results. `title` is for the log. */
  constructor(
    private readonly title: string,
    private readonly locate: (signal: AbortSignal, isRefresh: boolean) => Promise<LocatedModule>,
    private readonly ports: WorkerProviderPorts,
  ) {
    this.watcher = ports.watcher(() => {
      this.unload();
      this.reloadEmitter.fire();
    });
    this.numberInPool = ports.pool.add({
      onFiles: (urls) => this.watcher.watch(urls),
      onPrint: (line) => this.printEmitter.fire(line),
      onUncaught: (details) => {
        // Details are omitted, because they may contain a secret, and only the provider's own log removes secrets.
        this.ports.log.debug(`${this.title} did not catch an error of its own.`);
        this.printEmitter.fire(`Not caught: ${details}`);
      },
    });
  }

  get newVersion(): ConsentRequest | undefined {
    return this.availableNewVersion;
  }

  get note(): string | undefined {
    return describeOwnWorker(this.ports.pool.ownWorkerReason(this.numberInPool));
  }

  async capabilities(settings: ProviderSettings, signal: AbortSignal): Promise<ProviderCapabilities> {
    const answer = await this.askUntilAnswered({ method: 'capabilities', settings }, 'capabilities', signal);
    const handshake = readCapabilities(answer.dialect, answer.handshake);
    const { annotations, ...abilities } = answer.abilities;
    return { ...handshake, abilities: { ...abilities, annotations: annotations && hasDocumentItems(handshake) } };
  }

  async documentItems(params: ItemsParams, settings: ProviderSettings, signal: AbortSignal): Promise<PackedItems> {
    const { texts } = this.ports;
    const text = texts.share(params.content);
    try {
      return await this.callForItems({ method: 'items', settings, uri: params.uri, text }, signal);
    } finally {
      texts.release(text);
    }
  }

  async mentions(params: MentionsParams, settings: ProviderSettings, signal: AbortSignal): Promise<readonly Mention[]> {
    return (await this.askUntilAnswered({ method: 'mentions', settings, params }, 'mentions', signal)).mentions;
  }

  async lookUpItems(lookup: LookupTarget, settings: ProviderSettings, signal: AbortSignal): Promise<PackedItems> {
    return await this.callForItems({ method: 'lookUp', settings, lookup }, signal);
  }

  unload(): void {
    this.mustLocateModuleAgain = true;
    this.readyModule = undefined;
    this.modulePreparation = undefined;
    this.ports.pool.unload(this.numberInPool);
  }

  dispose(): void {
    this.isDisposed = true;
    this.unload();
    this.ports.pool.remove(this.numberInPool);
    this.watcher.dispose();
    this.reloadEmitter.dispose();
    this.printEmitter.dispose();
  }

  private async callForItems(request: ProviderWorkerRequestBody, signal: AbortSignal): Promise<PackedItems> {
    const { packed } = await this.askUntilAnswered(request, 'items', signal);
    validatePackedItems(packed);
    return packed;
  }

  private async askUntilAnswered<Kind extends ProviderWorkerAnswer['kind']>(
    request: ProviderWorkerRequestBody,
    kind: Kind,
    signal: AbortSignal,
  ): Promise<AnswerOf<Kind>> {
    for (;;) {
      try {
        const module = this.loadedModule ?? (await this.prepareModule(signal));
        return expectKind(await this.askOnce(module, request, signal), kind);
      } catch (error) {
        // The pool limits the number of retries, because it then gives the provider its own worker.
        if (!(error instanceof InterruptedError)) throw error;
        if (this.isDisposed) throw new ProviderError('The provider was stopped.');
        if (signal.aborted) throw new RequestCancelledError();
      }
    }
  }

  private askOnce(
    module: ReadyModule,
    request: ProviderWorkerRequestBody,
    signal: AbortSignal,
  ): Promise<ProviderWorkerAnswer> {
    return this.ports.traffic.record(
      // In the protocol, this method is called `items`.
      request.method === 'lookUp' ? 'items' : request.method,
      () => sizeOfRequest(request),
      () => this.ports.pool.ask(this.numberInPool, { ...module, request }, signal),
      sizeOfAnswer,
    );
  }

  /**
   * The module that a worker has loaded. Undefined if no worker has loaded it, or if its files were checked in another
   * worker.
   */
  private get loadedModule(): ReadyModule | undefined {
    const worker = this.ports.pool.workerOf(this.numberInPool);
    const { readyModule } = this;
    if (worker === undefined || !readyModule) return undefined;
    return readyModule.isGuarded && readyModule.worker !== worker ? undefined : readyModule;
  }

  /** Locates and checks the module once for all requests that wait for it. */
  private async prepareModule(signal: AbortSignal): Promise<ReadyModule> {
    const others = this.modulePreparation;
    if (others) {
      try {
        return await raceSignal(others, signal, () => new RequestCancelledError());
      } catch (error) {
        // The request that started the preparation may have been cancelled.
        if (!(error instanceof RequestCancelledError) || signal.aborted) throw error;
        return await this.prepareModule(signal);
      }
    }
    const preparing = this.locateAndCheck(signal);
    this.modulePreparation = preparing;
    try {
      const ready = await preparing;
      if (this.modulePreparation === preparing) this.readyModule = ready;
      return ready;
    } finally {
      if (this.modulePreparation === preparing) this.modulePreparation = undefined;
    }
  }

  private async locateAndCheck(signal: AbortSignal): Promise<ReadyModule> {
    const { mustLocateModuleAgain: isRefresh } = this;
    this.mustLocateModuleAgain = false;
    const { newVersion, assertAllowed, ...module } = await this.locate(signal, isRefresh);
    this.assertStillWanted(signal);
    this.availableNewVersion = newVersion;
    // A module that fails to load is also watched, because the author may be fixing it.
    const { specifier } = module;
    if (specifier.startsWith('file:') && !this.watcher.isWatching(specifier)) this.watcher.watch([specifier]);
    const { isOwnWorkerRequired } = this.ports;
    if (!assertAllowed) return { module, isGuarded: false, isOwnWorkerRequired, worker: undefined };
    const guarded = { module, isGuarded: true, isOwnWorkerRequired: true, worker: undefined };
    return { ...guarded, worker: await this.checkFiles(guarded, assertAllowed, signal) };
  }

  /**
   * Starts a worker and checks the module's files there. The worker keeps them in memory, so that later changes on disk
   * have no effect. @returns the worker
   */
  private async checkFiles(
    guarded: ReadyModule,
    assertAllowed: (files: readonly HashedModuleFile[]) => void,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { pool } = this.ports;
    // The files of the current worker may have been checked with other permissions.
    pool.unload(this.numberInPool);
    try {
      const answer = await pool.ask(this.numberInPool, { ...guarded, request: { method: 'survey' } }, signal);
      const worker = pool.workerOf(this.numberInPool);
      assertAllowed(expectKind(answer, 'survey').files);
      this.assertStillWanted(signal);
      return worker;
    } catch (error) {
      pool.unload(this.numberInPool);
      throw error;
    }
  }

  /** The permission may have changed in the meantime. */
  private assertStillWanted(signal: AbortSignal): void {
    if (this.isDisposed) throw new ProviderError('The provider was stopped.');
    if (signal.aborted) throw new RequestCancelledError();
  }
}

/** Returns the approximate size of a request as JSON, without the settings, because they contain secrets. */
function sizeOfRequest(request: ProviderWorkerRequestBody): number {
  switch (request.method) {
    case 'survey':
    case 'capabilities':
      return 0;
    case 'items':
      return request.uri.length + request.text.byteLength;
    case 'mentions':
      return Buffer.byteLength(JSON.stringify(request.params));
    case 'lookUp':
      return Buffer.byteLength(JSON.stringify(request.lookup));
  }
}

function sizeOfAnswer(answer: ProviderWorkerAnswer): number {
  switch (answer.kind) {
    case 'survey':
      return 0;
    case 'capabilities':
      return Buffer.byteLength(JSON.stringify(answer.handshake ?? null));
    case 'items':
      return Buffer.byteLength(answer.packed.text) + answer.packed.ranges.byteLength + answer.packed.texts.byteLength;
    case 'mentions':
      return Buffer.byteLength(JSON.stringify(answer.mentions));
  }
}

type AnswerOf<Kind> = Extract<ProviderWorkerAnswer, { kind: Kind }>;

function expectKind<Kind extends ProviderWorkerAnswer['kind']>(
  answer: ProviderWorkerAnswer,
  kind: Kind,
): AnswerOf<Kind> {
  const isExpected = (each: ProviderWorkerAnswer): each is AnswerOf<Kind> => each.kind === kind;
  if (isExpected(answer)) return answer;
  throw new ProviderError('The provider’s worker sent an unexpected answer.');
}
