import { withoutUndefined } from '../../../../base/common/withoutUndefined';
import type { Entry, Part, Usage } from '../../../../transcript/common/entries';

export interface MappedEntry {
  readonly entry: Entry;
  readonly raw: unknown;
}

/** The state of an unfinished message or call. `lost`: the conversation continued without it. */
export type UnfinishedState = 'running' | 'stale' | 'lost' | 'cancelled';

/** What the entries of a message depend on in the rest of the thread. Plain data, so that two reads can be compared. */
export interface MessageContext {
  /** Prefix of the ids of the entries. */
  readonly key: string;
  /** The number of prompts up to and including this message. */
  readonly turn: number;
  /** Milliseconds since the epoch. */
  readonly at?: number;
  /** Id of the subagent call that the message belongs to. */
  readonly parent?: string;
  /** The state of calls without a result. */
  readonly unfinished: UnfinishedState;
  /** Whether the message belongs to a turn that may still be running. */
  readonly isLive: boolean;
  /** The usage of the whole turn, if this is its last answer. */
  readonly usage?: Usage;
  /** Whether the next message of the conversation is an answer. */
  readonly isAnswered: boolean;
}

export function entryBase({ turn, at, parent }: MessageContext, id: string): EntryBase {
  return { id, turn, ...withoutUndefined({ at, parent }) };
}

export interface EntryBase {
  readonly id: string;
  readonly turn: number;
  readonly at?: number;
  readonly parent?: string;
}

export function rawEntry(base: EntryBase, label: string, raw: unknown, json: string): MappedEntry {
  return { entry: { kind: 'raw', ...base, label, json }, raw };
}

export function plainText(text: string): Part {
  return { type: 'text', text, plain: true };
}
