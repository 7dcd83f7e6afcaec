import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { Chat, Chats } from '../chatPorts';

export interface ActiveAgent {
  /** Title of the agent. */
  readonly title: string;
  /** Whether the agent has reported a tool call that is still running. */
  readonly isCalling: boolean;
}

/** Maximum delay of file events, in milliseconds. */
const lateMs = 3_000;

/** Tracks which agents are working and may therefore have just written a file. */
export class ActiveAgents implements Disposable {
  /** When turns have ended, in milliseconds of the monotonic clock, by conversation. */
  private readonly endedAtByChat = new Map<Chat, number>();
  /** Conversations with a turn, also one whose prompt was not sent yet. A short turn can end before anything else is seen of it. */
  private readonly busyChats = new Set<Chat>();
  private listener: Disposable | undefined;

  constructor(
    private readonly chats: Pick<Chats, 'openChats' | 'onDidChange'>,
    private readonly clock: Pick<Clock, 'monotonicNow'>,
  ) {}

  start(): void {
    this.listener = this.chats.onDidChange(() => this.update());
    this.update();
  }

  /** Returns the agent that may have just written the file. */
  likelyWriterOf(path: string): ActiveAgent | undefined {
    this.update();
    const now = this.clock.monotonicNow();
    const late = [...this.endedAtByChat].flatMap(([chat, endedAt]) => (now - endedAt <= lateMs ? [chat] : []));
    const working = [...this.busyChats].filter(isWorking);
    const candidates = [...new Set([...working, ...late])];
    const known = candidates.filter(({ fileChanges }) => fileChanges.list.some((change) => change.path === path));
    const writers = known.length > 0 ? known : candidates;
    const titles = new Set(writers.map(({ view }) => view.backendTitle));
    const [title] = titles;
    if (title === undefined) return undefined;
    return { title: titles.size === 1 ? title : 'An agent', isCalling: writers.some(isCalling) };
  }

  dispose(): void {
    this.listener?.dispose();
    this.busyChats.clear();
    this.endedAtByChat.clear();
  }

  private update(): void {
    const now = this.clock.monotonicNow();
    const busy = new Set(this.chats.openChats.filter(isBusy));
    for (const chat of this.busyChats) if (!busy.has(chat)) this.endedAtByChat.set(chat, now);
    for (const [chat, endedAt] of this.endedAtByChat) if (now - endedAt > lateMs) this.endedAtByChat.delete(chat);
    this.busyChats.clear();
    for (const chat of busy) this.busyChats.add(chat);
  }
}

/** Whether the agent may be writing files, because it has received the prompt and has not finished. */
function isWorking(chat: Chat): boolean {
  return isBusy(chat) && chat.view.status !== 'starting';
}

function isBusy({ view }: Chat): boolean {
  return view.isBusy === true && view.status !== 'readonly';
}

function isCalling({ transcript }: Chat): boolean {
  // The end of a turn ends its calls.
  return transcript.entriesOfTurn().some((entry) => entry.kind === 'tool' && entry.state === 'running');
}
