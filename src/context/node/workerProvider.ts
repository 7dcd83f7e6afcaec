import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import type {
  ProviderCapabilities,
  ContextProvider,
  ItemsParams,
  ProviderSettings,
} from '../common/providers/contextProvider';
import { RequestCancelledError } from '../common/providers/callWithTimeout';
import type { LookupTarget, Mention, MentionsParams } from '../common/ai/providerMention';
import { validatePackedItems, type PackedItems } from '../common/items/packedItems';
import { ProviderError, type ConsentRequest } from '../common/providers/providerError';
import type { CallTraffic } from './callTraffic';
import type { ModuleWatcher } from './moduleWatcher';
import type { TextSharer } from './textSharer';
import { WorkerSession, type WorkerRequestBody, type WorkerAnswer, type WorkerLimits } from './workerSession';
import type { HashedModuleFile, WorkerStart } from './providerWorkerMessages';

export const defaultWorkerLimits: WorkerLimits = { memoryMib: 256, callMs: 8_000 };

/** Time without requests after which a worker is stopped. The next request starts another one. */
const idleMs = 5 * 60_000;

export interface LocatedModule extends WorkerStart {
  /** A request to allow a newer version. */
  readonly newVersion?: ConsentRequest;
  /** Checks the module's files before any of them runs. @throws ProviderError if they are not allowed */
  readonly assertAllowed?: (files: readonly HashedModuleFile[]) => void;
}

interface WorkerProviderPorts {
  /** Absolute path of the bundle of `contextWorkerMain.ts`. */
  readonly workerFile: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly texts: TextSharer;
  readonly traffic: CallTraffic;
  readonly watcher: (onChange: () => void) => ModuleWatcher;
  readonly limits: WorkerLimits;
}

/** A JavaScript provider in its own worker. The worker starts with the first request, and again after it has ended. */
export class WorkerProvider implements ContextProvider {
  private readonly onListenerError = (error: unknown): void => this.ports.log.error('A listener failed', error);
  private readonly reloadEmitter = new Emitter<void>(this.onListenerError);
  readonly onDidReload = this.reloadEmitter.event;
  private readonly printEmitter = new Emitter<string>(this.onListenerError);
  readonly onDidPrint = this.printEmitter.event;
  private activeWorker: WorkerSession | undefined;
  private readonly watcher: ModuleWatcher;
  private idleTimer: Disposable | undefined;
  private isDisposed = false;
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
  }

  get newVersion(): ConsentRequest | undefined {
    return this.availableNewVersion;
  }

  async capabilities(settings: ProviderSettings, signal: AbortSignal): Promise<ProviderCapabilities> {
    return (await this.call({ method: 'capabilities', settings }, 'capabilities', signal)).capabilities;
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
    return (await this.call({ method: 'mentions', settings, params }, 'mentions', signal)).mentions;
  }

  async lookUpItems(lookup: LookupTarget, settings: ProviderSettings, signal: AbortSignal): Promise<PackedItems> {
    return await this.callForItems({ method: 'lookUp', settings, lookup }, signal);
  }

  unload(): void {
    this.mustLocateModuleAgain = true;
    this.stopWorker();
  }

  dispose(): void {
    this.isDisposed = true;
    this.unload();
    this.watcher.dispose();
    this.reloadEmitter.dispose();
    this.printEmitter.dispose();
  }

  private stopWorker(): void {
    this.idleTimer?.dispose();
    this.activeWorker?.dispose();
    this.activeWorker = undefined;
  }

  private async callForItems(request: WorkerRequestBody, signal: AbortSignal): Promise<PackedItems> {
    const { packed } = await this.call(request, 'items', signal);
    validatePackedItems(packed);
    return packed;
  }

  private async call<Kind extends WorkerAnswer['kind']>(
    request: WorkerRequestBody,
    kind: Kind,
    signal: AbortSignal,
  ): Promise<AnswerOf<Kind>> {
    const worker = this.usableWorker ?? (await this.startedWorker(signal));
    const answer = await this.ports.traffic.record(
      // In the protocol, this method is called `items`.
      request.method === 'lookUp' ? 'items' : request.method,
      () => sizeOfRequest(request),
      () => worker.call(request, signal),
      sizeOfAnswer,
    );
    return expectKind(answer, kind);
  }

  /** The running worker. Reading this property postpones the end of an idle worker. */
  private get usableWorker(): WorkerSession | undefined {
    if (!this.activeWorker || this.activeWorker.hasEnded) return undefined;
    this.restartIdleTimer();
    return this.activeWorker;
  }

  private async startedWorker(signal: AbortSignal): Promise<WorkerSession> {
    const { mustLocateModuleAgain: isRefresh } = this;
    this.mustLocateModuleAgain = false;
    const { newVersion, assertAllowed, ...start } = await this.locate(signal, isRefresh);
    if (this.isDisposed) throw new ProviderError('The provider was stopped.');
    // The permission may have changed while the module was being located.
    if (signal.aborted) throw new RequestCancelledError();
    this.availableNewVersion = newVersion;
    // Another request may have started the worker meanwhile.
    if (!this.usableWorker)
      this.activeWorker = assertAllowed
        ? await this.startWithCheckedFiles(start, assertAllowed, signal)
        : this.startWorker(start);
    return this.usableWorker ?? this.startedWorker(signal);
  }

  /** Starts a worker that keeps the checked files in memory, so that later changes on disk have no effect. */
  private async startWithCheckedFiles(
    start: WorkerStart,
    assertAllowed: (files: readonly HashedModuleFile[]) => void,
    signal: AbortSignal,
  ): Promise<WorkerSession> {
    const worker = this.startWorker({ ...start, isGuarded: true });
    try {
      assertAllowed(expectKind(await worker.call({ method: 'survey' }, signal), 'survey').files);
      if (this.isDisposed) throw new ProviderError('The provider was stopped.');
      if (signal.aborted) throw new RequestCancelledError();
    } catch (error) {
      worker.dispose();
      throw error;
    }
    // Another request may have started a worker meanwhile.
    this.activeWorker?.dispose();
    return worker;
  }

  private startWorker(start: WorkerStart): WorkerSession {
    const worker = new WorkerSession({
      ...this.ports,
      start,
      onFiles: (urls) => this.watcher.watch(urls),
      onPrint: (line) => this.printEmitter.fire(line),
      onUncaught: (details) => {
        // Details are not logged, because they may contain a secret. Secrets are removed only from the provider's own
        // log.
        this.ports.log.debug(`${this.title} did not catch an error of its own.`);
        this.printEmitter.fire(`Not caught: ${details}`);
      },
    });
    worker.start();
    // A module that fails to load is also watched, because its author may be fixing it.
    const { specifier } = start;
    if (specifier.startsWith('file:') && !this.watcher.isWatching(specifier)) this.watcher.watch([specifier]);
    return worker;
  }

  private restartIdleTimer(): void {
    this.idleTimer?.dispose();
    this.idleTimer = this.ports.clock.setTimer(idleMs, () => this.stopWorker());
  }
}

/** Returns the approximate size of a request as JSON, without the settings, because they contain secrets. */
function sizeOfRequest(request: WorkerRequestBody): number {
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

function sizeOfAnswer(answer: WorkerAnswer): number {
  switch (answer.kind) {
    case 'survey':
      return 0;
    case 'capabilities':
      return Buffer.byteLength(JSON.stringify(answer.capabilities));
    case 'items':
      return Buffer.byteLength(answer.packed.text) + answer.packed.ranges.byteLength + answer.packed.texts.byteLength;
    case 'mentions':
      return Buffer.byteLength(JSON.stringify(answer.mentions));
  }
}

type AnswerOf<Kind> = Extract<WorkerAnswer, { kind: Kind }>;

function expectKind<Kind extends WorkerAnswer['kind']>(answer: WorkerAnswer, kind: Kind): AnswerOf<Kind> {
  const isExpected = (each: WorkerAnswer): each is AnswerOf<Kind> => each.kind === kind;
  if (isExpected(answer)) return answer;
  throw new ProviderError('The provider’s worker sent an unexpected answer.');
}
