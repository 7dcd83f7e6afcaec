import { raceSignal, type Clock } from '../../../base/common/async';
import type { Backoff } from '../../../base/common/backoff';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { RunWithTimeLimit } from '../../../base/common/runWithTimeLimit';
import type { ProviderRef } from '../items/contextItem';
import type {
  ProviderAbilities,
  ProviderCapabilities,
  ContextProvider,
  ItemsParams,
  ProviderSettings,
  SecretSource,
} from './contextProvider';
import { callWithTimeout, RequestCancelledError } from './callWithTimeout';
import type { LookupTarget, Mention, MentionsParams } from '../ai/providerMention';
import { emptyPackedItems, type PackedItems } from '../items/packedItems';
import { ProviderError, type ConsentRequest, type RememberedConsentRequest } from './providerError';
import { ProviderHealth } from './providerHealth';
import type { ProviderEntry } from './providerSettings';
import { providerAddress } from './providerUri';
import { refersToSecrets, resolveSecrets, secretNames, redactSecrets } from './secretReferences';
import { SelectorList, type SelectableDocument } from './selector';

export interface ProviderState extends ProviderRef {
  readonly status: 'notAskedYet' | 'ready' | 'failing' | 'needsConsent';
  /** The error of the last call if it failed, with advice. */
  readonly lastError?: string;
  /** With `needsConsent`, the request that the user must allow. Otherwise, a request to allow a new version. */
  readonly consent?: ConsentRequest;
  /** Whether the last call failed because a secret is missing. */
  readonly isSecretMissing?: boolean;
  /** End of a pause, in milliseconds since the epoch. Until then, only explicit requests of the user are sent. */
  readonly pausedUntilMs?: number;
  /** Problems with the provider's selectors, and how it runs. */
  readonly notes: readonly string[];
  /** The abilities of the provider. Absent before the handshake. */
  readonly abilities?: ProviderAbilities;
}

export interface ProviderTimings {
  /** Time limit of a call, in milliseconds. A call that takes longer fails. */
  readonly callTimeoutMs: number;
  /** Duration of a call in milliseconds above which a provider is considered slow. */
  readonly slowMs: number;
  /** How long to pause after failures. */
  readonly pause: Backoff;
}

export const defaultProviderTimings: ProviderTimings = {
  callTimeoutMs: 10_000,
  slowMs: 500,
  pause: { firstMs: 2_000, maxMs: 5 * 60_000 },
};

/** The log that the author of a provider can open. */
export interface ProviderLog extends Disposable {
  debug(line: string): void;
  info(line: string): void;
  error(line: string): void;
}

export interface ProviderHandleDeps {
  readonly clock: Clock;
  readonly secrets: SecretSource;
  readonly runWithTimeLimit: RunWithTimeLimit;
  readonly logOf: (ref: ProviderRef) => ProviderLog;
  /** Whether the user has already allowed a request. */
  readonly isAllowed: (request: RememberedConsentRequest) => boolean;
  readonly timings: ProviderTimings;
  /** Called when `state` has changed. */
  readonly onStateChange: () => void;
  /** Called when a provider that has failed may be tried again, or has answered again. */
  readonly onRecovered: () => void;
}

interface Handshake {
  readonly selectors: SelectorList;
  readonly name: string | undefined;
  readonly abilities: ProviderAbilities;
}

/** One provider from the client's view: its abilities, its pauses, and the results of its last calls. */
export class ProviderHandle implements Disposable {
  private pendingHandshake: Promise<Handshake> | undefined;
  /** The result of `handshake` after it has succeeded. */
  private completedHandshake: Handshake | undefined;
  private resetController = new AbortController();
  private readonly seenSecrets = new Set<string>();
  /** The results of requests about documents. */
  private readonly documentHealth: ProviderHealth;
  /** The results of mentions and lookups, which may fail independently of requests about documents. */
  private readonly lookupHealth: ProviderHealth;
  private readonly log: ProviderLog;
  private readonly printSubscription: Disposable | undefined;
  private isLastCallSlow = false;
  private isDisposed = false;
  private currentState: ProviderState;

  constructor(
    readonly entry: ProviderEntry,
    readonly provider: ContextProvider,
    private readonly deps: ProviderHandleDeps,
  ) {
    const { clock, timings, onRecovered } = deps;
    this.documentHealth = new ProviderHealth(clock, timings.pause, onRecovered);
    this.lookupHealth = new ProviderHealth(clock, timings.pause, () => undefined);
    this.currentState = { id: entry.id, title: entry.title, status: 'notAskedYet', notes: [] };
    this.log = deps.logOf(this.providerRef);
    this.printSubscription = provider.onDidPrint?.((line) => this.log.info(redactSecrets(line, this.seenSecrets)));
  }

  get state(): ProviderState {
    return this.currentState;
  }

  get providerRef(): ProviderRef {
    return { id: this.currentState.id, title: this.currentState.title };
  }

  /** Whether requests about documents are paused after a failure. */
  get isDocumentRequestPaused(): boolean {
    return this.documentHealth.isPaused;
  }

  /** Whether mentions and lookups are paused after a failure. */
  get isLookupPaused(): boolean {
    return this.lookupHealth.isPaused;
  }

  /** Whether its current or last call is slow, so that a caller with other items need not wait for it. */
  get isSlow(): boolean {
    return this.isLastCallSlow;
  }

  /** Returns its items for a document. Empty if its selectors exclude it. @throws errors of provider and settings */
  async documentItems(params: ItemsParams, target: SelectableDocument, signal: AbortSignal): Promise<PackedItems> {
    const { clock, timings } = this.deps;
    let isSlow = false;
    const timer = clock.setTimer(timings.slowMs, () => (this.isLastCallSlow = isSlow = true));
    try {
      return await this.untilAnswered(this.documentHealth, signal, async (untilReset) => {
        const { selectors, abilities } = await this.greeted(untilReset);
        const isWanted = abilities.annotations && selectors.matches(target);
        const items = isWanted ? await this.requestItems(params, untilReset) : emptyPackedItems();
        this.isLastCallSlow = isSlow;
        return items;
      });
    } finally {
      timer.dispose();
    }
  }

  /** Returns its mentions. Undefined if it does not support mentions. @throws errors of provider and settings */
  async mentions(params: MentionsParams, signal: AbortSignal): Promise<readonly Mention[] | undefined> {
    return await this.callLookup('mentions', signal, (settings, inTime) =>
      this.provider.mentions(params, settings, inTime),
    );
  }

  /**
   * Returns its items for a mention or query. Undefined if it does not support lookups. @throws errors of the provider
   * and its settings
   */
  async lookUpItems(lookup: LookupTarget, signal: AbortSignal): Promise<PackedItems | undefined> {
    return await this.callLookup('items', signal, (settings, inTime) =>
      this.provider.lookUpItems(lookup, settings, inTime),
    );
  }

  /** Clears failures and the handshake, and stops the provider. The next request starts it again. */
  resetProvider(): void {
    this.isLastCallSlow = false;
    this.documentHealth.reset();
    this.lookupHealth.reset();
    this.resetController.abort();
    this.resetController = new AbortController();
    this.provider.unload?.();
    this.pendingHandshake = undefined;
    this.completedHandshake = undefined;
    const { id, title } = this.currentState;
    this.setState({ id, title, status: 'notAskedYet', notes: [] });
  }

  dispose(): void {
    this.isDisposed = true;
    this.documentHealth.dispose();
    this.lookupHealth.dispose();
    this.resetController.abort();
    this.provider.dispose();
    this.printSubscription?.dispose();
    this.log.dispose();
  }

  private async callLookup<T>(
    ability: 'mentions' | 'items',
    signal: AbortSignal,
    work: (settings: ProviderSettings, signal: AbortSignal) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    return await this.untilAnswered(this.lookupHealth, signal, async (untilReset) => {
      const { abilities } = await this.greeted(untilReset);
      if (!abilities[ability]) return undefined;
      const found = await this.callProvider(ability, untilReset, async (inTime) =>
        work(await this.resolveSettings(), inTime),
      );
      if (found === undefined && this.completedHandshake)
        this.completedHandshake = {
          ...this.completedHandshake,
          abilities: { ...this.completedHandshake.abilities, [ability]: false },
        };
      return found;
    });
  }

  /**
   * Performs a request, and again if the provider is reset meanwhile, because its code may have changed just then. Each
   * reset is an act of the user or a changed file.
   */
  private async untilAnswered<T>(
    health: ProviderHealth,
    signal: AbortSignal,
    request: (untilReset: AbortSignal) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      const reset = this.resetController.signal;
      try {
        const answer = await request(AbortSignal.any([signal, reset]));
        this.recordSuccess(health);
        return answer;
      } catch (error) {
        const isRepeated = reset.aborted && !signal.aborted && !this.isDisposed;
        if (isRepeated) continue;
        this.recordFailure(health, error);
        throw error;
      }
    }
  }

  /** Waits for the handshake, which continues if `signal` fires. */
  private async greeted(signal: AbortSignal): Promise<Handshake> {
    return this.completedHandshake ?? (await raceSignal(this.handshake(), signal, () => new RequestCancelledError()));
  }

  /** Performs the handshake. Concurrent requests share it. If one of them is cancelled, the handshake continues. */
  private handshake(): Promise<Handshake> {
    if (this.pendingHandshake) return this.pendingHandshake;
    const handshake = this.callProvider('capabilities', this.resetController.signal, async (signal) => {
      return this.toHandshake(await this.provider.capabilities(await this.resolveSettings(), signal));
    });
    this.pendingHandshake = handshake;
    handshake.then(
      (result) => {
        if (this.pendingHandshake === handshake) this.completedHandshake = result;
      },
      () => {
        if (this.pendingHandshake === handshake) this.pendingHandshake = undefined;
      },
    );
    return handshake;
  }

  private toHandshake({ selectors, name, abilities }: ProviderCapabilities): Handshake {
    const { selectorMatch } = this.entry;
    return { selectors: SelectorList.compile(selectors, selectorMatch, this.deps.runWithTimeLimit), name, abilities };
  }

  private requestItems(params: ItemsParams, signal: AbortSignal): Promise<PackedItems> {
    const { settings } = this.entry;
    return this.callProvider('items', signal, async (inTime) =>
      this.provider.documentItems(params, refersToSecrets(settings) ? await this.resolveSettings() : settings, inTime),
    );
  }

  /** Resolves secrets for each call, because they can change. Stores their values to remove them from all messages. */
  private async resolveSettings(): Promise<ProviderSettings> {
    const { settings, secrets } = await resolveSecrets(this.entry.settings, this.deps.secrets);
    this.assertSecretsAllowed();
    for (const secret of secrets) this.seenSecrets.add(secret);
    return settings;
  }

  /**
   * Checks that secrets in workspace settings are allowed, because these settings could combine any secret with any
   * URL.
   */
  private assertSecretsAllowed(): void {
    const { isUserDefined, settings, place } = this.entry;
    if (isUserDefined) return;
    const url = providerAddress(place);
    for (const name of secretNames(settings)) {
      const request: ConsentRequest = { kind: 'secret', url, name };
      if (this.deps.isAllowed(request)) continue;
      throw new ProviderError(`The workspace requests the secret "${name}". Allow it first.`, request);
    }
  }

  private async callProvider<T>(
    what: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { clock, timings } = this.deps;
    const guard = { clock, timeoutMs: timings.callTimeoutMs, signal };
    const startMs = clock.monotonicNow();
    const answer = await callWithTimeout(`${this.currentState.title}: ${what}`, guard, work);
    this.log.debug(`${what}: answered after ${Math.round(clock.monotonicNow() - startMs)} ms`);
    return answer;
  }

  private recordSuccess(health: ProviderHealth): void {
    health.recordSuccess();
    this.updateState();
  }

  private recordFailure(health: ProviderHealth, error: unknown): void {
    if (error instanceof RequestCancelledError || this.isDisposed) return;
    const message = redactSecrets(messageOf(error), this.seenSecrets).slice(0, 2_000);
    const details = error instanceof ProviderError ? error.details : undefined;
    this.log.error(details === undefined ? message : redactSecrets(details, this.seenSecrets));
    health.recordFailure(error, message);
    this.updateState();
  }

  private updateState(): void {
    const { completedHandshake } = this;
    const name = this.entry.id.includes('#') ? undefined : completedHandshake?.name;
    const failure = this.documentHealth.failure ?? this.lookupHealth.failure;
    const { note } = this.provider;
    const known = {
      id: this.currentState.id,
      title: name ?? this.currentState.title,
      notes: [...(note === undefined ? [] : [note]), ...(completedHandshake?.selectors.problems ?? [])],
      ...(completedHandshake ? { abilities: completedHandshake.abilities } : {}),
    };
    if (!failure) {
      const { newVersion } = this.provider;
      this.setState({ ...known, status: 'ready', ...(newVersion ? { consent: newVersion } : {}) });
      return;
    }
    const { message, ...details } = failure;
    this.setState({ ...known, status: failure.consent ? 'needsConsent' : 'failing', lastError: message, ...details });
  }

  private setState(next: ProviderState): void {
    if (JSON.stringify(next) === JSON.stringify(this.currentState)) return;
    this.currentState = next;
    this.deps.onStateChange();
  }
}
