import { isUncPath } from '../../../base/common/uncPath';
import type { Entry } from '../../../transcript/common/entries';
import { titleOf } from '../tree/threadRow';
import { workspaceMatcher } from '../tree/workspaceThreads';
import type { ThreadLibrary } from '../threadLibrary';
import { ThreadError, type ThreadHead } from '../threadPorts';

/** A thread in the words of the agent protocol's draft; `modifiedAt` is RFC 3339. */
interface DraftThread {
  readonly id: string;
  readonly title: string;
  readonly modifiedAt: string;
}

type DraftEntry =
  | {
      type: 'message';
      role: 'user' | 'assistant';
      chunks: { type: 'text'; chunk: string }[];
    }
  | { type: 'readFile'; path: string; content: string };

/** What peers may see. */
export interface PeerAccess {
  /** Of the workspace: in one that is not, there are no threads for peers. */
  isTrusted(): boolean;
  /** Absolute, of the workspace, with its worktrees. */
  workspaceFolders(): Promise<readonly string[]>;
  /** Whether the file may not be read by peers: outside of the workspace, or excluded. `path` is as the thread has it. */
  isDenied(path: string): Promise<boolean>;
}

const maxThreads = 500;

/**
 * Amp's threads for peers of the draft, which may read those of this workspace and change none. What a thread holds of
 * files is held back where the files themselves would be.
 */
export class PeerThreads {
  constructor(
    private readonly threads: Pick<ThreadLibrary, 'heads' | 'ready' | 'find' | 'read'>,
    private readonly access: PeerAccess,
  ) {}

  async getThreads(): Promise<DraftThread[]> {
    const isReadable = await this.readable();
    return this.threads.heads
      .filter(isReadable)
      .slice(0, maxThreads)
      .map((head) => ({ id: head.id, title: titleOf(head), modifiedAt: isoTime(head.lastPromptAt) }));
  }

  /** `undefined` for a thread that is not here, or not for peers. @throws ThreadError for one that cannot be read */
  async getThreadEntries(threadId: string): Promise<DraftEntry[] | undefined> {
    const isReadable = await this.readable();
    const head = this.threads.find(threadId);
    if (!head || !isReadable(head)) return undefined;
    try {
      return await this.draftEntries((await this.threads.read(threadId)).entries);
    } catch (error) {
      if (error instanceof ThreadError && error.code === 'notFound') return undefined;
      throw error;
    }
  }

  /** Begins no reading of threads where there is nothing to be told. */
  private async readable(): Promise<(head: ThreadHead) => boolean> {
    if (!this.access.isTrusted()) return () => false;
    const [folders] = await Promise.all([this.access.workspaceFolders(), this.threads.ready()]);
    const isOfWorkspace = workspaceMatcher(this.threads.heads, folders);
    return (head) => head.problem === undefined && isOfWorkspace(head);
  }

  private async draftEntries(entries: readonly Entry[]): Promise<DraftEntry[]> {
    const verdicts = new Map<string, Promise<boolean>>();
    const isDenied = (path: string): Promise<boolean> => {
      const verdict = verdicts.get(path) ?? (isUncPath(path) ? Promise.resolve(true) : this.access.isDenied(path));
      verdicts.set(path, verdict);
      return verdict;
    };
    const drafts: DraftEntry[] = [];
    for (const entry of entries) {
      const denied = await Promise.all(pathsOf(entry).map(isDenied));
      if (!denied.includes(true)) drafts.push(...draftsOf(entry));
    }
    return drafts;
  }
}

/** The files that what a peer is told of the entry comes from: those the call was about, and those it gave back. */
function pathsOf(entry: Entry): readonly string[] {
  if (entry.parent !== undefined || entry.kind !== 'tool') return [];
  const files = entry.parts.flatMap((part) => (part.type === 'file' ? [part.path] : []));
  return files.length === 0 ? [] : [...files, ...(entry.locations ?? []).map(({ path }) => path)];
}

function draftsOf(entry: Entry): DraftEntry[] {
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
