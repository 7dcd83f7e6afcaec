import { isUncPath } from '../../../base/common/addresses/uncPath';
import type { Entry } from '../../../transcript/common/entries';
import { titleOf } from '../tree/threadRow';
import { createWorkspaceMatcher } from '../tree/workspaceThreads';
import type { ThreadLibrary } from '../threadLibrary';
import { ThreadError, type ThreadHead } from '../threadPorts';

/** A thread in the format of the draft protocol. */
interface PeerThread {
  readonly id: string;
  readonly title: string;
  /** Time of the last change, in RFC 3339 format. */
  readonly modifiedAt: string;
}

type PeerEntry =
  | { type: 'message'; role: 'user' | 'assistant'; chunks: { type: 'text'; chunk: string }[] }
  | { type: 'readFile'; path: string; content: string };

/** Decides what peers may read. */
export interface ThreadAccessForPeers {
  /** Whether the workspace is trusted. Peers see no threads in an untrusted workspace. */
  isTrusted(): boolean;
  /** Absolute paths of the workspace folders and their worktrees. */
  workspaceFolders(): Promise<readonly string[]>;
  /** Whether peers may not read the file. `path` is written as in the thread. */
  isDenied(path: string): Promise<boolean>;
}

const maxThreads = 500;

/** Gives peers of the draft protocol read access to threads, without the contents of files that they may not read. */
export class PeerThreads {
  constructor(
    private readonly threadLibrary: Pick<ThreadLibrary, 'heads' | 'waitForFirstList' | 'find' | 'read'>,
    private readonly permissions: ThreadAccessForPeers,
  ) {}

  async getThreads(): Promise<PeerThread[]> {
    const isReadable = await this.readableFilter();
    return this.threadLibrary.heads
      .filter(isReadable)
      .slice(0, maxThreads)
      .map((head) => ({ id: head.id, title: titleOf(head), modifiedAt: isoTime(head.lastPromptAt) }));
  }

  /** Returns undefined for an unknown or hidden thread. @throws ThreadError if the thread cannot be read */
  async getThreadEntries(threadId: string): Promise<PeerEntry[] | undefined> {
    const isReadable = await this.readableFilter();
    const head = this.threadLibrary.find(threadId);
    if (!head || !isReadable(head)) return undefined;
    try {
      return await this.toPeerEntries((await this.threadLibrary.read(threadId)).entries);
    } catch (error) {
      if (error instanceof ThreadError && error.code === 'notFound') return undefined;
      throw error;
    }
  }

  /** Returns whether peers may read a thread. Does not load the list in an untrusted workspace. */
  private async readableFilter(): Promise<(head: ThreadHead) => boolean> {
    if (!this.permissions.isTrusted()) return () => false;
    const [folders] = await Promise.all([this.permissions.workspaceFolders(), this.threadLibrary.waitForFirstList()]);
    const isInWorkspace = createWorkspaceMatcher(this.threadLibrary.heads, folders);
    return (head) => head.problem === undefined && isInWorkspace(head);
  }

  private async toPeerEntries(entries: readonly Entry[]): Promise<PeerEntry[]> {
    const decisions = new Map<string, Promise<boolean>>();
    const isDenied = (path: string): Promise<boolean> => {
      const decision =
        decisions.get(path) ?? (isUncPath(path) ? Promise.resolve(true) : this.permissions.isDenied(path));
      decisions.set(path, decision);
      return decision;
    };
    const allowed: PeerEntry[] = [];
    for (const entry of entries) {
      const denied = await Promise.all(pathsOf(entry).map(isDenied));
      if (!denied.includes(true)) allowed.push(...peerEntries(entry));
    }
    return allowed;
  }
}

/** Returns the files from which an entry's content comes: the call's locations and its result's files. */
function pathsOf(entry: Entry): readonly string[] {
  if (entry.parent !== undefined || entry.kind !== 'tool') return [];
  const files = entry.parts.flatMap((part) => (part.type === 'file' ? [part.path] : []));
  return files.length === 0 ? [] : [...files, ...(entry.locations ?? []).map(({ path }) => path)];
}

function peerEntries(entry: Entry): PeerEntry[] {
  if (entry.parent !== undefined) return [];
  if (entry.kind === 'prompt') return messageEntries('user', entry.text);
  if (entry.kind === 'answer') return messageEntries('assistant', entry.text);
  if (entry.kind !== 'tool') return [];
  return entry.parts.flatMap((part) =>
    part.type === 'file' ? [{ type: 'readFile', path: part.path, content: part.text }] : [],
  );
}

function messageEntries(role: 'user' | 'assistant', text: string): PeerEntry[] {
  return text === '' ? [] : [{ type: 'message', role, chunks: [{ type: 'text', chunk: text }] }];
}

function isoTime(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}
