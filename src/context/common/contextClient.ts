import type { Clock } from '../../base/common/async';
import { DisposableStore, toDisposable, type Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import type { RunInTime } from '../../base/common/timedRun';
import type { ContextItem, ProviderRef } from './items/contextItem';
import type { ContextProvider, ItemsParams, SecretSource } from './providers/contextProvider';
import type { Asking, ContextAnswer, DocumentRecord } from './items/documentRecord';
import { ItemList } from './items/itemList';
import { searchItems } from './items/itemQueries';
import { lineLengths, placeItems } from './items/itemRanges';
import type { TextChange } from './items/itemShift';
import {
  defaultProviderRules,
  type ProviderHandle,
  type ProviderLog,
  type ProviderRules,
  type ProviderState,
} from './providers/providerHandle';
import type { RememberedRequest } from './providers/providerError';
import { ProviderSet } from './providers/providerSet';
import type { ProviderEntry, ProviderList } from './providers/providerSettings';
import { RecordBook, type RecordLimits } from './items/recordBook';
import { SelectorTarget } from './providers/selector';

/** A document of an editor, identified by `uri` and `version`. The text is only read when needed. */
export interface ContextDocument {
  readonly uri: string;
  readonly version: number;
  getText(): string;
}

/** Why items are requested. The user's `explicit` requests also go to providers that are paused after a failure. */
type AskReason = 'hover' | 'background' | 'explicit';

export interface AskOptions {
  readonly reason?: AskReason;
  /** When it fires, the request resolves with what is known by then. */
  readonly signal?: AbortSignal;
  /** Maximum wait for callers that cannot wait for the deadline. Later answers are kept for the next request. */
  readonly waitMs?: number;
  /**
   * Whether the known items are worth showing. If so, the request only waits for the patience, not the deadline. A
   * hover cannot be updated later, so it still waits for providers that are neither known to be slow nor have answered
   * for an earlier text.
   */
  readonly isEnough?: (items: ItemList) => boolean;
}

interface ClientOptions extends ProviderRules {
  /** How long a request waits for slow providers. */
  readonly deadlineMs: number;
  /** The deadline for requests of the user. */
  readonly explicitDeadlineMs: number;
  /** How long a request with enough items waits for more. */
  readonly patienceMs: number;
  /** How long background requests pause after an edit. */
  readonly settleMs: number;
  /** UTF-16 units. Providers are not asked about larger documents. */
  readonly maxDocument: number;
  readonly records: RecordLimits;
}

export const defaultClientOptions: ClientOptions = {
  ...defaultProviderRules,
  deadlineMs: 2_000,
  explicitDeadlineMs: 10_000,
  patienceMs: 25,
  settleMs: 300,
  maxDocument: 1_024 * 1_024,
  records: { documents: 200, units: 8 * 1_024 * 1_024 },
};

interface ContextClientPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: SecretSource;
  /** Creates the log of a provider. The client disposes it. Nothing is logged without it. */
  readonly logOf?: (ref: ProviderRef) => ProviderLog;
  /** Limits the time of the providers' globs. */
  readonly runInTime: RunInTime;
  /** Whether the user has allowed a request, without asking. By default nothing is allowed. */
  readonly isAllowed?: (request: RememberedRequest) => boolean;
  /** Called with the IDs of the providers that were kept when the list of providers changed. */
  readonly onKept?: (ids: ReadonlySet<string>) => void;
  /** Creates the provider of an entry, without running any of its code yet. The client disposes it. */
  readonly createProvider: (entry: ProviderEntry) => ContextProvider;
}

interface FoundItem {
  readonly uri: string;
  readonly item: ContextItem;
}

/** Asks all providers, concurrently and once per document version. Moves known items along with edits until then. */
export class ContextClient implements Disposable {
  private readonly onListenerError = (error: unknown): void => this.ports.log.error('A listener failed', error);
  private readonly changeEmitter = new Emitter<string | undefined>(this.onListenerError);
  /** Fires when there may be new items for a document (its URI), or for all (undefined). */
  readonly onDidChange = this.changeEmitter.event;
  private readonly stateEmitter = new Emitter<void>(this.onListenerError);
  readonly onDidChangeStates = this.stateEmitter.event;
  private readonly book: RecordBook;
  readonly providers: ProviderSet;

  constructor(
    private readonly ports: ContextClientPorts,
    private readonly options: ClientOptions = defaultClientOptions,
  ) {
    this.book = new RecordBook(options.records);
    this.providers = new ProviderSet({
      createProvider: ports.createProvider,
      handleOptions: {
        clock: ports.clock,
        secrets: ports.secrets,
        runInTime: ports.runInTime,
        logOf: (ref) => ports.logOf?.(ref) ?? noLog,
        isAllowed: (request) => ports.isAllowed?.(request) ?? false,
        rules: options,
        onStateChange: () => this.stateEmitter.fire(),
        onReturn: () => this.changeEmitter.fire(undefined),
      },
      onReload: (id) => this.retry(id),
    });
  }

  get states(): readonly ProviderState[] {
    return this.providers.states;
  }

  /** Replaces the providers. Unchanged ones are kept. */
  configure(list: ProviderList): void {
    const ids = this.providers.replace(list);
    this.ports.onKept?.(ids);
    for (const record of this.book.all) record.keepOnly(ids);
    this.stateEmitter.fire();
    this.changeEmitter.fire(undefined);
  }

  /** Never rejects: errors of providers are in `states`. */
  async ask(document: ContextDocument, options: AskOptions = {}): Promise<ContextAnswer> {
    const { reason = 'hover' } = options;
    const record = this.book.open(document.uri);
    const handles = this.providers.for(document.uri);
    record.moveTo(document.version);
    if (reason === 'background' && record.settling) return record.answer(handles);
    this.start(document, record, reason);
    if (record.asking.size > 0) await this.wait(record, handles, options);
    return record.version === document.version
      ? record.answer(handles)
      : {
          uri: document.uri,
          version: document.version,
          items: ItemList.empty,
          isComplete: false,
          waitingFor: [],
          providerNotes: [],
        };
  }

  /** The known items of a document, without asking providers. */
  peek(uri: string): ContextAnswer | undefined {
    return this.book.find(uri)?.answer(this.providers.for(uri));
  }

  /** Call this for every edit, with the resulting version. */
  edited(uri: string, version: number, changes: readonly TextChange[]): void {
    const record = this.book.find(uri);
    if (!record) return;
    record.shift(version, changes);
    record.settling?.dispose();
    record.settling = this.ports.clock.setTimer(this.options.settleMs, () => {
      record.settling = undefined;
      this.changeEmitter.fire(uri);
    });
  }

  /** Call this when a document is closed: its versions will start again. */
  closed(uri: string): void {
    this.book.close(uri);
  }

  /** Resets a provider and asks it again, for the user or because its code has changed. */
  retry(id: string): void {
    for (const record of this.book.all) record.outdate(id);
    this.providers.find(id)?.reset();
    this.changeEmitter.fire(undefined);
  }

  /** Searches all known items, starting with the most recently used document. */
  search(query: string): readonly FoundItem[] {
    return this.book.all.toReversed().flatMap((record) => {
      const { uri, items } = record.answer(this.providers.for(record.uri));
      return searchItems(items, query).map((item) => ({ uri, item }));
    });
  }

  dispose(): void {
    this.book.clear();
    this.providers.dispose();
    this.changeEmitter.dispose();
    this.stateEmitter.dispose();
  }

  /** Asks the providers that have not answered for this version and are not being asked. */
  private start(document: ContextDocument, record: DocumentRecord, reason: AskReason): void {
    const mayAsk = (handle: ProviderHandle): boolean =>
      !record.isFresh(handle.ref.id) &&
      !record.asking.has(handle.ref.id) &&
      (reason === 'explicit' || !handle.isPaused);
    if (record.note !== undefined) return;
    const handles = this.providers.for(document.uri).filter(mayAsk);
    if (handles.length === 0) return;
    const content = document.getText();
    if (content.length > this.options.maxDocument) {
      record.skip(`The file is larger than ${this.options.maxDocument} characters: providers are not asked about it.`);
      return;
    }
    const question: Question = {
      params: { uri: document.uri, version: document.version, content },
      target: new SelectorTarget(document.uri, () => content),
      lines: once(() => lineLengths(content)),
      isCrlf: content.includes('\r\n'),
    };
    for (const handle of handles) {
      const asking = { done: Promise.resolve(), controller: new AbortController(), waiters: 0, isLate: false };
      record.startAsking(handle.ref.id, asking);
      asking.done = this.run(handle, question, record, asking);
    }
    // Computed while the providers are working.
    question.lines();
  }

  /** Never rejects. */
  private async run(handle: ProviderHandle, question: Question, record: DocumentRecord, asking: Asking): Promise<void> {
    const { signal } = asking.controller;
    try {
      const items = await handle.ask(question.params, question.target, signal);
      if (signal.aborted) return;
      record.fill(handle.ref, placeItems(items, question.lines(), question.isCrlf));
      this.book.trim();
    } catch {
      if (signal.aborted) return;
      // The error itself may contain a secret.
      this.ports.log.debug(`${handle.ref.title} did not answer: ${handle.state.lastError ?? 'it started over'}`);
      record.endAsking(handle.ref.id);
    }
    if (asking.isLate) this.changeEmitter.fire(record.uri);
  }

  /** Waits for all answers, the deadline or cancellation. Requests that nobody waits for any more are cancelled. */
  private async wait(record: DocumentRecord, handles: readonly ProviderHandle[], options: AskOptions): Promise<void> {
    const askings = new Map(record.asking);
    for (const asking of askings.values()) asking.waiters++;
    const { isEnough, reason = 'hover' } = options;
    const isWorthWaiting = ({ ref, isSlow }: ProviderHandle): boolean =>
      reason === 'hover' && !isSlow && record.asking.has(ref.id) && !record.knows(ref.id);
    const end = await this.firstEnd(
      [...askings.values()],
      options,
      () => isEnough?.(record.answer(handles).items) === true && !handles.some(isWorthWaiting),
    );
    for (const [id, asking] of askings) {
      asking.waiters--;
      if (end === 'deadline') asking.isLate = true;
      if (end === 'cancelled' && asking.waiters === 0 && !asking.isLate) record.takeBack(id, asking);
    }
  }

  private async firstEnd(
    askings: readonly Asking[],
    { reason, signal, waitMs = Infinity }: AskOptions,
    isEnough: () => boolean,
  ): Promise<'answered' | 'deadline' | 'cancelled'> {
    if (signal?.aborted) return 'cancelled';
    const { deadlineMs, explicitDeadlineMs, patienceMs } = this.options;
    const ends = new DisposableStore();
    const early = new Promise<'deadline' | 'cancelled'>((resolve) => {
      const endAfter = (ms: number): Disposable => ends.add(this.ports.clock.setTimer(ms, () => resolve('deadline')));
      const onAbort = (): void => resolve('cancelled');
      endAfter(Math.min(waitMs, reason === 'explicit' ? explicitDeadlineMs : deadlineMs));
      signal?.addEventListener('abort', onAbort, { once: true });
      ends.add(toDisposable(() => signal?.removeEventListener('abort', onAbort)));
      let isPatient = false;
      const onProgress = (): void => {
        if (isPatient || ends.isDisposed || !isEnough()) return;
        isPatient = true;
        endAfter(patienceMs);
      };
      onProgress();
      for (const { done } of askings) void done.then(onProgress);
    });
    const answered = Promise.all(askings.map(({ done }) => done)).then(() => 'answered' as const);
    try {
      return await Promise.race([answered, early]);
    } finally {
      ends.dispose();
    }
  }
}

const noLog: ProviderLog = {
  debug: () => undefined,
  info: () => undefined,
  error: () => undefined,
  dispose: () => undefined,
};

interface Question {
  readonly params: ItemsParams;
  readonly target: SelectorTarget;
  /** Length of each line of the text. */
  readonly lines: () => readonly number[];
  readonly isCrlf: boolean;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
