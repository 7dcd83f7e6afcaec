import assert from 'node:assert/strict';
import type { SessionEvent, SessionEventName, EventOf } from '../../src/session/common/sessionEvents';
import type { BackendSession } from '../../src/session/common/sessionBackend';
import { systemClock } from '../../src/base/node/systemClock';
import { nullLogger } from '../../src/base/common/log';
import { disabledTrafficTap } from '../../src/wire/common/traffic';
import { AcpBackend, type AcpBackendDeps } from '../../src/acp/node/session/acpBackend';
import { RestartPolicy } from '../../src/acp/node/process/restartPolicy';
import { FakeEditor } from './fakeEditor';
import { standingOf } from './fakePermissions';
import { ScriptedAgents, type Script } from './acp/scriptedAgent';

export const cwd = '/ws';

/** A backend over agents in memory; restarts are not delayed. */
export function backendOf(script: Script, options: Partial<AcpBackendDeps> = {}) {
  const agents = new ScriptedAgents(script);
  const editor = new FakeEditor({ '/ws/a.txt': 'one\ntwo\nthree\n' });
  const { standing = standingOf() } = options;
  const clock = options.clock ?? systemClock;
  const noDelay = { delay: { firstMs: 0, maxMs: 0 }, maxCrashes: 5, windowMs: 180_000 };
  const backend = new AcpBackend({
    id: 'demo',
    title: 'Demo',
    clientInfo: { name: 'backline', title: 'Backline', version: '0.0.0' },
    editor,
    clock,
    log: nullLogger,
    tap: disabledTrafficTap,
    startAgent: agents.start,
    restartPolicy: new RestartPolicy(
      () => clock.now(),
      () => 0,
      noDelay,
    ),
    standing,
    missingFile: 'error',
    terminalEnv: { PATH: process.env['PATH'] ?? '' },
    isFolder: () => Promise.resolve(true),
    mcpServers: () => Promise.resolve([]),
    defaultFolder: () => cwd,
    ...options,
  });
  return { backend, agents, editor, standing };
}

/** Inside `describe`: the same function, whose backends are disposed after each test. */
export function useBackends(): typeof backendOf {
  const backends: AcpBackend[] = [];
  afterEach(() => {
    for (const backend of backends.splice(0)) backend.dispose();
  });
  return (script, options) => {
    const made = backendOf(script, options);
    backends.push(made.backend);
    return made;
  };
}

/** Reads a session's events as they come. */
export class Follower {
  readonly events: SessionEvent[] = [];
  private readonly counts = new Map<string, number>();
  private readonly waiting = new Set<() => void>();
  /** Settles when the session has ended. */
  readonly ended: Promise<void>;

  constructor(
    session: Pick<BackendSession, 'events'>,
    private readonly timeoutMs = 45_000,
  ) {
    this.ended = this.follow(session);
  }

  get names(): string[] {
    return this.events.map(({ event }) => event);
  }

  all<Name extends SessionEventName>(name: Name): EventOf<Name>['data'][] {
    return this.events.filter((event): event is EventOf<Name> => event.event === name).map(dataOf);
  }

  /** The data of the `nth` event (from 1) of that name, as soon as it is there. */
  async next<Name extends SessionEventName>(name: Name, nth = 1): Promise<EventOf<Name>['data']> {
    const deadline = AbortSignal.timeout(this.timeoutMs);
    deadline.addEventListener('abort', () => this.wake(), { once: true });
    for (;;) {
      if ((this.counts.get(name) ?? 0) >= nth) {
        const found = this.all(name)[nth - 1];
        if (found) return found;
      }
      if (deadline.aborted) assert.fail(`no ${name} came; the last were: ${this.names.slice(-20).join(' ')}`);
      await new Promise<void>((resolve) => {
        this.waiting.add(resolve);
      });
    }
  }

  private async follow(session: Pick<BackendSession, 'events'>): Promise<void> {
    for await (const { event } of session.events()) {
      this.events.push(event);
      this.counts.set(event.event, (this.counts.get(event.event) ?? 0) + 1);
      this.wake();
    }
  }

  private wake(): void {
    for (const resume of this.waiting) resume();
    this.waiting.clear();
  }
}

function dataOf<Event extends SessionEvent>(event: Event): Event['data'] {
  return event.data;
}

export async function open(backend: AcpBackend): Promise<{ session: BackendSession; follower: Follower }> {
  const session = await backend.createSession({ cwd });
  return { session, follower: new Follower(session) };
}
