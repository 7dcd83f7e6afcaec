import type { Entry } from '../../transcript/common/entries';
import { titleOf } from './tree/threadRow';
import { ThreadError, type OpenThread, type ThreadHead } from './threadPorts';

/** A thread in the words of the agent protocol's draft; `modifiedAt` is RFC 3339. */
export interface DraftThread {
  readonly id: string;
  readonly title: string;
  readonly modifiedAt: string;
}

export type DraftEntry =
  | {
      type: 'message';
      role: 'user' | 'assistant';
      chunks: { type: 'text'; chunk: string }[];
    }
  | { type: 'readFile'; path: string; content: string };

export interface DraftThreadsPort {
  readonly heads: readonly ThreadHead[];
  ready(): Promise<void>;
  find(threadId: string): ThreadHead | undefined;
  read(threadId: string): Promise<OpenThread>;
}

const maxThreads = 500;

/** Amp's threads for peers of the draft, which may read them and change none. */
export class DraftThreads {
  constructor(private readonly threads: DraftThreadsPort) {}

  async getThreads(): Promise<DraftThread[]> {
    await this.threads.ready();
    return this.threads.heads
      .filter(({ problem }) => problem === undefined)
      .slice(0, maxThreads)
      .map((head) => ({ id: head.id, title: titleOf(head), modifiedAt: isoTime(head.lastPromptAt) }));
  }

  /** `undefined` for a thread that is not here. @throws ThreadError for one that cannot be read */
  async getThreadEntries(threadId: string): Promise<DraftEntry[] | undefined> {
    await this.threads.ready();
    if (!this.threads.find(threadId)) return undefined;
    try {
      return (await this.threads.read(threadId)).entries.flatMap(draftEntries);
    } catch (error) {
      if (error instanceof ThreadError && error.code === 'notFound') return undefined;
      throw error;
    }
  }
}

function draftEntries(entry: Entry): DraftEntry[] {
  if (entry.parent !== undefined) return [];
  if (entry.kind === 'prompt') return message('user', entry.text);
  if (entry.kind === 'answer') return message('assistant', entry.text);
  if (entry.kind !== 'tool') return [];
  return entry.parts.flatMap((part) =>
    part.type === 'file' ? [{ type: 'readFile', path: part.path, content: part.text }] : [],
  );
}

function message(role: 'user' | 'assistant', text: string): DraftEntry[] {
  return text === '' ? [] : [{ type: 'message', role, chunks: [{ type: 'text', chunk: text }] }];
}

function isoTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}
