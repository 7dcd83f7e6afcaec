import type { BackendEntry, BackendHealth, BackendRegistry } from '../../../../src/session/common/backendRegistry';
import { EventLog } from '../../../../src/session/common/eventLog';
import type { ConfigOption, SessionEvent } from '../../../../src/session/common/sessionEvents';
import {
  BackendError,
  type BackendSession,
  type BackendState,
  type CreateSessionOptions,
  type LoadSessionOptions,
  type PromptInput,
  type SessionBackend,
  type SessionSummary,
} from '../../../../src/session/common/sessionBackend';
import type { SessionTurn } from '../../../../src/session/common/sessionTurn';
import { Emitter } from '../../../../src/base/common/event';
import { FakeTurn } from '../../../fake/fakeBackend';
import { event } from './transcriptRecorder';

const rethrow = (error: unknown): void => {
  throw error;
};

/** A session whose agent is the test. */
export class ChatBackendSession extends FakeTurn implements BackendSession {
  config: readonly ConfigOption[] = [];
  readonly commands = [];
  readonly prompts: PromptInput[] = [];
  readonly calls: string[] = [];
  /** Awaited by the next prompts: throw to refuse them, wait to delay them. */
  beforePrompt: () => Promise<void> = () => Promise.resolve();
  readonly log: EventLog;

  /** Whether each turn runs a command until its end, so that the agent can have made what changes outside of editors. */
  runsCommand = false;

  /** Set for an agent that takes prompts into its turn. */
  steer: BackendSession['steer'];

  /** Set for an agent whose turn ends with the window. */
  interrupt?: () => Promise<void>;

  /** Set for an agent that can stop single calls. */
  stopCall?: (callId: string) => Promise<void>;

  /** `heard` is what its reader has of the turn that is open. */
  constructor(
    readonly id: string,
    heard = '',
  ) {
    super();
    this.log = new EventLog(() => new Promise((resolve) => setImmediate(resolve)), { textBeforeResume: heard });
  }

  tell(...events: SessionEvent[]): void {
    for (const one of events) this.log.append(one);
  }

  say(text: string): void {
    this.tell(event('content_block:delta', { block_index: 0, delta: text }));
  }

  end(response = '', stop_reason: 'end_turn' | 'cancelled' | 'interrupted' = 'end_turn'): void {
    this.turn = 'none';
    this.tell(event('prompt:complete', { response, stop_reason }));
  }

  events(options: { afterSequence?: number; signal?: AbortSignal } = {}) {
    return this.log.read(options);
  }

  async sendPrompt(input: PromptInput): Promise<{ requestId: string }> {
    await this.beforePrompt();
    this.prompts.push(input);
    this.turn = 'own';
    this.tell(event('prompt:submit', { prompt: input.text }));
    if (this.runsCommand) {
      const call_id = `command ${this.prompts.length}`;
      this.tell(event('tool:pre', { call_id, tool_name: 'run', operation: 'run', kind: 'execute', input: {} }));
    }
    return { requestId: String(this.prompts.length) };
  }

  cancel(): Promise<void> {
    this.calls.push('cancel');
    if (this.turn !== 'none') this.end('', 'cancelled');
    return Promise.resolve();
  }

  answerApproval(id: string, option: string): Promise<void> {
    this.calls.push(`approve ${id} ${option}`);
    this.tell(event('approval:granted', { approval_id: id, decision: option }));
    return Promise.resolve();
  }

  setConfig(id: string, value: string | boolean): Promise<void> {
    this.calls.push(`set ${id} ${String(value)}`);
    this.config = this.config.map((option) =>
      option.id === id && option.type === 'select' ? { ...option, value: String(value) } : option,
    );
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.calls.push('close');
    this.log.end();
    return Promise.resolve();
  }

  dispose(): void {
    this.calls.push('dispose');
    this.tell(event('session:end', { reason: 'The session was closed.' }));
    this.log.end();
  }
}

/** A backend whose sessions the test speaks for. What it is asked for is in `calls`. */
export class ChatBackend implements SessionBackend {
  isOutdated = false;
  /** Whether each turn runs a command. */
  runsCommand = false;
  readonly title: string;
  readonly sessions: ChatBackendSession[] = [];
  readonly calls: string[] = [];
  canLoad = true;
  takesInstructions = false;
  canDelete = true;
  canSetTitle = true;
  canList = true;
  summaries: SessionSummary[] = [];
  /** What a session tells when it is loaded. */
  history: SessionEvent[] = [];
  /** Awaited before a session is opened. */
  beforeSession: (signal: AbortSignal | undefined) => Promise<void> = () => Promise.resolve();
  /** The turn that runs in a session that is loaded. */
  turnWhenLoaded: SessionTurn = 'none';
  /** Called with each session that was loaded. */
  onLoaded: (session: ChatBackendSession) => void = () => undefined;
  /** Copies a session; by default the backend cannot. */
  fork: (id: string) => Promise<string | undefined> = () => Promise.resolve(undefined);
  holdsReadOnly = true;
  /** The options of each session that was created, copied or loaded, in order. */
  readonly opened: CreateSessionOptions[] = [];
  state: BackendState = { kind: 'stopped' };
  private readonly emitter = new Emitter<BackendState>(rethrow);
  readonly onDidChangeState = this.emitter.event;

  constructor(readonly id: string) {
    this.title = `Agent ${id}`;
  }

  get last(): ChatBackendSession {
    const session = this.sessions.at(-1);
    if (!session) throw new Error('There is no session yet');
    return session;
  }

  change(state: BackendState): void {
    this.state = state;
    this.emitter.fire(state);
  }

  capabilities() {
    this.change({ kind: 'ready' });
    return Promise.resolve({
      canLoad: this.canLoad,
      canList: this.canList,
      canDelete: this.canDelete,
      canSetTitle: this.canSetTitle,
      images: false,
      embeddedContext: true,
      takesInstructions: this.takesInstructions,
    });
  }

  async createSession(options: CreateSessionOptions, signal?: AbortSignal): Promise<ChatBackendSession> {
    this.calls.push('create');
    this.opened.push(options);
    await this.beforeSession(signal);
    const session = new ChatBackendSession(`${this.id}-${this.sessions.length + 1}`);
    session.runsCommand = this.runsCommand;
    this.sessions.push(session);
    return session;
  }

  async loadSession(id: string, options: LoadSessionOptions, signal?: AbortSignal): Promise<ChatBackendSession> {
    this.calls.push(`load ${id}`);
    this.opened.push(options);
    await this.beforeSession(signal);
    const session = new ChatBackendSession(id, options.receivedTurnText);
    session.runsCommand = this.runsCommand;
    session.turn = this.turnWhenLoaded;
    session.tell(...this.history);
    this.onLoaded(session);
    this.sessions.push(session);
    return session;
  }

  async forkSession(id: string, options: CreateSessionOptions): Promise<string | undefined> {
    this.calls.push(`fork ${id}`);
    this.opened.push(options);
    return await this.fork(id);
  }

  closeFork(id: string): Promise<void> {
    this.calls.push(`close ${id}`);
    return Promise.resolve();
  }

  listSessions() {
    return Promise.resolve(this.summaries);
  }

  deleteSession(id: string): Promise<void> {
    this.calls.push(`delete ${id}`);
    return Promise.resolve();
  }

  setSessionTitle(id: string, title: string): Promise<void> {
    this.calls.push(`title ${id} ${title}`);
    return Promise.resolve();
  }

  retire(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  dispose(): void {
    this.emitter.dispose();
  }
}

export class ChatBackends implements BackendRegistry {
  private readonly emitter = new Emitter<void>(rethrow);
  readonly onDidChange = this.emitter.event;
  private readonly signIns = new Emitter<string>(rethrow);
  readonly onDidSignIn = this.signIns.event;
  source: BackendEntry['source'] = 'configured';
  /** By the backend's id. */
  readonly health = new Map<string, BackendHealth>();
  backends: readonly ChatBackend[];

  constructor(...ids: string[]) {
    this.backends = ids.map((id) => new ChatBackend(id));
  }

  signIn(id: string): void {
    this.signIns.fire(id);
  }

  list() {
    const { source } = this;
    const entries = this.backends.map(({ id, title }) => {
      const health = this.health.get(id);
      return { id, title, source, description: '', ...(health && { health }) };
    });
    return Promise.resolve(entries);
  }

  open(id: string): Promise<ChatBackend> {
    const backend = this.backends.find((candidate) => candidate.id === id);
    return backend ? Promise.resolve(backend) : Promise.reject(new BackendError('notFound', 'No such agent.'));
  }
}
