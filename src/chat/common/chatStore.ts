import * as z from 'zod';
import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import { Draft } from './chatView';
import type { LogRecord } from './conversation/logRecord';

/** The summary of a conversation, for the list. */
export const SessionHead = z.object({
  version: z.number(),
  id: z.string(),
  title: z.string(),
  /** An agent's title replaces one taken from the first prompt. A title set by the user stays. */
  titledBy: z.enum(['prompt', 'agent', 'user']),
  backendId: z.string(),
  backendTitle: z.string(),
  /** Session id in the backend. */
  remoteId: z.string().optional(),
  /** Absolute path of the agent's working folder. Defaults to the first workspace folder. */
  folder: z.string().optional(),
  /** Id of the conversation that it continues from an earlier prompt. */
  forkedFrom: z.string().optional(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  updatedAt: z.number(),
  state: z.enum(['idle', 'unread', 'failed']).catch('idle'),
  draft: z.optional(Draft),
  /** Since when the first prompt of the queue waits for a sign-in, in milliseconds since the epoch; 0 if it does not. */
  signInWaitSince: z.number().optional().catch(undefined),
});
export type SessionHead = z.infer<typeof SessionHead>;

/** Stores conversations. Methods reject as documented; other disk errors are reported by `SessionFile.problem`. */
export interface ChatStore extends Disposable {
  /** Fires when heads may have changed, here or in another window. */
  readonly onDidChange: Event<void>;
  /** Unordered. */
  readonly heads: readonly SessionHead[];
  start(): Promise<void>;
  /** Creates a conversation. Its files are written with the first record. */
  create(head: SessionHead): SessionFile;
  /**
   * Adds a conversation with records of another one, `source`, and the texts that they refer to. Adds nothing if it fails.
   * @throws ChatError `storage`
   */
  add(head: SessionHead, records: readonly LogRecord[], source: string): Promise<void>;
  /** Opens a conversation without claiming it from another window. @throws ChatError `notFound`, `unreadable` */
  open(id: string): Promise<OpenedSession>;
  /** Reads a conversation, even while another window writes it. @throws ChatError `notFound`, `unreadable` */
  read(id: string): Promise<StoredConversation>;
  /** @throws ChatError `notFound`, `storage` */
  updateHead(id: string, change: Partial<SessionHead>): Promise<void>;
  /** Deletes a conversation. `forget` runs after it is locked. @throws ChatError `readonly` while another window writes it, `storage` */
  remove(id: string, forget?: () => Promise<void>): Promise<void>;
  /** Finds conversations by title or text, newest first. When `signal` fires, resolves with the results so far. */
  search(query: string, signal?: AbortSignal): Promise<readonly SessionSearchResult[]>;
  /** Writes pending data and closes all files. Never rejects. */
  stop(): Promise<void>;
}

export interface SessionSearchResult {
  readonly head: SessionHead;
  readonly snippet?: string;
}

export interface StoredConversation {
  readonly head: SessionHead;
  readonly records: readonly LogRecord[];
  /** Message for the user about what could not be read. Everything else is in `records`. */
  readonly damage?: string;
}

export interface OpenedSession extends StoredConversation {
  readonly file: SessionFile;
}

export interface RecordsRead {
  readonly records: readonly LogRecord[];
  /** Whether no window writes the conversation any more. A turn that is still open was then cut off. */
  readonly isWriterGone: boolean;
}

/** The files of one conversation. Close them so that another window can write. */
export interface SessionFile extends TextBlobs {
  readonly head: SessionHead;
  /** Why this window cannot write: another window writes, or a newer version of Backline has written. Undefined if it can. */
  readonly readonlyReason: string | undefined;
  /** Why saving fails, and what to do; the conversation continues in memory. */
  readonly problem: string | undefined;
  /** Fires when `problem`, `readonlyReason` or any of the flags below changes. */
  readonly onDidChangeProblem: Event<void>;
  /** Whether this window writes it. */
  readonly isOurs: boolean;
  readonly isInUseElsewhere: boolean;
  /** Whether another window took over from this one. Nothing is written here; reopen the conversation. */
  readonly isOutdated: boolean;
  /** Fires with records that another window has written. */
  readonly onDidReadRecords: Event<RecordsRead>;
  /**
   * Makes this window the only writer, after reading what others have written. Required before the first write.
   * @throws ChatError `readonly` if another window has it, `notFound`
   */
  claim(): Promise<void>;
  /** Reads once what another window has written. Never rejects. */
  catchUp(): Promise<void>;
  /** Follows what another window writes until the result is disposed, or this window claims the conversation. */
  follow(): Disposable;
  /** Queues a record for writing. Before `claim`, records are kept in memory, and dropped if another window writes first. */
  append(record: LogRecord): void;
  updateHead(change: Partial<SessionHead>): void;
  /** Resolves when all records are on disk or could not be written. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Stores texts by a hash of their content. */
export interface TextBlobs {
  idOf(text: string): string;
  /** Returns the id even if the text could not be stored. */
  putText(text: string): Promise<string>;
  /** Undefined if the text is missing or damaged. */
  getText(id: string): Promise<string | undefined>;
}
