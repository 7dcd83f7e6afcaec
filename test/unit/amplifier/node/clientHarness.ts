import type { Logger } from '../../../../src/base/common/log';
import type { Clock } from '../../../../src/base/common/async';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { OpenFile, WorkspaceContext } from '../../../../src/amplifier/common/api/apiSchema';
import type { SessionEvent, SessionEventName, EventOf } from '../../../../src/session/common/sessionEvents';
import type { BackendSession } from '../../../../src/session/common/sessionBackend';
import { AmplifierBackend, type AmplifierBackendDeps } from '../../../../src/amplifier/node/client/amplifierBackend';
import { AmplifierClient } from '../../../../src/amplifier/node/client/http/amplifierClient';
import type { ClientLimits } from '../../../../src/amplifier/node/client/sessionDeps';
import { OutgoingHttp } from '../../../../src/wire/node/outgoingHttp';

/** A logger that keeps every line, for tests that look for what must not be there. */
export class MemoryLogger implements Logger {
  readonly lines: string[] = [];
  trace = (message: string): void => this.add(message);
  debug = (message: string): void => this.add(message);
  info = (message: string): void => this.add(message);
  warn = (message: string): void => this.add(message);
  error = (message: string, error?: unknown): void => this.add(`${message} ${String(error)}`);
  child = (): Logger => this;

  private add(line: string): void {
    this.lines.push(line);
  }
}

/**
 * Fast enough for tests; each test overrides what it is about. What ends a wait for the other side is long: on a busy machine
 * it would strike before what is waited for.
 */
export const quickLimits: Partial<ClientLimits> = {
  baseDelayMs: 10,
  maxDelayMs: 40,
  heartbeatMs: 60_000,
  settleMs: 50,
  reconnectGraceMs: 60_000,
  cancelGraceMs: 30_000,
  silenceMs: 60_000,
};

/** For servers in another process, which tells its status and its events at different times when the machine is busy. */
export const patientLimits: Partial<ClientLimits> = { heartbeatMs: 20_000, settleMs: 20_000 };

const patientTimeouts = { healthMs: 45_000, otherMs: 45_000, createMs: 45_000 };

/** Of a backend that has all the time it needs to end what is under way, where the product takes two seconds at most. */
export const patientStop: Clock = {
  ...systemClock,
  setTimer: (delayMs, callback) => systemClock.setTimer(delayMs === 2000 ? 45_000 : delayMs, callback),
};

export interface Harness {
  readonly backend: AmplifierBackend;
  readonly client: AmplifierClient;
  readonly log: MemoryLogger;
}

export function connectTo(url: URL, options: Partial<AmplifierBackendDeps> = {}): Harness {
  const log = new MemoryLogger();
  const client = new AmplifierClient({ http: new OutgoingHttp(), baseUrl: url, log, timeouts: patientTimeouts });
  const backend = new AmplifierBackend({
    id: 'amplifier',
    title: 'Amplifier',
    client,
    clock: systemClock,
    random: () => 0.5,
    log,
    context: { collect: () => Promise.resolve(testContext), readFiles: () => Promise.resolve<OpenFile[]>([]) },
    credentials: () => Promise.resolve(undefined),
    ...options,
    limits: { ...quickLimits, ...options.limits },
  });
  return { backend, client, log };
}

export const testContext: WorkspaceContext = { workspace_root: '/ws' };

/** Reads a session's events as they come. */
export class Recorder {
  readonly events: SessionEvent[] = [];
  hasEnded = false;
  private readonly waiting = new Set<() => void>();

  constructor(session: BackendSession) {
    void this.read(session);
  }

  /** Of a row of events with one name, one: deltas may be told together. */
  get names(): string[] {
    return this.events.map(({ event }) => event).filter((name, index, all) => name !== all[index - 1]);
  }

  all<Name extends SessionEventName>(name: Name): EventOf<Name>[] {
    return this.events.filter((event): event is EventOf<Name> => event.event === name);
  }

  /** The text of all blocks. */
  get text(): string {
    return this.all('content_block:delta')
      .map(({ data }) => data.delta)
      .join('');
  }

  /** Resolves with the `count`-th event of that name. @throws Error after three quarters of a minute */
  async next<Name extends SessionEventName>(name: Name, count = 1): Promise<EventOf<Name>> {
    await this.until(() => this.all(name).length >= count, `${count} ${name}`);
    const event = this.all(name)[count - 1];
    if (!event) throw new Error(`no ${name}`);
    return event;
  }

  async end(): Promise<void> {
    await this.until(() => this.hasEnded, 'the end');
  }

  private async until(isDone: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + 45_000;
    while (!isDone()) {
      const leftMs = deadline - Date.now();
      if (leftMs <= 0) throw new Error(`${what} did not come; there are: ${this.names.join(', ')}`);
      await new Promise<void>((resolve) => {
        const resume = (): void => {
          clearTimeout(timer);
          this.waiting.delete(resume);
          resolve();
        };
        const timer = setTimeout(resume, leftMs);
        this.waiting.add(resume);
      });
    }
  }

  private async read(session: BackendSession): Promise<void> {
    for await (const { event } of session.events()) {
      this.events.push(event);
      this.wake();
    }
    this.hasEnded = true;
    this.wake();
  }

  private wake(): void {
    for (const resume of [...this.waiting]) resume();
  }
}
