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
  private readonly workingChats = new Set<Chat>();
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
    const candidates = [...new Set([...this.workingChats, ...late])];
    const known = candidates.filter(({ fileChanges }) => fileChanges.list.some((change) => change.path === path));
    const writers = known.length > 0 ? known : candidates;
    const titles = new Set(writers.map(({ view }) => view.backendTitle));
    const [title] = titles;
    if (title === undefined) return undefined;
    return { title: titles.size === 1 ? title : 'An agent', isCalling: writers.some(isCalling) };
  }

  dispose(): void {
    this.listener?.dispose();
    this.workingChats.clear();
    this.endedAtByChat.clear();
  }

  private update(): void {
    const now = this.clock.monotonicNow();
    const working = new Set(this.chats.openChats.filter(isWorking));
    for (const chat of this.workingChats) if (!working.has(chat)) this.endedAtByChat.set(chat, now);
    for (const [chat, endedAt] of this.endedAtByChat) if (now - endedAt > lateMs) this.endedAtByChat.delete(chat);
    this.workingChats.clear();
    for (const chat of working) this.workingChats.add(chat);
  }
}

/** Whether the agent may be writing files, because it has received the prompt and has not finished. */
function isWorking({ view: { isBusy = false, status } }: Chat): boolean {
  return isBusy && status !== 'starting' && status !== 'readonly';
}

function isCalling({ transcript }: Chat): boolean {
  for (const entry of transcript.entries()) if (entry.kind === 'tool' && entry.state === 'running') return true;
  return false;
}
