import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import type { RunInTime } from '../../base/common/timedRun';
import type { ProviderRef } from './contextItem';
import type { Capabilities, ContextProvider, ItemsParams, ProviderSettings, SecretSource } from './contextProvider';
import { guardedCall, TakenBackError, untilTakenBack } from './guardedCall';
import { noItems, type PackedItems } from './packedItems';
import { ProviderError, type ConsentRequest } from './providerError';
import type { ProviderEntry } from './providerSettings';
import { addressOf } from './providerUri';
import { refersToSecrets, resolveSecrets, secretNames, withoutSecrets } from './secretReferences';
import { SelectorList, type SelectorTarget } from './selector';

export interface ProviderState extends ProviderRef {
  readonly status: 'notAskedYet' | 'ready' | 'failing' | 'needsConsent';
  /** Of the last call, when it failed: what went wrong and what to do. */
  readonly lastError?: string;
  /** For `needsConsent`: what the user would have to allow. */
  readonly consent?: ConsentRequest;
  /** Milliseconds since the epoch; until then it is only asked when the user wants it. */
  readonly pausedUntilMs?: number;
  /** What is odd about its selectors. */
  readonly notes: readonly string[];
}

export interface ProviderRules {
  /** After this long a call has failed, however late its answer would still be welcome. */
  readonly callTimeoutMs: number;
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  /** Who takes longer than this is slow. */
  readonly slowMs: number;
}

export const defaultProviderRules: ProviderRules = {
  callTimeoutMs: 10_000,
  firstPauseMs: 2_000,
  maxPauseMs: 5 * 60_000,
  slowMs: 500,
};

export interface HandleOptions {
  readonly clock: Clock;
  readonly secrets: SecretSource;
  readonly runInTime: RunInTime;
  /** Whether the user has allowed it; asks nobody. */
  readonly isAllowed: (request: ConsentRequest) => boolean;
  readonly rules: ProviderRules;
  /** What `state` says has changed. */
  readonly onStateChange: () => void;
  /** After it failed: it may be asked again, or answers again. */
  readonly onReturn: () => void;
}

interface Handshake {
  readonly selectors: SelectorList;
  readonly name: string | undefined;
}

/** One provider as the client sees it: what it can do, whether it may be asked now, and how its last call went. */
export class ProviderHandle implements Disposable {
  private handshake: Promise<Handshake> | undefined;
  /** Once `handshake` has succeeded. */
  private greeted: Handshake | undefined;
  private lifetime = new AbortController();
  private readonly seenSecrets = new Set<string>();
  private failures = 0;
  private pause: Disposable | undefined;
  private wasSlow = false;
  private current: ProviderState;

  constructor(
    readonly entry: ProviderEntry,
    readonly provider: ContextProvider,
    private readonly options: HandleOptions,
  ) {
    this.current = { id: entry.id, title: entry.title, status: 'notAskedYet', notes: [] };
  }

  get state(): ProviderState {
    return this.current;
  }

  get ref(): ProviderRef {
    return { id: this.current.id, title: this.current.title };
  }

  /** Whether it failed so lately that it is left alone. */
  get isPaused(): boolean {
    return this.pause !== undefined;
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
      const { selectors, name } = this.greeted ?? (await untilTakenBack(signal, this.greet()));
      const items = selectors.matches(target) ? await this.items(params, signal) : noItems();
      this.wasSlow = isSlow;
      this.succeeded(name, selectors.problems);
      return items;
    } catch (error) {
      if (!(error instanceof TakenBackError)) this.failed(error);
      throw error;
    } finally {
      timer.dispose();
    }
  }

  /** Forgets its failures and what it said of itself, and lets it go: the next question starts from the beginning. */
  reset(): void {
    this.failures = 0;
    this.wasSlow = false;
    this.endPause();
    this.lifetime.abort();
    this.lifetime = new AbortController();
    this.provider.letGo?.();
    this.handshake = undefined;
    this.greeted = undefined;
    this.setState({ status: 'notAskedYet', notes: [] });
  }

  dispose(): void {
    this.endPause();
    this.lifetime.abort();
    this.provider.dispose();
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

  private handshakeOf({ selectors, name }: Capabilities): Handshake {
    return { selectors: SelectorList.compile(selectors, this.entry.selectorMatch, this.options.runInTime), name };
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

  private call<T>(what: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, rules } = this.options;
    return guardedCall(`${this.current.title}: ${what}`, { clock, timeoutMs: rules.callTimeoutMs, signal }, work);
  }

  private succeeded(name: string | undefined, notes: readonly string[]): void {
    const isBack = this.failures > 0;
    this.failures = 0;
    this.endPause();
    const title = this.entry.id.includes('#') ? undefined : name;
    this.setState({ status: 'ready', notes, ...(title ? { title } : {}) });
    if (isBack) this.options.onReturn();
  }

  private failed(error: unknown): void {
    if (this.lifetime.signal.aborted) return;
    const { clock, rules, onReturn } = this.options;
    this.failures++;
    const pauseMs = Math.min(rules.maxPauseMs, rules.firstPauseMs * 2 ** (this.failures - 1));
    this.endPause();
    this.pause = clock.setTimer(pauseMs, () => {
      this.endPause();
      onReturn();
    });
    const consent = error instanceof ProviderError ? error.consent : undefined;
    this.setState({
      status: consent ? 'needsConsent' : 'failing',
      notes: this.current.notes,
      lastError: withoutSecrets(messageOf(error), this.seenSecrets).slice(0, 2_000),
      pausedUntilMs: clock.now() + pauseMs,
      ...(consent ? { consent } : {}),
    });
  }

  private endPause(): void {
    this.pause?.dispose();
    this.pause = undefined;
  }

  private setState(state: Omit<ProviderState, 'id' | 'title'> & { readonly title?: string }): void {
    const { id, title } = this.current;
    const next = { id, title, ...state };
    if (JSON.stringify(next) === JSON.stringify(this.current)) return;
    this.current = next;
    this.options.onStateChange();
  }
}
