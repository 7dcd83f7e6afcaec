import { withoutUndefined } from '../../../../base/common/withoutUndefined';
import type { Entry, Part, Usage } from '../../../../transcript/common/entries';

/** An entry with the JSON that it was made of. */
export interface Mapped {
  readonly entry: Entry;
  readonly raw: unknown;
}

/** What an unfinished thing is now; `lost`: the conversation went on without it. */
export type Unfinished = 'running' | 'stale' | 'lost' | 'cancelled';

/** What a message needs to know of the thread around it. Plain data, so that two readings can be compared. */
export interface MessageContext {
  /** The beginning of its ids. */
  readonly key: string;
  /** Prompts up to here, with its own. */
  readonly turn: number;
  /** Milliseconds since the epoch. */
  readonly at?: number;
  /** The entry of the subagent's call it belongs to. */
  readonly parent?: string;
  /** Of what has no result. */
  readonly unfinished: Unfinished;
  /** It belongs to a turn that may still go on. */
  readonly isLive: boolean;
  /** Of the whole turn that ends with it. */
  readonly usage?: Usage;
  /** The conversation's next message is an answer. */
  readonly isAnswered: boolean;
}

/** What entries of a message begin with. */
export function baseOf({ turn, at, parent }: MessageContext, id: string, ownAt = at): Base {
  return { id, turn, ...withoutUndefined({ at: ownAt, parent }) };
}

export interface Base {
  readonly id: string;
  readonly turn: number;
  readonly at?: number;
  readonly parent?: string;
}

/** What nothing else fits. */
export function rawEntry(base: Base, label: string, raw: unknown, json: string): Mapped {
  return { entry: { kind: 'raw', ...base, label, json }, raw };
}

/** Words that are shown as they are. */
export function plainText(text: string): Part {
  return { type: 'text', text, plain: true };
}
