import { withoutUndefined } from '../../../../base/common/withoutUndefined';
import type { Entry, EntryBase, Part, Usage } from '../../../../transcript/common/entries';

/** An entry, and the value in the thread file from which it was made. */
export interface EntryWithRawJson {
  readonly entry: Entry;
  readonly raw: unknown;
}

/** The state of an unfinished message or call. `lost`: the conversation continued without it. */
export type UnfinishedState = 'running' | 'stale' | 'lost' | 'cancelled';

/**
 * The data in other messages on which the entries of a message depend. Contains only plain data, so that the data of
 * two reads can be compared.
 */
export interface MessagePlace {
  /** Prefix for the ids of the entries. */
  readonly key: string;
  /** Number of prompts until this message, including the message itself. */
  readonly turn: number;
  /** Time of the message, in milliseconds since the epoch. */
  readonly at?: number;
  /** Id of the subagent call to which the message belongs. */
  readonly parent?: string;
  /** The state of calls that have no result. */
  readonly unfinished: UnfinishedState;
  /** Whether the message belongs to a turn that may still be running. */
  readonly isLive: boolean;
  /** The usage of the whole turn. Set only for its last answer. */
  readonly usage?: Usage;
  /** Whether the next message of the conversation is an answer. */
  readonly isAnswered: boolean;
}

export function entryBase({ turn, at, parent }: MessagePlace, id: string): EntryBase {
  return { id, turn, ...withoutUndefined({ at, parent }) };
}

export function rawEntry(base: EntryBase, label: string, raw: unknown, json: string): EntryWithRawJson {
  return { entry: { kind: 'raw', ...base, label, json }, raw };
}

export function plainTextPart(text: string): Part {
  return { type: 'text', text, plain: true };
}
