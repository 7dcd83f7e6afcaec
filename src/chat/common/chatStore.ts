import * as z from 'zod';
import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import { ChangeTotals } from '../../transcript/common/entries';
import { Draft } from './chatView';
import { StoredPreset, type LogRecord } from './conversation/logRecord';
import { ConversationPlace, type FolderMove } from './conversations/conversationPlace';

/** The summary of a conversation, for the list. */
export const ConversationHead = z.object({
  version: z.number(),
  id: z.string(),
  title: z.string(),
  /** Who set the title. The agent can replace one taken from the first prompt, but not one set by the user. */
  titledBy: z.enum(['prompt', 'agent', 'user']),
  backendId: z.string(),
  backendTitle: z.string(),
  /** Id of the session in the backend. */
  remoteId: z.string().optional(),
  /** Absolute path of the agent's working folder. Defaults to the first workspace folder. */
  folder: z.string().optional(),
  preset: StoredPreset,
  /** Id of the first prompt, for a draft of it that was still stored when the window ended. */
  startedBy: z.string().optional(),
  /** Where the conversation has worked. Missing in heads that an older version has written. */
  place: ConversationPlace.optional().catch(undefined),
  /** Id of the conversation from which this one was forked at an earlier prompt. */
  forkedFrom: z.string().optional(),
  /** Set for a side question, which can read but not write. `about`: the title of the conversation that it is about. */
  aside: z.object({ about: z.string(), isKept: z.boolean().optional() }).optional(),
  /** Time of creation, in milliseconds since the epoch. */
  createdAt: z.number(),
  updatedAt: z.number(),
  state: z.enum(['idle', 'unread', 'failed', 'interrupted']).catch('idle'),
  /** Whether a turn has begun and not ended. If no window runs it, it was interrupted. */
  isTurnOpen: z.boolean().optional().catch(undefined),
  /** Whether a failure or an interruption was not seen yet. */
  isUnseen: z.boolean().optional().catch(undefined),
  /** When the user has pinned or archived it, in milliseconds since the epoch; 0 if that was taken back. */
  pinnedAt: z.number().optional().catch(undefined),
  archivedAt: z.number().optional().catch(undefined),
  /** When the user has deleted it, which can be taken back for a while. 0 if it was. No list contains it. */
  deletedAt: z.number().optional().catch(undefined),
  /** What it has changed and the user has neither kept nor undone, the branch of its last turn, and what its turns have cost. */
  changes: z.optional(ChangeTotals).catch(undefined),
  branch: z.string().optional().catch(undefined),
  cost: z.object({ amount: z.number(), currency: z.string() }).optional().catch(undefined),
  draft: z.optional(Draft),
  /** Since when the first prompt of the queue waits for a sign-in, in milliseconds since the epoch; 0 if it does not. */
  signInWaitSince: z.number().optional().catch(undefined),
});
export type ConversationHead = z.infer<typeof ConversationHead>;

export function isDeleted({ deletedAt = 0 }: ConversationHead): boolean {
  return deletedAt > 0;
}

/** Whether it is a side question that the user has not kept. No list and no search contains it, and it ends with its page. */
export function isOpenAside({ aside }: Pick<ConversationHead, 'aside'>): boolean {
  return aside !== undefined && aside.isKept !== true;
}

/** Where a conversation belongs that does not belong to this window. */
export interface PlaceElsewhere {
  /** Absolute path of its first folder. Undefined if it has none, or if it is not known. */
  readonly folder?: string;
  /** Absolute path of the `.code-workspace` file of its workspace, if that was saved. The file may be gone. */
  readonly workspaceFile?: string;
  /** Whether the folder does not exist any more. */
  readonly isGone: boolean;
}

/** Stores the conversations of the user, for all windows. Methods reject only as documented. `ConversationFiles.problem` reports other disk errors. */
export interface ChatStore extends Disposable {
  /** Fires when heads may have changed in this or another window. */
  readonly onDidChange: Event<void>;
  /** The heads of all conversations, in no particular order. */
  readonly heads: readonly ConversationHead[];
  /** Where this window works. Undefined if all conversations belong to this window. */
  readonly here: ConversationPlace | undefined;
  /** Differs whenever `elsewhere` may answer otherwise for the same head. */
  readonly situation: string;
  /**
   * Returns where a conversation belongs. Undefined if it belongs to the workspace of this window. Pass the present
   * `situation` when asking of many.
   */
  elsewhere(head: ConversationHead, situation?: string): PlaceElsewhere | undefined;
  /**
   * Records that the user has moved a folder: all its conversations are found at the new place. Both paths are absolute.
   * Resolves to a function that takes this back, except for conversations that were continued at the new place. Both throw
   * ChatError `storage`.
   */
  locateFolder(from: string, to: string): Promise<() => Promise<void>>;
  start(): Promise<void>;
  /** Creates a conversation. The first record creates its files. */
  create(head: ConversationHead): ConversationFiles;
  /**
   * Adds a conversation with the records of another one, `source`, and the texts to which they refer. If it fails,
   * nothing is added.
   * @throws ChatError `storage`
   */
  add(head: ConversationHead, records: readonly LogRecord[], source: string): Promise<void>;
  /**
   * Opens a conversation. Another window can stay its writer. Call `readStored` of the files first.
   * @throws ChatError `notFound`, `unreadable`
   */
  open(id: string): Promise<ConversationFiles>;
  /** Reads a conversation, even while another window writes to it. @throws ChatError `notFound`, `unreadable` */
  read(id: string): Promise<StoredConversation>;
  /** Changes members of a head. @throws ChatError `notFound`, `storage` */
  updateHead(id: string, change: Partial<ConversationHead>): Promise<void>;
  /**
   * Deletes a conversation. Calls `forget` after locking the conversation. @throws ChatError `readonly` while another
   * window writes to it, `storage`
   */
  remove(id: string, forget?: () => Promise<void>): Promise<void>;
  /**
   * Writes the log of a conversation that is not open again, without updates that later ones replace.
   * @throws ChatError `notFound`, `readonly` while another window writes to it, `storage`
   */
  compact(id: string): Promise<void>;
  /** Finds conversations by title or text; see `Chats.search`. Never rejects. */
  search(query: string, signal?: AbortSignal): Promise<ConversationSearchResults>;
  /** Writes pending data and closes all files. Never rejects. */
  stop(): Promise<void>;
}

/** `snippet`: the text that was found, if the title was not. `entryId`: the entry of the transcript that has it. */
export interface ConversationSearchResult {
  readonly head: ConversationHead;
  readonly snippet?: string;
  readonly entryId?: string;
}

export interface ConversationSearchResults {
  readonly found: readonly ConversationSearchResult[];
  readonly left?: SearchProgress;
}

/** How many conversations can be searched so far. */
export interface SearchProgress {
  readonly done: number;
  readonly total: number;
}

export interface StoredConversation {
  readonly head: ConversationHead;
  readonly records: readonly LogRecord[];
  /** Message for the user if parts of the log could not be read. `records` contains everything else. */
  readonly damage?: string;
}

export interface RecordsOfOtherWindow {
  readonly records: readonly LogRecord[];
  /** Whether no window writes to the conversation any more. If a turn is still open, it was interrupted. */
  readonly isWriterGone: boolean;
}

/** The files of one conversation. Close them, so that another window can write to them. */
export interface ConversationFiles extends TextBlobs {
  readonly head: ConversationHead;
  /** How paths in the log differ from those of this window, because folders were moved. */
  readonly moves: readonly FolderMove[];
  /** Why this window cannot write: another window does, or a newer Backline wrote the files. Undefined if it can. */
  readonly readonlyReason: string | undefined;
  /** Why saving fails, and what to do. The conversation continues in memory. */
  readonly problem: string | undefined;
  /** Fires when `problem`, `readonlyReason` or any of the flags below changes, and when another window has written the head. */
  readonly onDidChangeState: Event<void>;
  /** Whether this window is the writer of the conversation. */
  readonly isOurs: boolean;
  readonly isInUseElsewhere: boolean;
  /** When this window has claimed it or written to it last, in milliseconds of the monotonic clock. */
  readonly usedAtMs: number;
  /** Whether another window has become the writer. This window then writes nothing; reopen the conversation. */
  readonly wasTakenOver: boolean;
  /** Fires with records that another window has written. */
  readonly onDidReadRecords: Event<RecordsOfOtherWindow>;
  /**
   * Reads what is stored, once, in the order of the log. `apply` gets a part of the records at a time, so that a large
   * conversation is never in memory as a whole. Resolves to a message for the user if parts could not be read.
   * @throws ChatError `unreadable`
   */
  readStored(apply: (records: readonly LogRecord[]) => void): Promise<string | undefined>;
  /**
   * Makes this window the only writer, after reading the records of others. Required before the first write. Asks the user
   * first if the conversation belongs to another folder, and then the window that is the writer to release it.
   * @throws ChatError `readonly` if another window stays the writer or the user does not want that, `notFound`
   */
  claim(): Promise<void>;
  /** Reads the records that another window has written since, once. Never rejects. */
  catchUp(): Promise<void>;
  /** Reads the records that another window writes, until the result is disposed or this window becomes the writer. */
  follow(): Disposable;
  /** Queues a record. Before `claim`, records are kept in memory, and dropped if another window writes first. */
  append(record: LogRecord): void;
  /**
   * Resolves when few of the appended records wait for the disk, when it fails, and after 2 s. Undefined if there is nothing
   * to wait for. Never rejects.
   */
  whenStored(): Promise<void> | undefined;
  updateHead(change: Partial<ConversationHead>): void;
  /** Resolves when all records are on disk or could not be written. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Stores texts by a hash of their content. */
export interface TextBlobs {
  idOf(text: string): string;
  /** Stores a text. Returns its id, even if the text could not be stored. */
  putText(text: string): Promise<string>;
  /** Returns a text. Undefined if it is missing or damaged. */
  getText(id: string): Promise<string | undefined>;
}
