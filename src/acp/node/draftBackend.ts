import type { Clock } from '../../base/common/async';
import { messageOf } from '../../base/common/errors';
import { Emitter, type Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { EventLog } from '../../amplifier/common/eventLog';
import type { AmplifierEvent } from '../../amplifier/common/events';
import {
  BackendError,
  type BackendCapabilities,
  type BackendState,
  type CreateSessionOptions,
  type SessionBackend,
  type SessionSummary,
} from '../../amplifier/common/sessionBackend';
import type { EditorPort } from '../../editor/common/editorPort';
import { witnessed, type WriteWitness } from '../../editor/common/writeWitness';
import type { TrafficTap } from '../../wire/common/traffic';
import type { Message, MessageChunk, ThreadEntry } from '../common/draftSchema';
import { MemoryThreads, textOf, type ThreadSource, type ThreadStore } from '../common/draftThreads';
import { Approvals } from '../common/approvals';
import type { RunningAgent } from './agentConnection';
import { decide } from '../common/permissionRules';
import type { IsDenied } from './draftFiles';
import { DraftLink } from './draftLink';
import { DraftSession } from './draftSession';
import { LivingAgents } from './livingAgents';
import { PermissionDesk, type RuleStore } from './permissionDesk';
import { ProposalDesk } from './proposalDesk';

export interface DraftBackendOptions {
  readonly id: string;
  readonly title: string;
  /** The backend owns the result. @throws Error with what to tell the user */
  readonly startAgent: () => Promise<RunningAgent>;
  readonly editor: EditorPort;
  /** Conversations of elsewhere that agents may read. */
  readonly threadSources?: readonly ThreadSource[];
  readonly rules: RuleStore;
  readonly witness?: WriteWitness;
  readonly clock: Clock;
  readonly createId: () => string;
  /** Lets other work run while a reader of events catches up. */
  readonly breathe: () => Promise<void>;
  readonly tap: TrafficTap;
  readonly log: Logger;
}

/** How long a question to the user stays open before it counts as denied. */
const approvalTimeoutMs = 5 * 60_000;

/** An agent that speaks the draft, as a backend. When the agent ends, so do its sessions; the next one starts it again. */
export class DraftBackend implements SessionBackend {
  readonly id: string;
  readonly title: string;
  private readonly states: Emitter<BackendState>;
  private readonly threads: MemoryThreads;
  private readonly sessions = new Map<string, DraftSession>();
  private current: BackendState = { kind: 'stopped' };
  private starting: Promise<DraftLink> | undefined;
  private live: DraftLink | undefined;
  private readonly living = new LivingAgents<DraftLink>();
  private isDisposed = false;

  constructor(private readonly options: DraftBackendOptions) {
    this.id = options.id;
    this.title = options.title;
    this.states = new Emitter((error) => options.log.error('A listener of a backend failed', error));
    const { clock, createId, log, threadSources = [] } = options;
    this.threads = new MemoryThreads({
      now: () => clock.now(),
      createId,
      sources: threadSources,
      onError: (error) => log.error('A source of threads failed', error),
      isOpen: (threadId) => this.sessions.has(threadId),
    });
  }

  get state(): BackendState {
    return this.current;
  }

  get onDidChangeState(): Event<BackendState> {
    return this.states.event;
  }

  async capabilities(): Promise<BackendCapabilities> {
    await this.connect();
    return { canLoad: true, canList: true, canDelete: false, images: false, embeddedContext: false };
  }

  /** The draft says nothing of folders: the agent works where it was started. */
  async createSession({ cwd }: CreateSessionOptions, signal?: AbortSignal): Promise<DraftSession> {
    const link = await this.connect();
    const created = await link.ifKeepsThreads('createThread', null, signal);
    return this.openSession(link, created?.threadId ?? (await this.threads.createThread()), cwd, []);
  }

  async listSessions({ signal }: { signal?: AbortSignal } = {}): Promise<readonly SessionSummary[]> {
    const link = await this.connect();
    const listed = await link.ifKeepsThreads('getThreads', null, signal);
    const threads = listed?.threads ?? (await this.threads.getThreads()).filter(({ id }) => this.threads.has(id));
    return threads.map(({ id, title, modifiedAt }) => ({ id, title, updatedAt: modifiedAt }));
  }

  async loadSession(threadId: string, { cwd }: CreateSessionOptions, signal?: AbortSignal): Promise<DraftSession> {
    const open = this.sessions.get(threadId);
    if (open) return open;
    const link = await this.connect();
    await link.ifKeepsThreads('openThread', { threadId }, signal);
    const loaded = await link.ifKeepsThreads('getThreadEntries', { threadId }, signal);
    return this.openSession(link, threadId, cwd, loaded?.entries ?? (await this.ownEntries(threadId)));
  }

  deleteSession(): Promise<void> {
    return Promise.reject(new BackendError('unsupported', 'Agents of the draft protocol cannot delete threads.'));
  }

  async stop(): Promise<void> {
    // One that is still starting is waited for: it could not be stopped otherwise.
    const link = await this.starting?.catch(() => undefined);
    if (link) this.forget(link, { kind: 'stopped' }, new BackendError('closed', `${this.title} was stopped.`));
    await this.living.stopAll();
  }

  /** Kills the agent without waiting for it. */
  dispose(): void {
    this.isDisposed = true;
    const { live } = this;
    if (live) this.forget(live, { kind: 'stopped' }, new BackendError('closed', `${this.title} was stopped.`));
    this.living.killNow();
    this.states.dispose();
  }

  private connect(): Promise<DraftLink> {
    this.starting ??= this.open().catch((error: unknown) => {
      this.starting = undefined;
      this.setState({ kind: 'failed', message: messageOf(error) });
      if (error instanceof BackendError) throw error;
      throw new BackendError('notReady', messageOf(error), undefined, { cause: error });
    });
    return this.starting;
  }

  private async open(): Promise<DraftLink> {
    const { clock, editor, log, rules, startAgent, tap, title } = this.options;
    this.setState({ kind: 'starting', message: `Starting ${title}…` });
    const agent = await startAgent();
    if (this.isDisposed) {
      agent.killNow();
      throw new Error(`${title} was stopped.`);
    }
    const isDenied: IsDenied = (kind, path) => {
      const paths = path === undefined ? [] : [path];
      return decide(rules.rules, { agent: this.id, kind, paths }) === 'deny';
    };
    const link = new DraftLink(agent, { title, editor, threads: this.threadStore(), isDenied, clock, tap, log });
    this.live = link;
    this.living.add(link);
    link.start((reason) => {
      const { message, details } = reason;
      this.forget(link, { kind: 'failed', message, ...(details === undefined ? {} : { details }) }, reason);
      void this.living.stop(link);
    });
    this.setState({ kind: 'ready' });
    return link;
  }

  /** The agent is, or will be, gone: nothing that belongs to it stays open. */
  private forget(link: DraftLink, state: BackendState, reason: BackendError): void {
    if (this.live !== link) return;
    this.live = undefined;
    this.starting = undefined;
    for (const session of [...this.sessions.values()]) session.fail(reason);
    this.setState(state);
  }

  private setState(state: BackendState): void {
    this.current = state;
    this.states.fire(state);
  }

  private openSession(link: DraftLink, threadId: string, cwd: string, history: readonly ThreadEntry[]): DraftSession {
    const { breathe, clock, createId, editor, id, log, rules, title, witness } = this.options;
    const files = witness ? witnessed(editor, witness, { backendId: id, sessionId: threadId }) : editor;
    this.threads.add(threadId, history);
    const events = new EventLog(breathe);
    const emit = (event: AmplifierEvent): void => events.append(event);
    const approvals = new Approvals(threadId, clock, approvalTimeoutMs, emit);
    const noMode = (): undefined => undefined;
    const desk = new PermissionDesk({ agentId: id, agentTitle: title, cwd, approvals, rules, log, mode: noMode });
    const session = new DraftSession({
      id: threadId,
      events,
      clock,
      createRequestId: createId,
      endsWith: link.keepsThreads ? 'result' : 'message',
      send: async (text) => {
        const message: Message = { role: 'user', chunks: [{ type: 'text', chunk: text }] };
        await this.threads.sendMessage(threadId, message);
        await link.send(threadId, message);
      },
      didClose: () => void this.sessions.delete(threadId),
      approvals,
      proposals: new ProposalDesk({ sessionId: threadId, agentId: id, cwd, editor: files, desk, emit }),
    });
    this.sessions.set(threadId, session);
    session.start(history);
    return session;
  }

  private async ownEntries(threadId: string): Promise<ThreadEntry[]> {
    try {
      return await this.threads.getThreadEntries(threadId);
    } catch (error) {
      throw new BackendError('notFound', messageOf(error), undefined, { cause: error });
    }
  }

  /** What the agent sees of the threads: what it adds to one that is open shows in its session. */
  private threadStore(): ThreadStore {
    const { threads, sessions } = this;
    return {
      getThreads: () => threads.getThreads(),
      createThread: () => threads.createThread(),
      openThread: (threadId) => threads.openThread(threadId),
      getThreadEntries: (threadId) => threads.getThreadEntries(threadId),
      async sendMessage(threadId: string, message: Message): Promise<void> {
        const session = message.role === 'assistant' ? sessions.get(threadId) : undefined;
        if (session?.receiveMessage(textOf(message)) !== false) await threads.sendMessage(threadId, message);
      },
      async streamMessageChunk(threadId: string, chunk: MessageChunk): Promise<void> {
        const session = sessions.get(threadId);
        if (session?.receiveChunk(chunk.chunk) !== false) await threads.streamMessageChunk(threadId, chunk);
      },
      didReadFile(threadId: string, path: string, content: string): void {
        sessions.get(threadId)?.didReadFile(path, content);
        threads.didReadFile(threadId, path, content);
      },
    };
  }
}
