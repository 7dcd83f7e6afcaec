import { DraftBackend } from '../../../src/acp/node/draft/draftBackend';
import type { AgentExit } from '../../../src/acp/node/process/agentProcess';
import { BackendError } from '../../../src/session/common/sessionBackend';
import { Emitter } from '../../../src/base/common/event';
import { nullLogger } from '../../../src/base/common/log';
import { TrafficLog } from '../../../src/wire/common/traffic';
import { Follower } from '../backendHarness';
import { standingOf } from '../fakePermissions';
import { duplexPair } from './duplex';
import { FakeClock } from '../fakeClock';
import { FakeEditor } from '../fakeEditor';
import { RawPeer } from './rawPeer';

export const draftOptions = { cwd: '/ws' };
export const draftText = (chunk: string) => ({ type: 'text', chunk });
export const draftMessage = (role: string, text: string) => ({ role, chunks: [draftText(text)] });

export const isBackendError = (code: string) => (error: unknown) =>
  error instanceof BackendError && error.code === code;

/** A draft backend over agents in memory that a test speaks for; `/ws/a.ts` holds `a`. */
export class DraftHarness {
  readonly agents: RawPeer[] = [];
  readonly clock = new FakeClock();
  readonly editor = new FakeEditor({ '/ws/a.ts': 'a' });
  readonly tap = new TrafficLog(
    () => 0,
    1000,
    () => undefined,
  );
  readonly backend: DraftBackend;
  stops = 0;
  kills = 0;
  /** Settles when an agent that is being stopped is gone. */
  stopping: Promise<void> = Promise.resolve();
  private ids = 0;

  /** `prepare` is what each agent can do as soon as it is started. */
  constructor(
    public prepare: (agent: RawPeer) => void,
    standing = standingOf(),
  ) {
    const { clock, editor, tap } = this;
    this.backend = new DraftBackend({
      id: 'old',
      title: 'Old agent',
      startAgent: () => this.start(),
      editor,
      standing,
      clock,
      createId: () => `id-${++this.ids}`,
      tap,
      log: nullLogger,
    });
  }

  agentAt(index: number): RawPeer {
    const agent = this.agents[index];
    if (!agent) throw new Error(`There is no agent ${index}`);
    return agent;
  }

  async open() {
    const session = await this.backend.createSession(draftOptions);
    return { agent: this.agentAt(this.agents.length - 1), session, follower: new Follower(session) };
  }

  private start() {
    const [ours, theirs] = duplexPair();
    const agent = new RawPeer(theirs);
    this.agents.push(agent);
    this.prepare(agent);
    const exits = new Emitter<AgentExit>(() => undefined);
    theirs.onDidClose(() => exits.fire({ code: 139, signal: null, stderrTail: '' }));
    return Promise.resolve({
      stream: ours,
      onDidExit: exits.event,
      stderrTail: () => 'Segmentation fault',
      stop: () => {
        this.stops++;
        return this.stopping;
      },
      killNow: () => {
        this.kills++;
      },
    });
  }
}
