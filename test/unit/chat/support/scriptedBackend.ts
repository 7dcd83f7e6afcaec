import type { BackendRegistry } from '../../../../src/session/common/backendRegistry';
import { Emitter } from '../../../../src/base/common/event';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import { SessionEngine } from '../../../../src/session/common/engine/sessionEngine';
import {
  BackendError,
  type BackendSession,
  type BackendState,
  type PromptInput,
  type SessionBackend,
} from '../../../../src/session/common/sessionBackend';
import { isPromptTurn, whenTurnEnds } from '../../../../src/session/common/sessionTurn';
import type { SessionEvent } from '../../../../src/session/common/sessionEvents';

const rethrow = (error: unknown): void => {
  throw error;
};

const options = [
  { name: 'Allow', kind: 'allow_once' as const },
  { name: 'Deny', kind: 'reject_once' as const },
];

/** A session with the real engine, whose agent does one step at a time when it is told to. */
export class ScriptedSession implements BackendSession {
  readonly config = [];
  readonly commands = [];
  readonly prompts: string[] = [];
  /** What the agent has got for each approval, by the number of the approval. */
  readonly answers = new Map<number, string[]>();
  private readonly engine: SessionEngine;
  private readonly undelivered: PromiseWithResolvers<void>[] = [];
  private readonly unanswered: {
    readonly text: string;
    readonly answer: PromiseWithResolvers<'joined' | 'noTurn'>;
    isTaken: boolean;
  }[] = [];
  /** Prompts that have joined the turn and that the model has not got yet. They are lost if the turn breaks off. */
  private readonly unread: string[] = [];
  private turnEnd: PromiseWithResolvers<void> | undefined;
  private asked = 0;
  private callCount = 0;

  constructor(readonly id: string) {
    const tools = { clock: systemClock, log: nullLogger, yieldToOthers: () => new Promise<void>(setImmediate) };
    this.engine = new SessionEngine({ id, ...tools });
  }

  get turn() {
    return this.engine.turn;
  }

  get onDidChangeTurn() {
    return this.engine.onDidChangeTurn;
  }

  get isClosed(): boolean {
    return this.engine.turns.state.isClosed;
  }

  get isAsking(): boolean {
    return this.engine.approvals.isAsking;
  }

  readonly events: BackendSession['events'] = (how) => this.engine.events(how);

  async sendPrompt({ text }: PromptInput): Promise<{ requestId: string }> {
    const delivery: PromiseWithResolvers<void> = Promise.withResolvers();
    this.undelivered.push(delivery);
    await delivery.promise;
    if (this.isClosed) throw new BackendError('closed', 'The session has ended.');
    if (isPromptTurn(this.turn)) throw new BackendError('busy', 'The agent is working.');
    this.prompts.push(text);
    const requestId = `${this.id}/${this.prompts.length}`;
    this.engine.turns.apply({ type: 'prompted', requestId });
    const end: PromiseWithResolvers<void> = Promise.withResolvers();
    this.turnEnd = end;
    this.engine.turns.startWork(() => end.promise);
    this.report({ event: 'prompt:submit', data: { session_id: this.id, prompt: text, request_id: requestId } });
    return { requestId };
  }

  /** Asks to take a prompt into the turn. The agent answers when it is told to. */
  readonly steer = async ({ text }: PromptInput): Promise<'joined' | 'noTurn'> => {
    if (this.isClosed) throw new BackendError('closed', 'The session has ended.');
    const answer: PromiseWithResolvers<'joined' | 'noTurn'> = Promise.withResolvers();
    this.unanswered.push({ text, answer, isTaken: false });
    return await answer.promise;
  };

  get hasSteeringOnItsWay(): boolean {
    return this.unanswered.length > 0;
  }

  /** The agent takes the oldest prompt that is to join the turn, if it runs, and says so later, or never. */
  takeSteered(): void {
    const [first] = this.unanswered;
    if (!first || first.isTaken || this.turn !== 'own' || this.isCanceled) return;
    first.isTaken = true;
    this.unread.push(first.text);
  }

  answerSteering(isRefused: boolean): void {
    if (!isRefused) this.takeSteered();
    const first = this.unanswered.shift();
    if (first?.isTaken === true) first.answer.resolve('joined');
    else if (isRefused) first?.answer.reject(new BackendError('backend', 'The agent has refused it.'));
    else first?.answer.resolve('noTurn');
  }

  get hasPromptOnItsWay(): boolean {
    return this.undelivered.length > 0;
  }

  /** The oldest prompt on its way arrives, or is refused. */
  deliver(isRefused: boolean): void {
    const delivery = this.undelivered.shift();
    if (isRefused) delivery?.reject(new BackendError('backend', 'The agent has refused the prompt.'));
    else delivery?.resolve();
  }

  say(text: string): void {
    this.read();
    if (this.turn === 'none') this.engine.turns.apply({ type: 'acted' });
    this.report({ event: 'content_block:delta', data: { session_id: this.id, block_index: 0, delta: text } });
  }

  /** Runs a call of a tool from its start to its end. */
  callTool(): void {
    this.read();
    if (this.turn === 'none') this.engine.turns.apply({ type: 'acted' });
    this.callCount++;
    this.report({ event: 'tool:pre', data: { ...this.lastCall(), input: {}, kind: 'execute' } });
    this.report({ event: 'tool:post', data: { ...this.lastCall(), result: { success: true } } });
  }

  /** Says more of a call that has ended, perhaps in an earlier turn. */
  updateEndedCall(): void {
    if (this.callCount === 0) return;
    this.report({ event: 'tool:post', data: { ...this.lastCall(), result: { success: false } } });
  }

  ask(): void {
    const number = ++this.asked;
    const note = (answer: string): void => void this.answers.set(number, [...(this.answers.get(number) ?? []), answer]);
    void this.engine.approvals.ask({ prompt: `May I ${number}?`, options, context: {} }).then((answer) => {
      note(answer && 'chosen' in answer ? answer.chosen.name : 'none');
    });
  }

  beginTurnOfOther(prompt: string): void {
    if (isPromptTurn(this.turn)) return;
    this.engine.turns.apply({ type: 'othersPrompted' });
    this.report({ event: 'prompt:submit', data: { session_id: this.id, prompt } });
  }

  end(stopReason: 'end_turn' | 'cancelled' = 'end_turn'): void {
    if (stopReason === 'end_turn') this.read();
    const data = { session_id: this.id, response: '', stop_reason: stopReason };
    this.endTurn({ event: 'prompt:complete', data });
  }

  fail(): void {
    this.endTurn({ event: 'error', data: { session_id: this.id, error: 'It broke.', code: 'backend' } });
  }

  /** Whether a turn was canceled that has not ended. */
  isCanceled = false;

  async cancel(): Promise<void> {
    if (this.turn === 'none') return;
    this.isCanceled = true;
    this.unread.length = 0;
    this.engine.approvals.withdrawAll();
    await whenTurnEnds(this);
    this.isCanceled = false;
  }

  answerApproval(id: string, option: string): Promise<void> {
    return this.engine.answerApproval(id, option);
  }

  setConfig(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.dispose();
    return Promise.resolve();
  }

  /** Whether its turn goes on in the backend without the window. */
  goesOn = false;

  /** The turn of an earlier connection still runs. */
  continueTurn(): void {
    this.engine.turns.apply({ type: 'othersPrompted' });
    this.engine.report([]);
  }

  dispose(): void {
    this.goesOn ||= isPromptTurn(this.turn) && !this.isCanceled;
    while (this.hasPromptOnItsWay) this.deliver(false);
    if (this.goesOn) this.read();
    for (const { answer } of this.unanswered.splice(0))
      answer.reject(new BackendError('closed', 'The session has ended.'));
    this.engine.end([], 'closed');
    this.turnEnd?.resolve();
  }

  /** The model gets the prompts that have joined the turn. */
  private read(): void {
    if (!this.isCanceled) this.prompts.push(...this.unread.splice(0));
  }

  private endTurn(event: SessionEvent): void {
    if (!this.engine.turns.state.open) return;
    this.unread.length = 0;
    this.engine.turns.apply({ type: 'ended' });
    this.turnEnd?.resolve();
    this.engine.reportBoundary([event]);
  }

  private lastCall() {
    return { session_id: this.id, call_id: `call-${this.callCount}`, tool_name: 'run', operation: 'run' };
  }

  private report(event: SessionEvent): void {
    this.engine.report([event]);
  }
}

/** A backend whose turns can go on without a window, as those of a server do. */
export class ScriptedBackend implements SessionBackend {
  readonly title = 'Agent one';
  readonly state: BackendState = { kind: 'ready' };
  readonly onDidChangeState = new Emitter<BackendState>(rethrow).event;

  /** `sessions`: all that the windows have had, the newest last. */
  constructor(
    readonly id: string,
    readonly sessions: ScriptedSession[],
  ) {}

  capabilities() {
    return Promise.resolve({ canLoad: true, canList: true, canDelete: true, images: false, embeddedContext: true });
  }

  createSession(): Promise<BackendSession> {
    const session = new ScriptedSession(`${this.id}-${this.sessions.length + 1}`);
    this.sessions.push(session);
    return Promise.resolve(session);
  }

  loadSession(id: string): Promise<BackendSession> {
    const session = new ScriptedSession(id);
    if (this.sessions.findLast((one) => one.id === id)?.goesOn === true) session.continueTurn();
    this.sessions.push(session);
    return Promise.resolve(session);
  }

  listSessions() {
    return Promise.resolve([]);
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
    // There is nothing to release.
  }
}

/** The backends of one window. */
export function scriptedBackends(sessions: ScriptedSession[]): BackendRegistry {
  const backend = new ScriptedBackend('one', sessions);
  return {
    onDidChange: new Emitter<void>(rethrow).event,
    list: () => Promise.resolve([{ id: 'one', title: backend.title, source: 'server', description: '' }]),
    open: () => Promise.resolve(backend),
  };
}
