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
  /** The error of the last call, if it failed, and what to do. */
  readonly lastError?: string;
  /** With `needsConsent`: the missing permission. Otherwise: a new version that could be allowed. */
  readonly consent?: ConsentRequest;
  /** Milliseconds since the epoch. Until then, only the user's explicit requests are sent. */
  readonly pausedUntilMs?: number;
  /** Problems with its selectors. */
  readonly notes: readonly string[];
  /** Known after the handshake. */
  readonly abilities?: Abilities;
}

export interface ProviderRules {
  /** Calls that take longer have failed. */
  readonly callTimeoutMs: number;
  /** Providers that take longer are considered slow. */
  readonly slowMs: number;
  /** Pauses after failures. */
  readonly pause: Backoff;
}

export const defaultProviderRules: ProviderRules = {
  callTimeoutMs: 10_000,
  slowMs: 500,
  pause: { firstMs: 2_000, maxMs: 5 * 60_000 },
};

/** Log for the author of a provider. */
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
  /** Whether the user has allowed a request, without asking. */
  readonly isAllowed: (request: RememberedRequest) => boolean;
  readonly rules: ProviderRules;
  /** Called when `state` has changed. */
  readonly onStateChange: () => void;
  /** Called when a failed provider may be asked again, or answers again. */
  readonly onReturn: () => void;
}

interface Handshake {
  readonly selectors: SelectorList;
  readonly name: string | undefined;
  readonly abilities: Abilities;
}

/** One provider as the client sees it: its abilities, its pauses, and how its last calls went. */
export class ProviderHandle implements Disposable {
  private handshake: Promise<Handshake> | undefined;
  /** The result of `handshake`, once it has succeeded. */
  private greeted: Handshake | undefined;
  private lifetime = new AbortController();
  private readonly seenSecrets = new Set<string>();
  /** For requests about documents. */
  private readonly health: ProviderHealth;
  /** For mentions and lookups, which may fail independently of requests about documents. */
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

  /** Whether it is paused after a failure. */
  get isPaused(): boolean {
    return this.health.isPaused;
  }

  /** Like `isPaused`, for mentions and lookups. */
  get isLookupPaused(): boolean {
    return this.lookupHealth.isPaused;
  }

  /** Whether its last call is or was slow, so that a caller with other items need not wait for it. */
  get isSlow(): boolean {
    return this.wasSlow;
  }

  /** Its items for a document; none if its selectors exclude it. @throws errors of the provider and its settings */
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

  /** Its mentions for a query; undefined if not supported. @throws errors of the provider and its settings */
  async mentions(params: MentionsParams, signal: AbortSignal): Promise<readonly Mention[] | undefined> {
    return await this.lookUpBy('mentions', signal, (settings, inTime) =>
      this.provider.mentions(params, settings, inTime),
    );
  }

  /** Its items for a mention or query; undefined if not supported. @throws errors of the provider and its settings */
  async lookUp(lookup: Lookup, signal: AbortSignal): Promise<PackedItems | undefined> {
    return await this.lookUpBy('items', signal, (settings, inTime) => this.provider.lookUp(lookup, settings, inTime));
  }

  /** Forgets failures and handshake, and stops the provider. The next request starts it again. */
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

  /** Not bound to one request: concurrent requests share the handshake. */
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

  /** Resolves secrets for each call, since they can change. They are removed from all messages. */
  private async settings(): Promise<ProviderSettings> {
    const { settings, secrets } = await resolveSecrets(this.entry.settings, this.options.secrets);
    this.checkSecrets();
    for (const secret of secrets) this.seenSecrets.add(secret);
    return settings;
  }

  /** The user's own settings need no permission. A workspace could name any secret and any URL. */
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
