import { createHash, randomUUID } from 'node:crypto';
import * as path from 'node:path';
import * as z from 'zod';
import { Coalescer, KeyedQueue, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { Emitter, type Event } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import { parseJson } from '../../../base/common/parseJson';
import { FileLock } from '../../../base/node/fileLock';
import type { FilePort } from '../../../base/node/filePort';
import { ChatError } from '../../common/chatPorts';
import { LiveConversation, type LiveConversations } from '../../common/windows/liveConversation';
import {
  notRunningText,
  type OtherWindows,
  type WindowRequest,
  type WindowRequestHandler,
} from '../../common/windows/otherWindows';
import { Mailbox, sendToMailbox } from './mailbox';

/** How long changes are collected, in milliseconds, before they are written or read. */
const burstMs = 100;
/** How often all windows are looked at while any of them runs a conversation, in milliseconds. */
const pollMs = 1_000;
/** How long a conversation still counts as running after its end, in milliseconds. By then, its new head has been read. */
const endMs = 500;
/** The files of a window that was killed are removed after this time. */
const leftoverAgeMs = 60 * 60_000;

/** The folder with an empty file for each event that a window has told the user, named by its hash. */
const noticesName = 'notices';

/** What a window says of itself. Only the user can read it. */
const WindowState = z.object({
  /** Requests to the window contain it. */
  token: z.string(),
  conversations: z.record(z.string(), z.unknown()),
  /** Ids of conversations that it has claimed and does nothing with. Missing in earlier versions, which release none. */
  idle: z.array(z.string()).catch([]),
});

interface OtherWindow {
  readonly token: string;
  readonly conversations: LiveConversations;
  readonly idle: readonly string[];
  /** Held by that window while it is alive. */
  readonly lock: FileLock;
  readonly isAlive: boolean;
}

interface WindowRegistryDeps {
  /** Absolute path of the folder that all windows share. */
  readonly folder: string;
  /** Id of this window, unique among all windows. A file name without dots. */
  readonly id: string;
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The windows of the user, in a folder that all of them share: `<id>.json` is what a window says of itself, `<id>.lock` is
 * locked while it is alive, and `<id>.mailbox` has the requests of others. A window that never ran a conversation has none.
 */
export class WindowRegistry implements OtherWindows, Disposable {
  private readonly disposables = new DisposableStore();
  private readonly emitter: Emitter<void>;
  readonly onDidChange: Event<void>;
  private others: ReadonlyMap<string, OtherWindow> = new Map();
  /** Conversations that have just ended in another window, and when that was noticed. */
  private readonly ended = new Map<string, { readonly live: LiveConversation; readonly atMs: number }>();
  /** The events that this window has claimed. */
  private readonly claimed = new Set<string>();
  private readonly token = randomUUID();
  private readonly lock: FileLock;
  private readonly mailbox: Mailbox;
  private readonly queue = new KeyedQueue();
  private readonly writeCoalescer: Coalescer;
  private readonly readCoalescer: Coalescer;
  private readonly retryCoalescer: Coalescer;
  private pollTimer: Disposable | undefined;
  private conversations: LiveConversations = {};
  private idle: readonly string[] = [];
  private reported = '';
  private handler: WindowRequestHandler | undefined;

  constructor(private readonly deps: WindowRegistryDeps) {
    const { clock, files, id, log } = deps;
    const onError = (error: unknown): void => log.error('a listener failed', error);
    this.emitter = this.disposables.add(new Emitter<void>(onError));
    this.onDidChange = this.emitter.event;
    this.lock = new FileLock(this.fileOf(id, 'lock'), { files, clock, onLost: () => undefined });
    this.writeCoalescer = this.disposables.add(new Coalescer(clock, burstMs, () => void this.write()));
    this.readCoalescer = this.disposables.add(new Coalescer(clock, burstMs, () => void this.readAll()));
    this.retryCoalescer = this.disposables.add(new Coalescer(clock, pollMs, () => void this.write()));
    this.mailbox = this.disposables.add(
      new Mailbox({
        ...deps,
        folder: this.fileOf(id, 'mailbox'),
        token: this.token,
        handle: async (conversation, request) => {
          if (!this.handler) throw new ChatError('notFound', 'That window does not run conversations any more.');
          await this.handler(conversation, request);
        },
      }),
    );
  }

  /** Reads what the other windows do, and watches them. Never rejects. */
  async start(): Promise<void> {
    const { files, folder, id, log } = this.deps;
    // While an agent works, this window changes its own file several times a second.
    const onChange = (name = ''): void => {
      if (!name.startsWith(`${id}.`)) this.readCoalescer.schedule();
    };
    try {
      await files.makeFolder(folder);
      this.disposables.add(files.watch(folder, onChange));
      await this.readAll();
      void this.removeLeftovers();
    } catch (error) {
      log.debug(`Cannot watch the other windows: ${messageOf(error)}`);
    }
  }

  liveConversation(id: string): LiveConversation | undefined {
    // Asked for each conversation after each change.
    for (const { conversations, isAlive } of this.others.values()) {
      const live = isAlive ? conversations[id] : undefined;
      if (live) return live;
    }
    return this.ended.get(id)?.live;
  }

  isIdleElsewhere(id: string): boolean {
    return this.liveConversation(id) === undefined && this.ownerOf(id) !== undefined;
  }

  async askToRelease(id: string): Promise<void> {
    if (this.isIdleElsewhere(id)) await this.ask(id, { kind: 'release' });
  }

  publish(conversations: LiveConversations, idle: readonly string[]): void {
    this.conversations = conversations;
    this.idle = idle;
    this.writeCoalescer.schedule();
  }

  setHandler(handler: WindowRequestHandler): void {
    this.handler = handler;
  }

  async ask(conversation: string, request: WindowRequest): Promise<void> {
    const { clock, files } = this.deps;
    const [id, window] = this.ownerOf(conversation) ?? [];
    if (id === undefined || !window) throw new ChatError('readonly', notRunningText);
    const mailbox = { clock, files, folder: this.fileOf(id, 'mailbox') };
    await sendToMailbox(mailbox, window.token, { conversation, request });
  }

  async claimNotice(event: string): Promise<boolean> {
    const { files, folder } = this.deps;
    if (this.claimed.has(event)) return true;
    const notices = path.join(folder, noticesName);
    try {
      await files.makeFolder(notices);
      const isFirst = await files.createNew(path.join(notices, this.hash(event)), '');
      if (isFirst) this.claimed.add(event);
      return isFirst;
    } catch {
      // It is better told twice than never.
      return true;
    }
  }

  readonly hash = (text: string): string => createHash('sha256').update(text).digest('hex');

  /** Tells the other windows that this one has ended. Never rejects. */
  async stop(): Promise<void> {
    const { files, id } = this.deps;
    this.dispose();
    await this.queue.run('write', async () => {
      for (const kind of ['json', 'mailbox'] as const) await files.remove(this.fileOf(id, kind)).catch(() => undefined);
      await this.lock.release();
    });
  }

  dispose(): void {
    this.pollTimer?.dispose();
    this.lock.dispose();
    for (const { lock } of this.others.values()) lock.dispose();
    this.others = new Map();
    this.disposables.dispose();
  }

  private ownerOf(conversation: string): readonly [id: string, OtherWindow] | undefined {
    const alive = [...this.others].filter(([, { isAlive }]) => isAlive);
    // A window that has just released it may still be known as its writer.
    return (
      alive.find(([, { conversations }]) => conversations[conversation]) ??
      alive.find(([, { idle }]) => idle.includes(conversation))
    );
  }

  /** Writes what this window does, and tries again if it fails. Never rejects. */
  private async write(): Promise<void> {
    const { files, folder, id, log } = this.deps;
    this.retryCoalescer.dispose();
    await this.queue.run('write', async () => {
      if (this.disposables.isDisposed) return;
      const { conversations, idle, token } = this;
      try {
        await files.makeFolder(folder);
        // If the mailbox is missing, the lock may be, too.
        if (await this.mailbox.ensureOpen()) await this.lock.acquire();
        else await this.lock.ensureHeld();
        await files.replace(this.fileOf(id, 'json'), JSON.stringify({ token, conversations, idle }));
        this.pollWhileAnyRuns();
      } catch (error) {
        // Where nothing can be stored, the store of conversations reports it.
        log.debug(`Cannot tell the other windows what runs here: ${messageOf(error)}`);
        this.writeLater();
      }
    });
  }

  private writeLater(): void {
    if (!this.disposables.isDisposed) this.retryCoalescer.schedule();
  }

  /** Reads all windows, which are few. Never rejects. */
  private async readAll(): Promise<void> {
    await this.queue.run('read', async () => {
      const names = await this.deps.files.listNames(this.deps.folder).catch(() => undefined);
      // A disk that does not answer says nothing about the windows.
      if (!names) return;
      const ids = idsIn(names.filter((name) => name.endsWith('.json'))).filter((id) => id !== this.deps.id);
      const read = await Promise.all(ids.map(async (id) => [id, await this.readWindow(id)] as const));
      const others = new Map(read.flatMap(([id, window]) => (window ? [[id, window] as const] : [])));
      if (this.disposables.isDisposed) {
        for (const { lock } of others.values()) lock.dispose();
        return;
      }
      for (const [id, { lock }] of this.others) if (!others.has(id)) lock.dispose();
      this.noteEnded(others);
      this.others = others;
      this.reportChanges();
    });
    this.pollWhileAnyRuns();
  }

  /** Undefined if there is no such window. If it cannot be read, what is known of it stays. */
  private async readWindow(id: string): Promise<OtherWindow | undefined> {
    const { clock, files } = this.deps;
    const known = this.others.get(id);
    const lock = known?.lock ?? new FileLock(this.fileOf(id, 'lock'), { files, clock, onLost: () => undefined });
    try {
      const text = await files.read(this.fileOf(id, 'json'));
      const isAlive = await lock.isHeldElsewhere();
      const state = WindowState.safeParse(parseJson(text ?? '')).data;
      if (state) return { ...state, conversations: readConversations(state.conversations), lock, isAlive };
      if (text !== undefined && known) return { ...known, isAlive };
    } catch {
      if (known) return known;
    }
    lock.dispose();
    return undefined;
  }

  /** Remembers what a living window has just ended. If its window was killed, a conversation is interrupted at once. */
  private noteEnded(now: ReadonlyMap<string, OtherWindow>): void {
    const atMs = this.deps.clock.monotonicNow();
    for (const [id, { conversations, isAlive }] of this.others) {
      if (!isAlive || now.get(id)?.isAlive !== true) continue;
      for (const [conversation, live] of Object.entries(conversations)) {
        if (now.get(id)?.conversations[conversation]) continue;
        this.ended.set(conversation, { live: { state: 'busy', turn: live.turn }, atMs });
      }
    }
  }

  private reportChanges(): void {
    const nowMs = this.deps.clock.monotonicNow();
    for (const [id, { atMs }] of this.ended) if (nowMs - atMs >= endMs) this.ended.delete(id);
    const alive = [...this.others.values()].filter(({ isAlive }) => isAlive);
    const live = alive.flatMap(({ conversations }) => Object.entries(conversations));
    const reported = JSON.stringify([live, alive.map(({ idle }) => idle), [...this.ended.keys()]]);
    if (reported === this.reported) return;
    this.reported = reported;
    this.emitter.fire();
  }

  /** Also for what the system does not report: the end of a process, and changes on network drives. */
  private pollWhileAnyRuns(): void {
    if (this.disposables.isDisposed) return;
    const isRunning = Object.keys(this.conversations).length > 0;
    const isAnyRunning = [...this.others.values()].some(
      ({ conversations, isAlive }) => isAlive && Object.keys(conversations).length > 0,
    );
    if (!isRunning && !isAnyRunning && this.ended.size === 0) return;
    this.pollTimer ??= this.deps.clock.setTimer(this.ended.size > 0 ? endMs : pollMs, () => {
      this.pollTimer = undefined;
      if (isRunning) void this.mailbox.receive();
      void this.readAll();
    });
  }

  /** Removes the files of windows that were killed. Never rejects. */
  private async removeLeftovers(): Promise<void> {
    const { clock, files, folder, id: own, log } = this.deps;
    try {
      const names = await files.listNames(folder);
      for (const id of idsIn(names)) {
        if (id === own || this.others.get(id)?.isAlive === true) continue;
        const left = names.filter((name) => name.startsWith(`${id}.`)).map((name) => path.join(folder, name));
        // A living window renews its lock, also if nothing else changes.
        const times = await Promise.all(left.map((file) => files.modifiedAt(file)));
        if (times.some((time) => time !== undefined && clock.now() - time < leftoverAgeMs)) continue;
        for (const file of left) await files.remove(file);
      }
      const notices = path.join(folder, noticesName);
      for (const name of await files.listNames(notices)) {
        const toldAt = await files.modifiedAt(path.join(notices, name));
        if (toldAt !== undefined && clock.now() - toldAt > leftoverAgeMs) await files.remove(path.join(notices, name));
      }
    } catch (error) {
      log.debug(`Cannot remove the files of windows that have ended: ${messageOf(error)}`);
    }
  }

  private fileOf(id: string, kind: 'json' | 'lock' | 'mailbox'): string {
    return path.join(this.deps.folder, `${id}.${kind}`);
  }
}

function idsIn(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => name.slice(0, name.indexOf('.'))))].filter((id) => id !== '');
}

/** Leaves out what a later version may say in another form. */
function readConversations(stored: Readonly<Record<string, unknown>>): LiveConversations {
  return Object.fromEntries(
    Object.entries(stored).flatMap(([id, value]) => {
      const { data } = LiveConversation.safeParse(value);
      return data ? [[id, data]] : [];
    }),
  );
}
