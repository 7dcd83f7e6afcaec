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

/** A worker that nobody asked anything for this long is let go; the next question starts another. */
const idleMs = 5 * 60_000;

export interface LocatedModule extends WorkerStart {
  /** A newer version that the user could allow. */
  readonly offer?: ConsentRequest;
  /** Looks at the files that it consists of before any of them runs. @throws ProviderError when they may not run */
  readonly permit?: (files: readonly HashedFile[]) => void;
}

interface WorkerProviderPorts {
  /** The bundle of `worker/main.ts`, absolute. */
  readonly workerFile: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly texts: TextSharer;
  readonly traffic: CallTraffic;
  /** Calls back when one of the module's files changes. */
  readonly watcher: (onChange: () => void) => ModuleWatcher;
  readonly limits: WorkerLimits;
}

/**
 * A provider that is a JavaScript module. It has a worker of its own, so that whatever it does, it does to itself: a
 * loop, a leak, an exit or a change of globals ends at the worker's border. The worker starts with the first question,
 * and again with the first one after it ended.
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

  /**
   * `locate` finds the module when it is needed; `isAgain` when somebody wants it looked for anew, whatever is remembered.
   * `title` is for the log.
   */
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
      // What a provider calls it.
      request.method === 'lookUp' ? 'items' : request.method,
      () => sizeOfRequest(request),
      () => run.call(request, signal),
      sizeOfAnswer,
    );
  }

  /** The worker that runs; it is used now, and goes on for a while. */
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
    // What `locate` found may no longer be allowed.
    if (signal.aborted) throw new TakenBackError();
    this.offered = offer;
    // Another question may have started it meanwhile.
    if (!this.running) this.run = permit ? await this.permitted(start, permit, signal) : this.startRun(start);
    return this.running ?? this.started(signal);
  }

  /** What was looked at stays in the memory of its worker, so that it is what runs, whatever is on the disk by then. */
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
    // Another question may have started one meanwhile.
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
        // Not what: its message may hold a secret of the settings, which is only kept out of the log of the provider.
        this.ports.log.debug(`${this.title} did not catch an error of its own.`);
        this.printEmitter.fire(`Not caught: ${details}`);
      },
    });
    run.start();
    // Also a module that cannot be loaded is watched: it may be being mended.
    const { specifier } = start;
    if (specifier.startsWith('file:') && !this.watcher.isWatching(specifier)) this.watcher.watch([specifier]);
    return run;
  }

  private postponeRest(): void {
    this.idleTimer?.dispose();
    this.idleTimer = this.ports.clock.setTimer(idleMs, () => this.rest());
  }
}

/** About what it would be as JSON, without the settings, which hold secrets. */
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
