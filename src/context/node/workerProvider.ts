import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import type { Capabilities, ContextProvider, ItemsParams, ProviderSettings } from '../common/providers/contextProvider';
import { TakenBackError } from '../common/providers/guardedCall';
import type { Lookup, Mention, MentionsParams } from '../common/ai/providerMention';
import { checkPacked, type PackedItems } from '../common/items/packedItems';
import { ProviderError, type ConsentRequest } from '../common/providers/providerError';
import type { CallTraffic } from './callTraffic';
import type { ModuleWatcher } from './moduleWatcher';
import type { TextSharer } from './textSharer';
import { WorkerRun, type Unnumbered, type WorkerAnswer, type WorkerLimits } from './workerRun';
import type { HashedFile, WorkerStart } from './providerWorkerMessages';

export const defaultWorkerLimits: WorkerLimits = { memoryMib: 256, callMs: 8_000 };

/** A worker that is idle for this long is stopped. The next request starts another. */
const idleMs = 5 * 60_000;

export interface LocatedModule extends WorkerStart {
  /** A newer version that the user could allow. */
  readonly offer?: ConsentRequest;
  /** Checks the module's files before any of them runs. @throws ProviderError if they must not run */
  readonly permit?: (files: readonly HashedFile[]) => void;
}

interface WorkerProviderPorts {
  /** Absolute path of the bundle of `contextWorkerMain.ts`. */
  readonly workerFile: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly texts: TextSharer;
  readonly traffic: CallTraffic;
  /** Calls back when a file of the module changes. */
  readonly watcher: (onChange: () => void) => ModuleWatcher;
  readonly limits: WorkerLimits;
}

/**
 * A provider in a JavaScript module. Runs in its own worker, so that loops, leaks and exits affect nothing else. The
 * worker starts with the first request, and again after it has ended.
 */
export class WorkerProvider implements ContextProvider {
  private readonly onListenerError = (error: unknown): void => this.ports.log.error('A listener failed', error);
  private readonly reloadEmitter = new Emitter<void>(this.onListenerError);
  readonly onDidReload = this.reloadEmitter.event;
  private readonly printEmitter = new Emitter<string>(this.onListenerError);
  readonly onDidPrint = this.printEmitter.event;
  private run: WorkerRun | undefined;
  private readonly watcher: ModuleWatcher;
  private idleTimer: Disposable | undefined;
  private isDisposed = false;
  private offered: ConsentRequest | undefined;
  private isAgain = false;

  /** `locate` finds the module; with `isAgain` it ignores what it remembers. `title` is for the log. */
  constructor(
    private readonly title: string,
    private readonly locate: (signal: AbortSignal, isAgain: boolean) => Promise<LocatedModule>,
    private readonly ports: WorkerProviderPorts,
  ) {
    this.watcher = ports.watcher(() => {
      this.letGo();
      this.reloadEmitter.fire();
    });
  }

  get offer(): ConsentRequest | undefined {
    return this.offered;
  }

  async capabilities(settings: ProviderSettings, signal: AbortSignal): Promise<Capabilities> {
    const run = this.running ?? (await this.started(signal));
    const answer = await this.ask(run, { method: 'capabilities', settings }, signal);
    if (answer.kind !== 'capabilities') throw wrongAnswer();
    return answer.capabilities;
  }

  async items(params: ItemsParams, settings: ProviderSettings, signal: AbortSignal): Promise<PackedItems> {
    const run = this.running ?? (await this.started(signal));
    const { texts } = this.ports;
    const text = texts.share(params.content);
    try {
      const answer = await this.ask(run, { method: 'items', settings, uri: params.uri, text }, signal);
      if (answer.kind !== 'items') throw wrongAnswer();
      checkPacked(answer.packed);
      return answer.packed;
    } finally {
      texts.release(text);
    }
  }

  async mentions(params: MentionsParams, settings: ProviderSettings, signal: AbortSignal): Promise<readonly Mention[]> {
    const run = this.running ?? (await this.started(signal));
    const answer = await this.ask(run, { method: 'mentions', settings, params }, signal);
    if (answer.kind !== 'mentions') throw wrongAnswer();
    return answer.mentions;
  }

  async lookUp(lookup: Lookup, settings: ProviderSettings, signal: AbortSignal): Promise<PackedItems> {
    const run = this.running ?? (await this.started(signal));
    const answer = await this.ask(run, { method: 'lookUp', settings, lookup }, signal);
    if (answer.kind !== 'items') throw wrongAnswer();
    checkPacked(answer.packed);
    return answer.packed;
  }

  letGo(): void {
    this.isAgain = true;
    this.rest();
  }

  dispose(): void {
    this.isDisposed = true;
    this.letGo();
    this.watcher.dispose();
    this.reloadEmitter.dispose();
    this.printEmitter.dispose();
  }

  private rest(): void {
    this.idleTimer?.dispose();
    this.run?.dispose();
    this.run = undefined;
  }

  private ask(run: WorkerRun, request: Unnumbered, signal: AbortSignal): Promise<WorkerAnswer> {
    return this.ports.traffic.record(
      // The name of the method in the protocol.
      request.method === 'lookUp' ? 'items' : request.method,
      () => sizeOfRequest(request),
      () => run.call(request, signal),
      sizeOfAnswer,
    );
  }

  /** The running worker. Reading it postpones the idle time-out. */
  private get running(): WorkerRun | undefined {
    if (!this.run || this.run.isOver) return undefined;
    this.postponeRest();
    return this.run;
  }

  private async started(signal: AbortSignal): Promise<WorkerRun> {
    const { isAgain } = this;
    this.isAgain = false;
    const { offer, permit, ...start } = await this.locate(signal, isAgain);
    if (this.isDisposed) throw new ProviderError('The provider was stopped.');
    // The permission may have changed while locating the module.
    if (signal.aborted) throw new TakenBackError();
    this.offered = offer;
    // Another request may have started it meanwhile.
    if (!this.running) this.run = permit ? await this.permitted(start, permit, signal) : this.startRun(start);
    return this.running ?? this.started(signal);
  }

  /** The worker keeps the checked files in memory, so that later changes on disk do not matter. */
  private async permitted(
    start: WorkerStart,
    permit: (files: readonly HashedFile[]) => void,
    signal: AbortSignal,
  ): Promise<WorkerRun> {
    const run = this.startRun({ ...start, isGuarded: true });
    try {
      const answer = await run.call({ method: 'survey' }, signal);
      if (answer.kind !== 'survey') throw wrongAnswer();
      permit(answer.files);
      if (this.isDisposed) throw new ProviderError('The provider was stopped.');
      if (signal.aborted) throw new TakenBackError();
    } catch (error) {
      run.dispose();
      throw error;
    }
    // Another request may have started one meanwhile.
    this.run?.dispose();
    return run;
  }

  private startRun(start: WorkerStart): WorkerRun {
    const run = new WorkerRun({
      ...this.ports,
      start,
      onFiles: (urls) => this.watcher.watch(urls),
      onPrint: (line) => this.printEmitter.fire(line),
      onTrouble: (details) => {
        // Without details: they may contain a secret. Only the provider's own log removes secrets.
        this.ports.log.debug(`${this.title} did not catch an error of its own.`);
        this.printEmitter.fire(`Not caught: ${details}`);
      },
    });
    run.start();
    // Also watch a module that fails to load, since the author may be fixing it.
    const { specifier } = start;
    if (specifier.startsWith('file:') && !this.watcher.isWatching(specifier)) this.watcher.watch([specifier]);
    return run;
  }

  private postponeRest(): void {
    this.idleTimer?.dispose();
    this.idleTimer = this.ports.clock.setTimer(idleMs, () => this.rest());
  }
}

/** Approximate size as JSON, without the settings, which contain secrets. */
function sizeOfRequest(request: Unnumbered): number {
  switch (request.method) {
    case 'survey':
    case 'capabilities':
      return 0;
    case 'items':
      return request.uri.length + request.text.size;
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

function wrongAnswer(): ProviderError {
  return new ProviderError('The worker of the provider answered another question.');
}
