import { withDeadline, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import { messageOf, TimeoutError } from '../../../base/common/errors';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { AmplifierApiError, isAmplifierApiError } from '../api/apiErrors';
import type { BackendState } from '../../../session/common/sessionBackend';

/** The last known availability of the configured server. */
export type ServerAvailability =
  | { readonly kind: 'notAsked' }
  | { readonly kind: 'answers'; readonly version?: string }
  | { readonly kind: 'unreachable' }
  /** The server requires a valid token. `message` explains what to do. */
  | { readonly kind: 'needsToken'; readonly message: string }
  /** The server does not respond correctly. `message` explains what to do. */
  | { readonly kind: 'unusable'; readonly message: string }
  /** A session has lost its server while it was in use. `message` explains what to do. */
  | { readonly kind: 'missed'; readonly message: string };

interface ServerMonitorDeps {
  /** Requests the health of the configured server. @throws AmplifierApiError, or an Error about the settings */
  readonly checkHealth: (signal: AbortSignal) => Promise<{ readonly version?: string | undefined }>;
  readonly clock: Clock;
  readonly onListenerError: (error: unknown) => void;
}

/** Delays before further checks after the start: a server that starts together with VS Code needs some time. */
const retryDelaysMs = [2000, 10_000];
const healthTimeoutMs = 3000;
/** How long a result is considered current, in milliseconds. */
const freshMs = 5000;

/** Tracks whether the server is available, without polling: at the start, on demand, and whenever it is used. */
export class ServerMonitor implements Disposable {
  private readonly emitter = new Emitter<void>((error) => this.deps.onListenerError(error));
  readonly onDidChange = this.emitter.event;
  private currentAvailability: ServerAvailability = { kind: 'notAsked' };
  private abortController = new AbortController();
  private pendingCheck: Promise<void> | undefined;
  private lastCheckAtMs: number | undefined;
  private retryTimer: Disposable | undefined;

  constructor(private readonly deps: ServerMonitorDeps) {}

  get availability(): ServerAvailability {
    return this.currentAvailability;
  }

  /** Checks the server in the settings, which may have changed. If the server is unavailable, retries a few times. */
  start(): void {
    this.stop();
    this.abortController = new AbortController();
    this.setAvailability({ kind: 'notAsked' });
    void this.checkWithRetries(this.abortController.signal, retryDelaysMs);
  }

  stop(): void {
    this.abortController.abort();
    this.pendingCheck = undefined;
    this.retryTimer?.dispose();
    this.retryTimer = undefined;
  }

  /** Starts a check unless the last result is current. Does not wait for the check. */
  checkIfStale(): void {
    const { lastCheckAtMs } = this;
    if (lastCheckAtMs === undefined || this.deps.clock.monotonicNow() - lastCheckAtMs >= freshMs) void this.check();
  }

  /** Checks the server, or waits for a check that is in progress. Never rejects. */
  check(): Promise<void> {
    const { signal } = this.abortController;
    if (signal.aborted) return Promise.resolve();
    if (this.pendingCheck) return this.pendingCheck;
    this.lastCheckAtMs = this.deps.clock.monotonicNow();
    const asking = this.checkOnce(signal).finally(() => {
      if (this.pendingCheck === asking) this.pendingCheck = undefined;
    });
    this.pendingCheck = asking;
    return asking;
  }

  /** Updates the availability from the state of a backend that uses the server. */
  updateFromBackend(state: BackendState): void {
    if (state.kind === 'ready') this.setAvailable(state.version);
    if (state.kind === 'stopped' && this.currentAvailability.kind === 'missed')
      this.setAvailability({ kind: 'unreachable' });
    if (state.kind === 'failed') this.setAvailability({ kind: 'missed', message: state.message });
    if (state.kind === 'authRequired') this.setAvailability({ kind: 'needsToken', message: state.message });
  }

  dispose(): void {
    this.stop();
    this.emitter.dispose();
  }

  private async checkWithRetries(signal: AbortSignal, [delayMs, ...later]: readonly number[]): Promise<void> {
    await this.check();
    if (signal.aborted || delayMs === undefined || this.currentAvailability.kind === 'answers') return;
    this.retryTimer = this.deps.clock.setTimer(delayMs, () => void this.checkWithRetries(signal, later));
  }

  private async checkOnce(signal: AbortSignal): Promise<void> {
    const { checkHealth, clock } = this.deps;
    try {
      const { version } = await withDeadline(clock, 'The health check', healthTimeoutMs, (late) =>
        checkHealth(AbortSignal.any([signal, late])),
      );
      if (!signal.aborted) this.setAvailable(version);
    } catch (error) {
      if (!signal.aborted && this.currentAvailability.kind !== 'missed') this.setAvailability(availabilityFrom(error));
    }
  }

  private setAvailable(version: string | undefined): void {
    this.setAvailability({ kind: 'answers', ...withoutUndefined({ version }) });
  }

  private setAvailability(availability: ServerAvailability): void {
    this.currentAvailability = availability;
    this.emitter.fire();
  }
}

function availabilityFrom(error: unknown): ServerAvailability {
  if (error instanceof TimeoutError)
    return availabilityFrom(new AmplifierApiError('TIMEOUT', 'The server did not respond in time'));
  if (!isAmplifierApiError(error)) return { kind: 'unusable', message: messageOf(error) };
  if (error.code === 'UNREACHABLE') return { kind: 'unreachable' };
  const { message } = error.toBackendError();
  return { kind: error.code === 'UNAUTHORIZED' ? 'needsToken' : 'unusable', message };
}
