import * as z from 'zod';
import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import { Draft } from './chatView';
import type { LogRecord } from './conversation/logRecord';

/** What the list of conversations needs, without reading any of them. */
export const SessionHead = z.object({
  version: z.number(),
  id: z.string(),
  title: z.string(),
  /** The user's own title stays; the agent's replaces that of the first prompt. */
  titledBy: z.enum(['prompt', 'agent', 'user']),
  backendId: z.string(),
  backendTitle: z.string(),
  /** The backend's name for its session. */
  remoteId: z.string().optional(),
  /** Where its agent works, absolute, in a workspace folder; else it is the first one. */
  folder: z.string().optional(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  updatedAt: z.number(),
  state: z.enum(['idle', 'unread', 'failed']).catch('idle'),
  draft: z.optional(Draft),
});
export type SessionHead = z.infer<typeof SessionHead>;

/** Where conversations are kept. Nothing here rejects because of a disk but `open` and `remove`: what fails is told by `problem`. */
export interface ChatStore extends Disposable {
  /** The heads may have changed, also by another window. */
  readonly onDidChange: Event<void>;
  /** In no order. */
  readonly heads: readonly SessionHead[];
  start(): Promise<void>;
  /** A conversation that is new; it is on disk with its first record. */
  create(head: SessionHead): SessionFile;
  /** Takes nothing from another window before it is claimed. @throws ChatError `notFound`, `unreadable` */
  open(id: string): Promise<OpenedSession>;
  /** Takes nothing from the window that writes it. @throws ChatError `notFound`, `unreadable` */
  read(id: string): Promise<StoredConversation>;
  /** Of one that is not open here. @throws ChatError `notFound`, `readonly`, `storage` */
  changeHead(id: string, change: Partial<SessionHead>): Promise<void>;
  /** `forget` runs when nobody else can write it any more, before it is gone. @throws ChatError `readonly` while another window writes it, `storage` */
  remove(id: string, forget?: () => Promise<void>): Promise<void>;
  /** Heads by title or text, with where it was found; newest first. Stops early, with what it has, when `signal` fires. */
  search(query: string, signal?: AbortSignal): Promise<readonly FoundSession[]>;
  /** Writes what waits. Never rejects. */
  stop(): Promise<void>;
}

export interface FoundSession {
  readonly head: SessionHead;
  readonly snippet?: string;
}

export interface StoredConversation {
  readonly head: SessionHead;
  readonly records: readonly LogRecord[];
  /** What could not be read, for the user; what came before and after is in `records`. */
  readonly damage?: string;
}

export interface OpenedSession extends StoredConversation {
  readonly file: SessionFile;
}

export interface ReadOn {
  readonly records: readonly LogRecord[];
  /** Nobody else writes it any more: a turn that has not ended was broken off. */
  readonly isWriterGone: boolean;
}

/** The files of one conversation. Close to let another window have them. */
export interface SessionFile extends TextBlobs {
  readonly head: SessionHead;
  /** Why nothing is written, when nothing is: another window, or a newer version of Backline. */
  readonly readonly: string | undefined;
  /** Why what happens is in memory only, and what to do; undefined when all is well. */
  readonly problem: string | undefined;
  /** Of `readonly` and the others, too. */
  readonly onDidChangeProblem: Event<void>;
  /** This window writes it; another one only reads. */
  readonly isOurs: boolean;
  /** Another window writes it. */
  readonly isInUse: boolean;
  /** It was this window's, and another one has taken over: nothing is written, and it has to be opened again. */
  readonly isOutdated: boolean;
  /** What another window has written. */
  readonly onDidReadOn: Event<ReadOn>;
  /**
   * Makes this window the one that writes, before its first write; tells what others have written until then.
   * @throws ChatError `readonly` when another window has it, `notFound`
   */
  claim(): Promise<void>;
  /** Reads once what another window has written. Never rejects. */
  catchUp(): Promise<void>;
  /** Follows what another window writes, and whether it still does, until the result is disposed or this window writes. */
  follow(): Disposable;
  /** Written soon, in order; what comes before it is claimed waits, and is dropped when another window goes on. */
  append(record: LogRecord): void;
  changeHead(change: Partial<SessionHead>): void;
  /** Resolves when all that was appended is on disk, or could not be written. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Whole texts by what is in them. */
export interface TextBlobs {
  idOf(text: string): string;
  /** Its id, also when it could not be kept. */
  putText(text: string): Promise<string>;
  /** Undefined when it is not there, or not what was put. */
  getText(id: string): Promise<string | undefined>;
}
