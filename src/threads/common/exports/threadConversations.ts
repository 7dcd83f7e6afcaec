import { plainRemote } from '../../../base/common/addresses/plainRemote';
import type { Disposable } from '../../../base/common/disposable';
import type { Event } from '../../../base/common/event';
import { fileNameOf } from '../../../base/common/text/fileNameOf';
import type { Usage } from '../../../transcript/common/entries';
import { searchThreads } from '../search/threadSearch';
import type { ThreadLibrary } from '../threadLibrary';
import type { TextSearchResult, ThreadHead, ThreadHit } from '../threadPorts';
import { titleOf } from '../tree/threadRow';
import { createWorkspaceMatcher } from '../tree/workspaceThreads';

interface ThreadConversationsDeps {
  readonly library: Pick<ThreadLibrary, 'heads' | 'keepUpToDate' | 'onDidChange' | 'waitForFirstList'>;
  /** Searches the text of the threads on this machine. @throws ThreadError */
  readonly searchText: (query: string, limit: number) => Promise<TextSearchResult>;
  /** Searches the text of files that the user has opened. Never rejects. */
  readonly searchFiles: (query: string) => Promise<readonly ThreadHit[]>;
  /** Absolute paths of the workspace folders and their worktrees. Never rejects. */
  readonly workspaceFolders: () => Promise<readonly string[]>;
  /** Shows a thread, at an entry if it is set. Reports errors to the user. */
  readonly open: (threadId: string, entryId?: string) => Promise<void>;
  /** Exports a thread in a format and to a file that the user chooses. Reports errors to the user. */
  readonly export: (threadId: string) => Promise<void>;
  readonly now: () => number;
}

/** A thread as a row of the list of all conversations. Times are milliseconds since the epoch. */
interface ThreadConversation {
  readonly id: string;
  readonly title: string;
  readonly backendId: string;
  readonly backendTitle: string;
  readonly source: string;
  readonly updatedAt: number;
  readonly state: 'idle' | 'busy' | 'waiting' | 'failed';
  /** Why it waits. Backline cannot answer for the user. */
  readonly need?: { readonly kind: 'approval'; readonly text: string };
  readonly branch?: string;
  readonly cost?: NonNullable<Usage['cost']>;
  readonly repository?: { readonly id: string; readonly name: string };
  /** Where the thread has worked, if not in the workspace of this window. `folder` is an absolute path. */
  readonly elsewhere?: { readonly folder?: string; readonly isGone: boolean };
  readonly isArchived?: boolean;
  readonly snippet?: string;
}

interface FoundConversation {
  readonly row: ThreadConversation;
  readonly entryId?: string;
}

const source = 'amp';
const prefix = `${source}:`;

/** Amp's threads for the list of all conversations. */
export class ThreadConversations {
  constructor(private readonly deps: ThreadConversationsDeps) {}

  get onDidChange(): Event<void> {
    return this.deps.library.onDidChange;
  }

  /** Also asks for the threads of the account again and again, until the result is disposed. */
  show(): Disposable {
    return this.deps.library.keepUpToDate();
  }

  /** Resolves to all threads that can be read, newest first. The first call lists them. Never rejects. */
  async rows(): Promise<readonly ThreadConversation[]> {
    const toRow = await this.rowMaker();
    return this.deps.library.heads.filter(({ problem }) => problem === undefined).map(toRow);
  }

  /** Finds threads by their title and text, best first. @throws ThreadError */
  async search(query: string): Promise<readonly FoundConversation[]> {
    const toRow = await this.rowMaker();
    const { library, now, searchFiles, searchText } = this.deps;
    const { found } = await searchThreads(query, { heads: () => library.heads, searchText, searchFiles, now });
    return bestOfEach(found.map(({ head, hit }) => ({ row: toRow(head), hit }))).map(({ row, hit }) => ({
      row: hit.snippet === '' ? row : { ...row, snippet: hit.snippet },
      ...(hit.entryId === undefined ? {} : { entryId: hit.entryId }),
    }));
  }

  async open(rowId: string, entryId?: string): Promise<void> {
    await this.deps.open(rowId.slice(prefix.length), entryId);
  }

  async export(rowId: string): Promise<void> {
    await this.deps.export(rowId.slice(prefix.length));
  }

  private async rowMaker(): Promise<(head: ThreadHead) => ThreadConversation> {
    const { library, workspaceFolders } = this.deps;
    const [folders] = await Promise.all([workspaceFolders(), library.waitForFirstList()]);
    const isInWorkspace = createWorkspaceMatcher(library.heads, folders);
    return (head) => conversationOf(head, isInWorkspace(head));
  }
}

function conversationOf(head: ThreadHead, isInWorkspace: boolean): ThreadConversation {
  const { branch, folders, id, isArchived, lastPromptAt, repository, usage } = head;
  const [folder] = folders;
  const place = repository === undefined ? folder : plainRemote(repository);
  return {
    id: `${prefix}${id}`,
    title: titleOf(head),
    backendId: source,
    backendTitle: 'Amp',
    source,
    updatedAt: lastPromptAt,
    state: stateOf(head),
    ...(head.state === 'waiting' ? { need: { kind: 'approval', text: 'Waits for you in Amp' } } : {}),
    ...(branch === undefined ? {} : { branch }),
    ...(usage?.cost ? { cost: usage.cost } : {}),
    ...(place === undefined ? {} : { repository: { id: place, name: lastNameOf(place) } }),
    // A thread without a folder belongs to no workspace. It is not elsewhere either.
    ...(isInWorkspace || folder === undefined ? {} : { elsewhere: { folder, isGone: false } }),
    ...(isArchived ? { isArchived } : {}),
  };
}

function stateOf({ state }: ThreadHead): ThreadConversation['state'] {
  switch (state) {
    case 'running':
      return 'busy';
    case 'waiting':
      return 'waiting';
    case 'error':
      return 'failed';
    case 'idle':
    case 'stale':
    case 'cancelled':
      return 'idle';
  }
}

/** The name of a folder, or of a repository. */
function lastNameOf(place: string): string {
  const name = fileNameOf(place.replace(/[\\/]+$/, ''));
  return name === '' ? place : name;
}

/** Only the best hit of each thread, as the list has one row for it. */
function bestOfEach<Hit extends { readonly row: ThreadConversation }>(hits: readonly Hit[]): readonly Hit[] {
  const known = new Set<string>();
  return hits.filter(({ row: { id } }) => !known.has(id) && known.add(id));
}
