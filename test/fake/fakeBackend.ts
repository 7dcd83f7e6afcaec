import { EventLog } from '../../src/session/common/eventLog';
import type { SessionEvent } from '../../src/session/common/sessionEvents';
import {
  BackendError,
  type BackendSession,
  type BackendState,
  type CreateSessionOptions,
  type PromptInput,
  type SequencedEvent,
  type SessionBackend,
} from '../../src/session/common/sessionBackend';
import { Emitter } from '../../src/base/common/event';
import type { SessionTurn } from '../../src/session/common/sessionTurn';

/** The turn of a fake session, which the test sets. */
export class FakeTurn {
  private current: SessionTurn = 'none';
  private readonly emitter = new Emitter<void>((error) => {
    throw error;
  });
  readonly onDidChangeTurn = this.emitter.event;

  get turn(): SessionTurn {
    return this.current;
  }

  set turn(turn: SessionTurn) {
    this.current = turn;
    this.emitter.fire();
  }
}

/** A session whose events the test tells. */
export class FakeSession extends FakeTurn implements BackendSession {
  readonly config = [];
  readonly commands = [];
  private readonly log = new EventLog(() => Promise.resolve());

  constructor(readonly id: string) {
    super();
  }

  tell(event: SessionEvent): void {
    this.log.append(event);
  }

  events(options: { afterSequence?: number; signal?: AbortSignal } = {}): AsyncIterable<SequencedEvent> {
    return this.log.read(options);
  }

  sendPrompt({ text }: PromptInput): Promise<{ requestId: string }> {
    return Promise.reject(new BackendError('unsupported', `A fake takes no prompts: ${text}`));
  }

  cancel(): Promise<void> {
    return Promise.resolve();
  }

  answerApproval(): Promise<void> {
    return Promise.resolve();
  }

  setConfig(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.dispose();
    return Promise.resolve();
  }

  dispose(): void {
    this.turn = 'none';
    this.log.end();
  }
}

/** A backend that opens fake sessions and notes what becomes of it. */
export class FakeBackend implements SessionBackend {
  readonly title = 'Fake';
  readonly sessions: FakeSession[] = [];
  readonly calls: string[] = [];
  readonly created: CreateSessionOptions[] = [];
  state: BackendState = { kind: 'stopped' };
  private readonly emitter = new Emitter<BackendState>((error) => {
    throw error;
  });

  constructor(readonly id: string) {}

  readonly onDidChangeState = this.emitter.event;

  change(state: BackendState): void {
    this.state = state;
    this.emitter.fire(state);
  }

  capabilities() {
    return Promise.resolve({ canLoad: true, canList: true, canDelete: true, images: false, embeddedContext: true });
  }

  createSession(options: CreateSessionOptions): Promise<FakeSession> {
    this.created.push(options);
    return this.loadSession(`session-${this.sessions.length + 1}`);
  }

  loadSession(id: string): Promise<FakeSession> {
    const session = new FakeSession(id);
    this.sessions.push(session);
    return Promise.resolve(session);
  }

  listSessions() {
    return Promise.resolve(this.sessions.map(({ id }) => ({ id })));
  }

  deleteSession(id: string): Promise<void> {
    this.calls.push(`delete ${id}`);
    return Promise.resolve();
  }

  retire(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.calls.push('stop');
    return Promise.resolve();
  }

  dispose(): void {
    this.calls.push('dispose');
  }
}
