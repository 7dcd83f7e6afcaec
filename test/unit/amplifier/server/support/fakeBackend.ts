import { EventLog } from '../../../../../src/session/common/eventLog';
import { SessionEvent, type ConfigOption, type SlashCommand } from '../../../../../src/session/common/sessionEvents';
import {
  BackendError,
  type BackendCapabilities,
  type BackendSession,
  type BackendState,
  type CreateSessionOptions,
  type PromptInput,
  type SequencedEvent,
  type SessionBackend,
  type SessionSummary,
} from '../../../../../src/session/common/sessionBackend';
import { FakeTurn } from '../../../../fake/fakeBackend';
import { toDisposable, type Disposable } from '../../../../../src/base/common/disposable';

/** A backend whose sessions say what a test tells them to say. */
export class FakeBackend implements SessionBackend {
  readonly sessions: FakeSession[] = [];
  state: BackendState = { kind: 'ready' };
  /** Replaced to fail, or to keep whoever asks waiting. */
  beforeCreate: (options: CreateSessionOptions, signal?: AbortSignal) => Promise<void> = () => Promise.resolve();
  afterCreate: (session: FakeSession) => void = () => undefined;

  constructor(
    readonly id = 'fake',
    readonly title = 'Fake',
  ) {}

  /** The session created last. */
  get session(): FakeSession {
    const session = this.sessions.at(-1);
    if (!session) throw new Error('The backend has no session.');
    return session;
  }

  onDidChangeState(): Disposable {
    return toDisposable(() => undefined);
  }

  capabilities(): Promise<BackendCapabilities> {
    return Promise.resolve({ canLoad: false, canList: false, canDelete: false, images: false, embeddedContext: true });
  }

  async createSession(options: CreateSessionOptions, signal?: AbortSignal): Promise<BackendSession> {
    await this.beforeCreate(options, signal);
    const session = new FakeSession(`backend-session-${this.sessions.length + 1}`, options);
    this.sessions.push(session);
    this.afterCreate(session);
    return session;
  }

  listSessions(): Promise<readonly SessionSummary[]> {
    return Promise.resolve([]);
  }

  loadSession(): Promise<BackendSession> {
    return Promise.reject(new BackendError('unsupported', 'The fake loads nothing.'));
  }

  deleteSession(): Promise<void> {
    return Promise.resolve();
  }

  retire(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  dispose(): void {
    for (const session of this.sessions) session.dispose();
  }
}

export class FakeSession extends FakeTurn implements BackendSession {
  readonly prompts: PromptInput[] = [];
  readonly answers: string[] = [];
  readonly configured: [string, string | boolean][] = [];
  config: ConfigOption[] = [];
  readonly commands: SlashCommand[] = [];
  isDisposed = false;
  cancels = 0;
  closes = 0;
  /** Thrown by what is asked next. */
  failure: Error | undefined;
  /** Awaited by `approve`. */
  beforeApprove: () => Promise<void> = () => Promise.resolve();
  /** Awaited by `setConfig`. */
  beforeSetConfig: () => Promise<void> = () => Promise.resolve();
  /** Awaited by `close`. */
  beforeClose: () => Promise<void> = () => Promise.resolve();
  private readonly log = new EventLog(() => new Promise((resolve) => setImmediate(resolve)));
  private readonly waiting = new Map<string, readonly string[]>();

  constructor(
    readonly id: string,
    readonly options: CreateSessionOptions,
  ) {
    super();
    this.emit('session:start', {});
  }

  /** `data` without the session's id. @throws ZodError for what is no event */
  emit(event: string, data: Record<string, unknown>): void {
    const whole = { session_id: this.id, ...data };
    if (event === 'prompt:complete' || event === 'error') this.turn = 'none';
    const parsed = SessionEvent.parse({ event, data: whole });
    if (parsed.event === 'approval:required') this.waiting.set(parsed.data.approval_id, parsed.data.options);
    this.log.append(parsed);
  }

  /** Asks as the API reference's example does. */
  ask(approvalId: string, more: Record<string, unknown> = {}): void {
    const options = ['Allow', 'Deny', 'Allow All'];
    this.emit('approval:required', { approval_id: approvalId, prompt: 'Allow?', options, timeout: 300, ...more });
  }

  /** The backend's own end of a question: a time-out, or the end of its turn. */
  denyByItself(approvalId: string): void {
    this.waiting.delete(approvalId);
    this.emit('approval:denied', { approval_id: approvalId, decision: 'deny', reason: 'timeout' });
  }

  /** The agent has gone. */
  endLog(): void {
    this.log.end();
  }

  events(options?: { afterSequence?: number; signal?: AbortSignal }): AsyncIterable<SequencedEvent> {
    return this.log.read(options);
  }

  sendPrompt(input: PromptInput): Promise<{ requestId: string }> {
    return this.asked(() => {
      if (this.turn !== 'none') throw new BackendError('busy', 'The fake is busy.');
      this.turn = 'own';
      this.prompts.push(input);
      const requestId = `req-${this.prompts.length}`;
      this.emit('prompt:submit', { request_id: requestId, prompt: input.text });
      return { requestId };
    });
  }

  cancel(): Promise<void> {
    return this.asked(() => {
      this.cancels++;
      if (this.turn !== 'none') this.emit('prompt:complete', { response: '', stop_reason: 'cancelled' });
    });
  }

  async answerApproval(approvalId: string, option: string): Promise<void> {
    await this.beforeApprove();
    await this.asked(() => {
      if (!this.waiting.delete(approvalId)) throw new BackendError('approvalResolved', 'Answered already.');
      this.answers.push(option);
      const isAllowed = option !== 'Deny';
      const data = { approval_id: approvalId, decision: option };
      this.emit(isAllowed ? 'approval:granted' : 'approval:denied', data);
    });
  }

  async setConfig(optionId: string, value: string | boolean): Promise<void> {
    await this.beforeSetConfig();
    await this.asked(() => void this.configured.push([optionId, value]));
  }

  async close(): Promise<void> {
    this.closes++;
    await this.beforeClose();
    this.emit('session:end', { reason: 'closed' });
    this.log.end();
  }

  dispose(): void {
    this.isDisposed = true;
    this.log.end();
  }

  private asked<T>(answer: () => T): Promise<T> {
    const { failure } = this;
    this.failure = undefined;
    if (failure) return Promise.reject(failure);
    return Promise.resolve().then(answer);
  }
}
