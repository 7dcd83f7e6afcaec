import type { Clock } from '../../base/common/async';
import { DisposableStore, toDisposable, type Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import type { RunWithTimeLimit } from '../../base/common/runWithTimeLimit';
import type { ContextItem, ProviderRef } from './items/contextItem';
import type { ContextProvider, ItemsParams, SecretSource } from './providers/contextProvider';
import type { PendingRequest, ContextAnswer, DocumentRecord } from './items/documentRecord';
import { ItemList } from './items/itemList';
import { searchItems } from './items/itemQueries';
import { fitItemsToDocument, measureLines, type LineMeasures } from './items/itemRanges';
import type { TextChange } from './items/itemShift';
import {
  defaultProviderTimings,
  type ProviderHandle,
  type ProviderLog,
  type ProviderTimings,
  type ProviderState,
} from './providers/providerHandle';
import type { RememberedConsentRequest } from './providers/providerError';
import { ProviderSet } from './providers/providerSet';
import type { ProviderEntry, ProviderList } from './providers/providerSettings';
import { DocumentRecordCache, type DocumentRecordLimits } from './items/documentRecordCache';
import { SelectableDocument } from './providers/selector';

/** A document in an editor, identified by `uri` and `version`. Its text is only read when needed. */
export interface ContextDocument {
  readonly uri: string;
  readonly version: number;
  getText(): string;
}

/** Why items are requested. `explicit` requests also reach providers that are paused after a failure. */
type RequestReason = 'hover' | 'background' | 'explicit';

export interface ItemRequestOptions {
  readonly reason?: RequestReason;
  /** When it fires, the request resolves with the items that are already known. */
  readonly signal?: AbortSignal;
  /** How long a caller can wait, in milliseconds. Later answers are kept for the next request. */
  readonly waitMs?: number;
  /**
   * Whether the known items are enough to be shown. The request then waits only `patienceMs` for others. A hover cannot
   * be updated later, so it still waits for providers that are usually fast.
   */
  readonly isEnough?: (items: ItemList) => boolean;
}

interface ClientOptions extends ProviderTimings {
  readonly deadlineMs: number;
  readonly explicitDeadlineMs: number;
  /** How long a request that has enough items waits for more, in milliseconds. */
  readonly patienceMs: number;
  /** How long background requests wait after an edit, in milliseconds. */
  readonly settleMs: number;
  /** Maximum length of a document that is sent to providers, in UTF-16 units. */
  readonly maxDocumentLength: number;
  readonly records: DocumentRecordLimits;
}

export const defaultClientOptions: ClientOptions = {
  ...defaultProviderTimings,
  deadlineMs: 2_000,
  explicitDeadlineMs: 10_000,
  patienceMs: 25,
  settleMs: 300,
  maxDocumentLength: 1_024 * 1_024,
  records: { maxDocuments: 200, maxWeight: 8 * 1_024 * 1_024 },
};

interface ContextClientPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: SecretSource;
  /** Creates the log of a provider. The client disposes it. If missing, nothing is logged. */
  readonly logOf?: (ref: ProviderRef) => ProviderLog;
  /** Limits the time for matching the globs of providers. */
  readonly runWithTimeLimit: RunWithTimeLimit;
  /** Whether the user has already allowed a request. By default, nothing is allowed. */
  readonly isAllowed?: (request: RememberedConsentRequest) => boolean;
  /** Called when the list of providers has changed, with the IDs of the providers that are still in it. */
  readonly onProvidersKept?: (ids: ReadonlySet<string>) => void;
  /** Creates the provider for an entry. Runs none of its code yet. The client disposes the provider. */
  readonly createProvider: (entry: ProviderEntry) => ContextProvider;
}

interface FoundItem {
  readonly uri: string;
  readonly item: ContextItem;
}

/** Requests items from all providers, once per document version. Meanwhile, known items move along with edits. */
export class ContextClient implements Disposable {
  private readonly onListenerError = (error: unknown): void => this.ports.log.error('A listener failed', error);
  private readonly itemsEmitter = new Emitter<string | undefined>(this.onListenerError);
  /** Fires with the URI of a document that may have new items, or with undefined if any document may have. */
  readonly onDidChangeItems = this.itemsEmitter.event;
  private readonly stateEmitter = new Emitter<void>(this.onListenerError);
  readonly onDidChangeStates = this.stateEmitter.event;
  private readonly recordCache: DocumentRecordCache;
  readonly providers: ProviderSet;

  constructor(
    private readonly ports: ContextClientPorts,
    private readonly options: ClientOptions = defaultClientOptions,
  ) {
    this.recordCache = new DocumentRecordCache(options.records);
    this.providers = new ProviderSet({
      createProvider: ports.createProvider,
      handleDeps: {
        clock: ports.clock,
        secrets: ports.secrets,
        runWithTimeLimit: ports.runWithTimeLimit,
        logOf: (ref) => ports.logOf?.(ref) ?? noLog,
        isAllowed: (request) => ports.isAllowed?.(request) ?? false,
        timings: options,
        onStateChange: () => this.stateEmitter.fire(),
        onRecovered: () => this.itemsEmitter.fire(undefined),
      },
      onReload: (id) => this.retry(id),
    });
  }

  get providerStates(): readonly ProviderState[] {
    return this.providers.states;
  }

  setProviders(list: ProviderList): void {
    const ids = this.providers.replace(list);
    this.ports.onProvidersKept?.(ids);
    for (const record of this.recordCache.allRecords) record.retainProviders(ids);
    this.stateEmitter.fire();
    this.itemsEmitter.fire(undefined);
  }

  /** Requests the items of a document. Never rejects; `states` contains errors of providers. */
  async requestItems(document: ContextDocument, options: ItemRequestOptions = {}): Promise<ContextAnswer> {
    const { reason = 'hover' } = options;
    const record = this.recordCache.getOrCreate(document.uri);
    const handles = this.providers.forDocument(document.uri);
    record.resetTo(document.version);
    if (reason === 'background' && record.settleTimer) return record.combinedAnswer(handles);
    this.startRequests(document, record, reason);
    if (record.pendingRequests.size > 0) await this.waitForAnswers(record, handles, options);
    return record.version === document.version
      ? record.combinedAnswer(handles)
      : {
          uri: document.uri,
          version: document.version,
          items: ItemList.empty,
          isComplete: false,
          pendingProviders: [],
          providerNotes: [],
        };
  }

  /** Returns the known items of a document. Sends no requests to providers. */
  knownItems(uri: string): ContextAnswer | undefined {
    return this.recordCache.find(uri)?.combinedAnswer(this.providers.forDocument(uri));
  }

  /** Call for every edit, with the version that results from it. */
  documentEdited(uri: string, version: number, changes: readonly TextChange[]): void {
    const record = this.recordCache.find(uri);
    if (!record) return;
    record.applyEdit(version, changes);
    record.settleTimer?.dispose();
    record.settleTimer = this.ports.clock.setTimer(this.options.settleMs, () => {
      record.settleTimer = undefined;
      this.itemsEmitter.fire(uri);
    });
  }

  /** Call when a document is closed, because its version numbers start at 1 when it is opened again. */
  documentClosed(uri: string): void {
    this.recordCache.remove(uri);
  }

  /** Resets a provider and sends it a new request, because the user wants that or its code has changed. */
  retry(id: string): void {
    for (const record of this.recordCache.allRecords) record.markOutdated(id);
    this.providers.find(id)?.resetProvider();
    this.itemsEmitter.fire(undefined);
  }

  searchKnownItems(query: string): readonly FoundItem[] {
    return this.recordCache.allRecords.toReversed().flatMap((record) => {
      const { uri, items } = record.combinedAnswer(this.providers.forDocument(record.uri));
      return searchItems(items, query).map((item) => ({ uri, item }));
    });
  }

  dispose(): void {
    this.recordCache.clear();
    this.providers.dispose();
    this.itemsEmitter.dispose();
    this.stateEmitter.dispose();
  }

  /** Sends requests to providers that have not answered for this version and have no pending request. */
  private startRequests(document: ContextDocument, record: DocumentRecord, reason: RequestReason): void {
    const mayAsk = (handle: ProviderHandle): boolean =>
      !record.isFresh(handle.providerRef.id) &&
      !record.pendingRequests.has(handle.providerRef.id) &&
      (reason === 'explicit' || !handle.isDocumentRequestPaused);
    if (record.note !== undefined) return;
    const handles = this.providers.forDocument(document.uri).filter(mayAsk);
    if (handles.length === 0) return;
    const content = document.getText();
    if (content.length > this.options.maxDocumentLength) {
      record.setNote(
        `Context providers don’t support files with more than ${this.options.maxDocumentLength} characters.`,
      );
      return;
    }
    const question: DocumentRequest = {
      params: { uri: document.uri, version: document.version, content },
      target: new SelectableDocument(document.uri, () => content),
      lines: once(() => measureLines(content)),
    };
    for (const handle of handles) {
      const request = {
        whenEnded: Promise.resolve(),
        controller: new AbortController(),
        waiterCount: 0,
        isWantedLate: false,
      };
      record.addRequest(handle.providerRef.id, request);
      request.whenEnded = this.requestItemsFrom(handle, question, record, request);
    }
    // Computed while the providers work: requests to workers are sent in earlier microtasks.
    queueMicrotask(() => question.lines());
  }

  /** Sends one request to a provider. Never rejects. */
  private async requestItemsFrom(
    handle: ProviderHandle,
    question: DocumentRequest,
    documentRecord: DocumentRecord,
    request: PendingRequest,
  ): Promise<void> {
    const { signal } = request.controller;
    try {
      const items = await handle.documentItems(question.params, question.target, signal);
      if (signal.aborted) return;
      documentRecord.storeAnswer(handle.providerRef, fitItemsToDocument(items, question.lines()));
      this.recordCache.enforceLimits();
    } catch {
      if (signal.aborted) return;
      // The error is not logged, because it may contain a secret.
      this.ports.log.debug(
        `${handle.providerRef.title} did not answer: ${handle.state.lastError ?? 'it started over'}`,
      );
      documentRecord.removeRequest(handle.providerRef.id);
    }
    if (request.isWantedLate) this.itemsEmitter.fire(documentRecord.uri);
  }

  /**
   * Waits until all providers have answered, the deadline has passed, or the caller cancels. Requests for which nobody
   * waits any more are cancelled.
   */
  private async waitForAnswers(
    record: DocumentRecord,
    handles: readonly ProviderHandle[],
    options: ItemRequestOptions,
  ): Promise<void> {
    const requests = new Map(record.pendingRequests);
    for (const request of requests.values()) request.waiterCount++;
    const { isEnough, reason = 'hover' } = options;
    const isWorthWaiting = ({ providerRef: ref, isSlow }: ProviderHandle): boolean =>
      reason === 'hover' && !isSlow && record.pendingRequests.has(ref.id) && !record.hasAnswer(ref.id);
    const end = await this.waitForRequests(
      [...requests.values()],
      options,
      () => isEnough?.(record.combinedAnswer(handles).items) === true && !handles.some(isWorthWaiting),
    );
    for (const [id, request] of requests) {
      request.waiterCount--;
      if (end === 'deadline') request.isWantedLate = true;
      if (end === 'cancelled' && request.waiterCount === 0 && !request.isWantedLate) record.cancelRequest(id, request);
    }
  }

  private async waitForRequests(
    requests: readonly PendingRequest[],
    { reason, signal, waitMs = Infinity }: ItemRequestOptions,
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
      for (const { whenEnded } of requests) void whenEnded.then(onProgress);
    });
    const answered = Promise.all(requests.map(({ whenEnded }) => whenEnded)).then(() => 'answered' as const);
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

interface DocumentRequest {
  readonly params: ItemsParams;
  readonly target: SelectableDocument;
  readonly lines: () => LineMeasures;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
