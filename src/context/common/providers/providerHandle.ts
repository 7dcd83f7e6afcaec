import { raceSignal, type Clock } from '../../../base/common/async';
import type { Backoff } from '../../../base/common/backoff';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { RunInTime } from '../../../base/common/timedRun';
import type { ProviderRef } from '../items/contextItem';
import type {
  Abilities,
  Capabilities,
  ContextProvider,
  ItemsParams,
  ProviderSettings,
  SecretSource,
} from './contextProvider';
import { guardedCall, TakenBackError } from './guardedCall';
import type { Lookup, Mention, MentionsParams } from '../ai/providerMention';
import { noItems, type PackedItems } from '../items/packedItems';
import { ProviderError, type ConsentRequest, type RememberedRequest } from './providerError';
import { ProviderHealth } from './providerHealth';
import type { ProviderEntry } from './providerSettings';
import { addressOf } from './providerUri';
import { refersToSecrets, resolveSecrets, secretNames, withoutSecrets } from './secretReferences';
import { SelectorList, type SelectorTarget } from './selector';

export interface ProviderState extends ProviderRef {
  readonly status: 'notAskedYet' | 'ready' | 'failing' | 'needsConsent';
  /** Of the last call, when it failed: what went wrong and what to do. */
  readonly lastError?: string;
  /** For `needsConsent`: what the user would have to allow; else what could be, for a new version of its code. */
  readonly consent?: ConsentRequest;
  /** Milliseconds since the epoch; until then it is only asked when the user wants it. */
  readonly pausedUntilMs?: number;
  /** What is odd about its selectors. */
  readonly notes: readonly string[];
  /** Once it has said so. */
  readonly abilities?: Abilities;
}

export interface ProviderRules {
  /** After this long a call has failed, however late its answer would still be welcome. */
  readonly callTimeoutMs: number;
  /** Who takes longer than this is slow. */
  readonly slowMs: number;
  /** Who fails is left alone for so long. */
  readonly pause: Backoff;
}

export const defaultProviderRules: ProviderRules = {
  callTimeoutMs: 10_000,
  slowMs: 500,
  pause: { firstMs: 2_000, maxMs: 5 * 60_000 },
};

/** What the author of a provider reads. */
export interface ProviderLog extends Disposable {
  debug(line: string): void;
  info(line: string): void;
  error(line: string): void;
}

export interface HandleOptions {
  readonly clock: Clock;
  readonly secrets: SecretSource;
  readonly runInTime: RunInTime;
  readonly logOf: (ref: ProviderRef) => ProviderLog;
  /** Whether the user has allowed it; asks nobody. */
  readonly isAllowed: (request: RememberedRequest) => boolean;
  readonly rules: ProviderRules;
  /** What `state` says has changed. */
  readonly onStateChange: () => void;
  /** After it failed: it may be asked again, or answers again. */
  readonly onReturn: () => void;
}

interface Handshake {
  readonly selectors: SelectorList;
  readonly name: string | undefined;
  readonly abilities: Abilities;
}

/** One provider as the client sees it: what it can do, whether it may be asked now, and how its last calls went. */
export class ProviderHandle implements Disposable {
  private handshake: Promise<Handshake> | undefined;
  /** Once `handshake` has succeeded. */
  private greeted: Handshake | undefined;
  private lifetime = new AbortController();
  private readonly seenSecrets = new Set<string>();
  /** Of questions about documents. */
  private readonly health: ProviderHealth;
  /** Of questions about words and mentions: one kind of call may fail while the other works. */
  private readonly lookupHealth: ProviderHealth;
  private readonly log: ProviderLog;
  private readonly printing: Disposable | undefined;
  private wasSlow = false;
  private current: ProviderState;

  constructor(
    readonly entry: ProviderEntry,
    readonly provider: ContextProvider,
    private readonly options: HandleOptions,
  ) {
    const { clock, rules, onReturn } = options;
    this.health = new ProviderHealth(clock, rules.pause, onReturn);
    this.lookupHealth = new ProviderHealth(clock, rules.pause, () => undefined);
    this.current = { id: entry.id, title: entry.title, status: 'notAskedYet', notes: [] };
    this.log = options.logOf(this.ref);
    this.printing = provider.onDidPrint?.((line) => this.log.info(withoutSecrets(line, this.seenSecrets)));
  }

  get state(): ProviderState {
    return this.current;
  }

  get ref(): ProviderRef {
    return { id: this.current.id, title: this.current.title };
  }

  /** Whether it failed so lately that it is left alone. */
  get isPaused(): boolean {
    return this.health.isPaused;
  }

  /** The same for questions about words and mentions. */
  get isLookupPaused(): boolean {
    return this.lookupHealth.isPaused;
  }

  /** Whether its last call takes, or took, so long that who has something to show need not wait for it. */
  get isSlow(): boolean {
    return this.wasSlow;
  }

  /**
   * Its items for a document; none when its selectors do not want it. A provider that has said what it can do is asked
   * before this returns. @throws what the provider or its settings throw
   */
  async ask(params: ItemsParams, target: SelectorTarget, signal: AbortSignal): Promise<PackedItems> {
    const { clock, rules } = this.options;
    let isSlow = false;
    const timer = clock.setTimer(rules.slowMs, () => (this.wasSlow = isSlow = true));
    try {
      const { selectors, abilities } =
        this.greeted ?? (await raceSignal(this.greet(), signal, () => new TakenBackError()));
      const isWanted = abilities.annotations && selectors.matches(target);
      const items = isWanted ? await this.items(params, signal) : noItems();
      this.wasSlow = isSlow;
      this.succeeded(this.health);
      return items;
    } catch (error) {
      this.failed(this.health, error);
      throw error;
    } finally {
      timer.dispose();
    }
  }

  /** What it finds for words; undefined when it finds nothing by words. @throws what the provider or its settings throw */
  async mentions(params: MentionsParams, signal: AbortSignal): Promise<readonly Mention[] | undefined> {
    return await this.lookUpBy('mentions', signal, (settings, inTime) =>
      this.provider.mentions(params, settings, inTime),
    );
  }

  /** What it knows of something; undefined when it cannot be asked so. @throws what the provider or its settings throw */
  async lookUp(lookup: Lookup, signal: AbortSignal): Promise<PackedItems | undefined> {
    return await this.lookUpBy('items', signal, (settings, inTime) => this.provider.lookUp(lookup, settings, inTime));
  }

  /** Forgets its failures and what it said of itself, and lets it go: the next question starts from the beginning. */
  reset(): void {
    this.wasSlow = false;
    this.health.reset();
    this.lookupHealth.reset();
    this.lifetime.abort();
    this.lifetime = new AbortController();
    this.provider.letGo?.();
    this.handshake = undefined;
    this.greeted = undefined;
    const { id, title } = this.current;
    this.setState({ id, title, status: 'notAskedYet', notes: [] });
  }

  dispose(): void {
    this.health.dispose();
    this.lookupHealth.dispose();
    this.lifetime.abort();
    this.provider.dispose();
    this.printing?.dispose();
    this.log.dispose();
  }

  private async lookUpBy<T>(
    ability: 'mentions' | 'items',
    signal: AbortSignal,
    work: (settings: ProviderSettings, signal: AbortSignal) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    try {
      const { abilities } = this.greeted ?? (await raceSignal(this.greet(), signal, () => new TakenBackError()));
      if (!abilities[ability]) return undefined;
      const found = await this.call(ability, signal, async (inTime) => work(await this.settings(), inTime));
      if (found === undefined && this.greeted)
        this.greeted = { ...this.greeted, abilities: { ...this.greeted.abilities, [ability]: false } };
      this.succeeded(this.lookupHealth);
      return found;
    } catch (error) {
      this.failed(this.lookupHealth, error);
      throw error;
    }
  }

  /** Of nobody's question in particular: whoever asks meanwhile waits for the same answer. */
  private greet(): Promise<Handshake> {
    if (this.handshake) return this.handshake;
    const handshake = this.call('capabilities', this.lifetime.signal, async (signal) => {
      return this.handshakeOf(await this.provider.capabilities(await this.settings(), signal));
    });
    this.handshake = handshake;
    handshake.then(
      (greeted) => {
        if (this.handshake === handshake) this.greeted = greeted;
      },
      () => {
        if (this.handshake === handshake) this.handshake = undefined;
      },
    );
    return handshake;
  }

  private handshakeOf({ selectors, name, abilities }: Capabilities): Handshake {
    const { selectorMatch } = this.entry;
    return { selectors: SelectorList.compile(selectors, selectorMatch, this.options.runInTime), name, abilities };
  }

  private items(params: ItemsParams, signal: AbortSignal): Promise<PackedItems> {
    const { settings } = this.entry;
    return this.call('items', signal, async (inTime) =>
      this.provider.items(params, refersToSecrets(settings) ? await this.settings() : settings, inTime),
    );
  }

  /** Secrets are looked up for each call, since they change; what was seen of them is kept out of messages. */
  private async settings(): Promise<ProviderSettings> {
    const { settings, secrets } = await resolveSecrets(this.entry.settings, this.options.secrets);
    this.checkSecrets();
    for (const secret of secrets) this.seenSecrets.add(secret);
    return settings;
  }

  /** What the user's own settings say is the user's word; a workspace could name any secret and any address. */
  private checkSecrets(): void {
    const { isOfUser, settings, place } = this.entry;
    if (isOfUser) return;
    const url = addressOf(place);
    for (const name of secretNames(settings)) {
      const request: ConsentRequest = { kind: 'secret', url, name };
      if (this.options.isAllowed(request)) continue;
      throw new ProviderError(`The workspace wants it to have the secret "${name}". Allow it first.`, request);
    }
  }

  private async call<T>(what: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, rules } = this.options;
    const guard = { clock, timeoutMs: rules.callTimeoutMs, signal };
    const startMs = clock.monotonicNow();
    const answer = await guardedCall(`${this.current.title}: ${what}`, guard, work);
    this.log.debug(`${what}: answered after ${Math.round(clock.monotonicNow() - startMs)} ms`);
    return answer;
  }

  private succeeded(health: ProviderHealth): void {
    health.succeeded();
    this.describe();
  }

  private failed(health: ProviderHealth, error: unknown): void {
    if (error instanceof TakenBackError || this.lifetime.signal.aborted) return;
    const message = withoutSecrets(messageOf(error), this.seenSecrets).slice(0, 2_000);
    const details = error instanceof ProviderError ? error.details : undefined;
    this.log.error(details === undefined ? message : withoutSecrets(details, this.seenSecrets));
    health.failed(error, message);
    this.describe();
  }

  private describe(): void {
    const { greeted } = this;
    const name = this.entry.id.includes('#') ? undefined : greeted?.name;
    const failure = this.health.failure ?? this.lookupHealth.failure;
    const known = {
      id: this.current.id,
      title: name ?? this.current.title,
      notes: greeted?.selectors.problems ?? this.current.notes,
      ...(greeted ? { abilities: greeted.abilities } : {}),
    };
    if (!failure) {
      const { offer } = this.provider;
      this.setState({ ...known, status: 'ready', ...(offer ? { consent: offer } : {}) });
      return;
    }
    const { message, consent, pausedUntilMs } = failure;
    const status = consent ? 'needsConsent' : 'failing';
    this.setState({ ...known, status, lastError: message, pausedUntilMs, ...(consent ? { consent } : {}) });
  }

  private setState(next: ProviderState): void {
    if (JSON.stringify(next) === JSON.stringify(this.current)) return;
    this.current = next;
    this.options.onStateChange();
  }
}
