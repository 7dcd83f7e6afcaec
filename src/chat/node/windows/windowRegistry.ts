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
/** How long the end of a turn is not told, in milliseconds, so that the head of the conversation is on the disk before. */
const endMs = 600;
/** How often the windows with running conversations are checked for being alive, in milliseconds. */
const checkMs = 1_000;
/** The files of a window that was killed are removed after this time. */
const leftoverAgeMs = 60 * 60_000;
const stateSuffix = '.json';

/** What a window says of itself. Only the user can read it. */
const WindowState = z.object({
  /** Requests to the window contain it. */
  token: z.string(),
  conversations: z.record(z.string(), LiveConversation),
});
type WindowState = z.infer<typeof WindowState>;

/** A window that was alive when it was checked last. */
interface LiveWindow {
  readonly state: WindowState;
  /** Held by that window while it is alive. */
  readonly lock: FileLock;
}

interface WindowRegistryDeps {
  /** Absolute path of the folder that all windows share. */
  readonly folder: string;
  /** Id of this window, unique among all windows. A file name. */
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
  private readonly others = new Map<string, LiveWindow>();
  private readonly token = randomUUID();
  private readonly lock: FileLock;
  private readonly mailbox: Mailbox;
  private readonly queue = new KeyedQueue();
  private readonly writeCoalescer: Coalescer;
  private readonly endCoalescer: Coalescer;
  private readonly readCoalescer: Coalescer;
  private readonly changedIds = new Set<string>();
  private checkTimer: Disposable | undefined;
  private conversations: LiveConversations = {};
  private handler: WindowRequestHandler | undefined;

  constructor(private readonly deps: WindowRegistryDeps) {
    const { clock, files, id, log } = deps;
    this.emitter = this.disposables.add(new Emitter<void>((error) => log.error('a listener failed', error)));
    this.onDidChange = this.emitter.event;
    this.lock = new FileLock(this.lockFileOf(id), { files, clock, onLost: () => undefined });
    this.writeCoalescer = this.disposables.add(new Coalescer(clock, burstMs, () => void this.write()));
    this.endCoalescer = this.disposables.add(new Coalescer(clock, endMs, () => void this.write()));
    this.readCoalescer = this.disposables.add(new Coalescer(clock, burstMs, () => void this.readChanged()));
    this.mailbox = this.disposables.add(
      new Mailbox({
        ...deps,
        folder: this.mailboxOf(id),
        token: this.token,
        handle: (conversation, request) => this.handle(conversation, request),
      }),
    );
  }

  /** Reads what the other windows do, and watches them. Never rejects. */
  async start(): Promise<void> {
    const { files, folder, log } = this.deps;
    try {
      await files.makeFolder(folder);
      this.disposables.add(files.watch(folder, (name) => this.noteChange(name)));
      for (const name of await files.listNames(folder)) this.noteChange(name);
      await this.readChanged();
    } catch (error) {
      log.warn(`Cannot watch the other windows: ${messageOf(error)}`);
    }
  }

  liveConversation(id: string): LiveConversation | undefined {
    for (const { state } of this.others.values()) if (state.conversations[id]) return state.conversations[id];
    return undefined;
  }

  publish(conversations: LiveConversations): void {
    const hasEnded = Object.keys(this.conversations).some((id) => !conversations[id]);
    this.conversations = conversations;
    (hasEnded ? this.endCoalescer : this.writeCoalescer).schedule();
  }

  setHandler(handler: WindowRequestHandler): void {
    this.handler = handler;
  }

  async ask(conversation: string, request: WindowRequest): Promise<void> {
    const { clock, files } = this.deps;
    const [window] = [...this.others].filter(([, { state }]) => state.conversations[conversation]);
    const token = window?.[1].state.token;
    if (!window || token === undefined) throw new ChatError('readonly', notRunningText);
    await sendToMailbox({ clock, files, folder: this.mailboxOf(window[0]) }, token, { conversation, request });
  }

  hash(text: string): string {
    return createHash('sha256').update(text).digest('hex');
  }

  /** Tells the other windows that this one has ended. Never rejects. */
  async stop(): Promise<void> {
    const { files, id } = this.deps;
    this.dispose();
    await this.queue.run('write', async () => {
      await files.remove(this.stateFileOf(id)).catch(() => undefined);
      await files.remove(this.mailboxOf(id)).catch(() => undefined);
      await this.lock.release();
    });
  }

  dispose(): void {
    this.checkTimer?.dispose();
    this.lock.dispose();
    for (const { lock } of this.others.values()) lock.dispose();
    this.others.clear();
    this.disposables.dispose();
  }

  private async handle(conversation: string, request: WindowRequest): Promise<void> {
    if (!this.handler) throw new ChatError('notFound', 'That window does not run conversations any more.');
    await this.handler(conversation, request);
  }

  /** Never rejects. */
  private async write(): Promise<void> {
    const { files, id, log } = this.deps;
    await this.queue.run('write', async () => {
      if (this.disposables.isDisposed) return;
      const { conversations, token } = this;
      try {
        await this.lock.ensureHeld();
        await this.mailbox.start();
        const state: WindowState = { token, conversations };
        await files.replace(this.stateFileOf(id), JSON.stringify(state));
      } catch (error) {
        // Where nothing can be stored, the store of conversations reports it.
        log.debug(`Cannot tell the other windows what runs here: ${messageOf(error)}`);
      }
    });
  }

  private noteChange(name: string | undefined): void {
    if (name?.endsWith(stateSuffix) !== true) return;
    const id = name.slice(0, -stateSuffix.length);
    if (id === this.deps.id) return;
    this.changedIds.add(id);
    this.readCoalescer.schedule();
  }

  /** Never rejects. */
  private async readChanged(): Promise<void> {
    await this.queue.run('read', async () => {
      const ids = [...this.changedIds];
      this.changedIds.clear();
      for (const id of ids) await this.refresh(id);
      this.noteOthers(ids.length > 0);
    });
  }

  private async refresh(id: string): Promise<void> {
    const { clock, files, log } = this.deps;
    const lock =
      this.others.get(id)?.lock ?? new FileLock(this.lockFileOf(id), { files, clock, onLost: () => undefined });
    try {
      const text = await files.read(this.stateFileOf(id));
      const state = WindowState.safeParse(parseJson(text ?? '')).data;
      if (state && (await lock.isHeldElsewhere())) {
        if (!this.disposables.isDisposed) this.others.set(id, { state, lock });
        return;
      }
      if (text !== undefined) await this.removeIfOld(id);
    } catch (error) {
      log.debug(`Cannot read what runs in another window: ${messageOf(error)}`);
    }
    lock.dispose();
    this.others.delete(id);
  }

  private noteOthers(hasChanged: boolean): void {
    if (this.disposables.isDisposed) return;
    if (hasChanged) this.emitter.fire();
    const isAnyRunning = this.runningIds.length > 0;
    if (isAnyRunning) this.checkTimer ??= this.deps.clock.setTimer(checkMs, () => void this.checkAlive());
  }

  private get runningIds(): readonly string[] {
    return [...this.others].flatMap(([id, { state }]) => (Object.keys(state.conversations).length > 0 ? id : []));
  }

  /** Forgets windows that were killed. Never rejects. */
  private async checkAlive(): Promise<void> {
    await this.queue.run('read', async () => {
      this.checkTimer = undefined;
      let hasChanged = false;
      for (const id of this.runningIds) {
        const lock = this.others.get(id)?.lock;
        // A disk that does not answer says nothing about the window.
        if (!lock || (await lock.isHeldElsewhere().catch(() => true))) continue;
        lock.dispose();
        this.others.delete(id);
        hasChanged = true;
      }
      this.noteOthers(hasChanged);
    });
  }

  /** Removes the files of a window that was killed. @throws errors of the file port */
  private async removeIfOld(id: string): Promise<void> {
    const { clock, files } = this.deps;
    const changedAt = await files.modifiedAt(this.stateFileOf(id));
    if (changedAt === undefined || clock.now() - changedAt < leftoverAgeMs) return;
    for (const file of [this.mailboxOf(id), this.lockFileOf(id), this.stateFileOf(id)]) await files.remove(file);
  }

  private stateFileOf(id: string): string {
    return path.join(this.deps.folder, `${id}${stateSuffix}`);
  }

  private lockFileOf(id: string): string {
    return path.join(this.deps.folder, `${id}.lock`);
  }

  private mailboxOf(id: string): string {
    return path.join(this.deps.folder, `${id}.mailbox`);
  }
}
