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

/** A document as an editor has it. `uri` and `version` are its identity; the text is only asked for when it is needed. */
export interface ContextDocument {
  readonly uri: string;
  readonly version: number;
  getText(): string;
}

/**
 * Who asks: somebody who waits for a hover; something that refreshes itself, and asks after each edit; or the user by
 * name, who also wants those providers asked that are paused after a failure.
 */
type AskReason = 'hover' | 'background' | 'explicit';

export interface AskOptions {
  readonly reason?: AskReason;
  /** When it fires the answer is what is known by then. */
  readonly signal?: AbortSignal;
  /** How long this answer waits at most, for who cannot wait for the deadline. What comes later is kept for the next. */
  readonly waitMs?: number;
  /**
   * Whether the items that are there are worth an answer: whoever is still asked then only gets the client's patience,
   * not the whole deadline. A hover says whether there is anything at its place; nothing is added to it later, so that
   * only those are not waited for that are known to be slow, or have answered for the text before an edit.
   */
  readonly isEnough?: (items: ItemList) => boolean;
}

interface ClientOptions extends ProviderRules {
  /** How long an answer waits for slow providers. */
  readonly deadlineMs: number;
  /** The same when the user asks by name. */
  readonly explicitDeadlineMs: number;
  /** How long an answer that is already worth something waits for more. */
  readonly patienceMs: number;
  /** After an edit the background is left alone for this long. */
  readonly settleMs: number;
  /** UTF-16 units; larger documents are not asked about. */
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
  /** The log of one provider, which the client disposes; without it nothing is logged. */
  readonly logOf?: (ref: ProviderRef) => ProviderLog;
  /** For globs of providers, which could take for ever. */
  readonly runInTime: RunInTime;
  /** Whether the user has allowed it; asks nobody. Without it nothing is. */
  readonly isAllowed?: (request: RememberedRequest) => boolean;
  /** Hears of the ids of the providers that went on as they were when others were configured. */
  readonly onKept?: (ids: ReadonlySet<string>) => void;
  /** Makes the provider of an entry; nothing of it runs before it is asked. The client disposes it. */
  readonly createProvider: (entry: ProviderEntry) => ContextProvider;
}

interface FoundItem {
  readonly uri: string;
  readonly item: ContextItem;
}

/**
 * Asks providers about documents: each once per document version, all at once, none waiting for another. Between an edit
 * and the answers to the new text, what is known moves along with the text.
 */
export class ContextClient implements Disposable {
  private readonly onListenerError = (error: unknown): void => this.ports.log.error('A listener failed', error);
  private readonly changeEmitter = new Emitter<string | undefined>(this.onListenerError);
  /** There is more, or newer, to ask for: of this document, or of all. */
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

  /** From now on these are asked. What has not changed goes on as it is. */
  configure(list: ProviderList): void {
    const ids = this.providers.replace(list);
    this.ports.onKept?.(ids);
    for (const record of this.book.all) record.keepOnly(ids);
    this.stateEmitter.fire();
    this.changeEmitter.fire(undefined);
  }

  /** Never rejects: what went wrong with a provider is in `states`. */
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

  /** What is known of a document without asking anybody. */
  peek(uri: string): ContextAnswer | undefined {
    return this.book.find(uri)?.answer(this.providers.for(uri));
  }

  /** To be told of every edit, with the version it led to. */
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

  /** The document is gone: its versions will start again. */
  closed(uri: string): void {
    this.book.close(uri);
  }

  /** Asks this provider again, from the beginning: the user wants it, or its code has changed. */
  retry(id: string): void {
    for (const record of this.book.all) record.outdate(id);
    this.providers.find(id)?.reset();
    this.changeEmitter.fire(undefined);
  }

  /** Among all that is known, the most recently used document first. */
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

  /** Asks all who have not answered for this version and are not being asked already. */
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
    // While they are at work.
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
      // Not what was thrown: it may hold a secret.
      this.ports.log.debug(`${handle.ref.title} did not answer: ${handle.state.lastError ?? 'it started over'}`);
      record.endAsking(handle.ref.id);
    }
    if (asking.isLate) this.changeEmitter.fire(record.uri);
  }

  /** Until all have answered, the time is over, or the question is taken back; who nobody waits for is not asked on. */
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
  /** How long each line of the text is. */
  readonly lines: () => readonly number[];
  readonly isCrlf: boolean;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
