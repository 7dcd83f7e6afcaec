import { withoutUndefined } from '../../../base/common/withoutUndefined';
import {
  isDeleted,
  isOpenAside,
  type ChatStore,
  type ConversationHead,
  type ConversationSearchResult,
  type PlaceElsewhere,
} from '../chatStore';
import type { Chats, FoundConversation } from '../chatPorts';
import type { ConversationRow } from '../chatView';
import { isPrompt } from '../conversation/logRecord';
import type { LiveConversation } from '../windows/liveConversation';
import type { SharedConversations } from '../windows/sharedConversations';
import { folderAround, RepositoryNames, type NamedRepository } from './conversationPlace';

/** What a row is made of. */
interface RowFacts {
  readonly head: ConversationHead;
  /** What the conversation does in the window that runs it. Undefined if none does. */
  readonly live?: LiveConversation | undefined;
  readonly isInOtherWindow?: boolean | undefined;
  readonly elsewhere?: PlaceElsewhere | undefined;
  readonly repository?: NamedRepository | undefined;
}

/** Returns the row of a conversation. */
function conversationRow(facts: RowFacts): ConversationRow {
  const { elsewhere, head, isInOtherWindow = false, live, repository } = facts;
  const { backendId, backendTitle, branch, changes, cost, id, isTurnOpen = false, title, updatedAt } = head;
  const { archivedAt = 0, pinnedAt = 0 } = head;
  // The window that ran it was killed or cannot be reached, and nobody has seen that.
  const isInterrupted = isTurnOpen && !live;
  const isUnseen = isInterrupted || head.isUnseen === true;
  return {
    id,
    title,
    backendId,
    backendTitle,
    updatedAt,
    state: live?.state ?? (isInterrupted ? 'interrupted' : head.state),
    ...(live && liveMembers(live)),
    ...(branch !== undefined && { branch }),
    ...(changes && { changes }),
    ...(cost && { cost }),
    ...(elsewhere && { elsewhere }),
    ...(repository && { repository }),
    ...(pinnedAt > 0 && { isPinned: true }),
    ...(archivedAt > 0 && { isArchived: true }),
    ...(isInOtherWindow && { isInOtherWindow }),
    ...(isUnseen && { isUnseen }),
  };
}

function liveMembers({ activity, need, state, turnStartedAt }: LiveConversation): Partial<ConversationRow> {
  return withoutUndefined({ need, activity: state === 'busy' ? activity : undefined, turnStartedAt });
}

interface KnownRow extends Pick<RowFacts, 'head' | 'live' | 'isInOtherWindow'> {
  readonly row: ConversationRow;
}

/**
 * The rows of all conversations, made once for each change. A row that still says the same is the same object, so that a
 * reader can tell which of them have changed.
 */
export class ConversationRows {
  private knownById = new Map<string, KnownRow>();
  private sorted: readonly ConversationRow[] = [];
  private marked: Chats['deleted'] = [];
  private asides: Chats['openAsides'] = [];
  private readonly repositoryNames = new RepositoryNames();
  /** What `elsewhere` and the names of repositories depended on. */
  private situation = '';
  private isOutdated = true;

  constructor(
    private readonly store: Pick<ChatStore, 'elsewhere' | 'heads' | 'here' | 'situation'>,
    private readonly shared: Pick<SharedConversations, 'liveOf'>,
  ) {}

  /** Call when a head, what a conversation does, or where it belongs may have changed. */
  invalidate(): void {
    this.isOutdated = true;
  }

  /** Without deleted conversations. Sorted; see `Chats.rows`. */
  get all(): readonly ConversationRow[] {
    if (this.isOutdated) this.update();
    return this.sorted;
  }

  /** See `Chats.deleted`. */
  get deleted(): Chats['deleted'] {
    if (this.isOutdated) this.update();
    return this.marked;
  }

  /** See `Chats.openAsides`. */
  get openAsides(): Chats['openAsides'] {
    if (this.isOutdated) this.update();
    return this.asides;
  }

  /** Returns the rows of what a search has found. */
  found(results: readonly ConversationSearchResult[]): readonly FoundConversation[] {
    if (this.isOutdated) this.update();
    return results.flatMap(({ entryId, head, snippet }) => {
      const row = this.knownById.get(head.id)?.row;
      return row ? { row: { ...row, ...withoutUndefined({ snippet }) }, ...withoutUndefined({ entryId }) } : [];
    });
  }

  /** Ids of the repositories in which this window works. */
  get repositories(): readonly string[] {
    if (this.isOutdated) this.update();
    return [...new Set(this.store.here?.folders.map((folder) => this.repositoryNames.of(folder).id))];
  }

  private update(): void {
    this.isOutdated = false;
    const heads = this.store.heads.filter((head) => !isDeleted(head) && !isOpenAside(head));
    const others = heads.length === this.store.heads.length ? [] : this.store.heads;
    const deleted = others.filter(isDeleted);
    const asides = others.filter((head) => isOpenAside(head) && !isDeleted(head));
    this.asides = asides.map(({ aside, id, updatedAt }) => ({ id, updatedAt, about: aside?.about ?? '' }));
    this.marked = deleted.map(({ deletedAt = 0, id }) => ({ id, deletedAt }));
    const { situation } = this.store;
    const before = this.knownById;
    for (const { id, place } of heads)
      if (place && before.get(id)?.head.place !== place) this.repositoryNames.learn(place);
    const dependsOn = `${situation}\0${this.repositoryNames.version}`;
    const isSituationSame = dependsOn === this.situation;
    this.situation = dependsOn;
    this.knownById = new Map();
    let isAnyNew = before.size !== heads.length;
    for (const head of heads) {
      const known = before.get(head.id);
      const now = this.knownOf(head, known, isSituationSame ? undefined : situation);
      this.knownById.set(head.id, now);
      if (now.row !== known?.row) isAnyNew = true;
    }
    if (!isAnyNew) return;
    // Most rows are in order already, and sorting those again takes little.
    const rows: ConversationRow[] = [];
    for (const { id } of this.sorted) {
      const row = this.knownById.get(id)?.row;
      if (row) rows.push(row);
    }
    for (const [id, { row }] of this.knownById) if (!before.has(id)) rows.push(row);
    this.sorted = rows.sort(byStateThenNewestFirst);
  }

  /** `newSituation`: undefined if it is the one of `before`. */
  private knownOf(head: ConversationHead, before: KnownRow | undefined, newSituation: string | undefined): KnownRow {
    const { isInOtherWindow, live } = this.shared.liveOf(head.id);
    // All of them are replaced when they change.
    const isSame = before?.head === head && before.live === live && before.isInOtherWindow === isInOtherWindow;
    if (before && isSame && newSituation === undefined) return before;
    const folder = head.place && folderAround(head.place, head.folder);
    const row = conversationRow({
      ...{ head, live, isInOtherWindow, elsewhere: this.store.elsewhere(head, newSituation) },
      repository: folder && this.repositoryNames.of(folder),
    });
    const isRowSame = before && JSON.stringify(before.row) === JSON.stringify(row);
    return { head, live, isInOtherWindow, row: isRowSame ? before.row : row };
  }
}

/**
 * What needs the user comes first, the longest wait before others, then what works, then the conversations of this window, and
 * then those of other folders.
 */
function byStateThenNewestFirst(one: ConversationRow, other: ConversationRow): number {
  return rankOf(one) - rankOf(other) || longestWaitFirst(one, other) || newestFirst(one, other);
}

type Waiting = Pick<ConversationRow, 'need'>;

/** Those of which it is not known since when they wait come last, and those that do not wait are equal. */
export function longestWaitFirst({ need: one }: Waiting, { need: other }: Waiting): number {
  // The difference of two infinities is not a number.
  return (one?.since ?? Infinity) - (other?.since ?? Infinity) || 0;
}

function rankOf({ elsewhere, state }: ConversationRow): number {
  if (state === 'waiting') return 0;
  if (state === 'busy') return 1;
  return elsewhere ? 3 : 2;
}

export function newestFirst(one: ConversationRow, other: ConversationRow): number {
  return other.updatedAt - one.updatedAt;
}

/** Whether a stored conversation has the prompt with this id as its first one. Never rejects. */
export async function isStoredAsFirst(store: Pick<ChatStore, 'heads' | 'read'>, promptId: string): Promise<boolean> {
  const head = store.heads.find(({ startedBy }) => startedBy === promptId);
  // The head can be on disk without the prompt.
  const stored = head && (await store.read(head.id).catch(() => undefined));
  return stored?.records.some((record) => isPrompt(record) && record.id === promptId) ?? false;
}
