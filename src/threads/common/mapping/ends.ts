import type { Entry, EntryOf } from '../../../transcript/common/entries';
import { turnEndEntryId } from '../model/entryIds';
import { isRecord, asNonEmptyText } from '../model/jsonValues';
import { displayJson } from '../model/displayJson';
import { MessageState, type Message } from '../model/threadSchema';
import { isMessageStopped } from '../model/threadState';
import { entryBase, type MessagePlace } from './parts/entryWithRawJson';
import type { UnfinishedCallStates } from './parts/toolRun';

type TurnEnd = Pick<EntryOf<'end'>, 'outcome' | 'text' | 'details'>;

/** Returns the entry that ends the turn after this message. Undefined if the turn continues. */
export function turnEndEntry(message: Message, place: MessagePlace, hasEntries: boolean): Entry | undefined {
  const base = entryBase(place, turnEndEntryId(place.key));
  if (message.role === 'user') return message.interrupted === true ? interrupted(base, place) : undefined;
  if (message.role !== 'assistant') return undefined;
  if (message.state === undefined || message.state === null) return undefined;
  const state = MessageState.safeParse(message.state).data;
  if (state?.type === 'streaming') return streaming(base, place, hasEntries);
  const end = endOf(state, message.state);
  if (!end || (end.outcome === 'completed' && place.parent !== undefined)) return undefined;
  const durationMs = message.turnElapsedMs;
  return {
    kind: 'end',
    ...base,
    ...end,
    ...(place.usage === undefined ? {} : { usage: place.usage }),
    ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs }),
  };
}

/** Returns the states of an unfinished call in this message. */
export function unfinishedCallStates(
  message: Message,
  { unfinished, isLive }: MessagePlace,
  isComplete = true,
): UnfinishedCallStates {
  if (isMessageStopped(message.state)) return { withResult: 'cancelled', withoutResult: 'cancelled', isComplete };
  return { withResult: isLive ? 'running' : 'stale', withoutResult: unfinished, isComplete };
}

function endOf(state: MessageState | undefined, raw: unknown): TurnEnd | undefined {
  switch (state?.type) {
    case 'cancelled':
      return { outcome: 'cancelled', text: 'The turn was canceled.' };
    case 'error':
      return failed(state.error);
    case 'complete':
      return endOfComplete(state.stopReason);
    default:
      return unknownState(raw);
  }
}

function endOfComplete(reason: string | undefined): TurnEnd | undefined {
  switch (reason) {
    case 'tool_use':
      return undefined;
    case 'max_tokens':
      return { outcome: 'limit', text: 'The answer reached the token limit and is incomplete.' };
    case 'refusal':
      return { outcome: 'refused', text: 'The model refused to continue.' };
    case undefined:
    case 'end_turn':
    case 'stop_sequence':
      return { outcome: 'completed' };
    default:
      return { outcome: 'completed', text: `Ended with reason “${reason}”.` };
  }
}

function failed(error: unknown): TurnEnd {
  const message = isRecord(error) ? asNonEmptyText(error['message']) : asNonEmptyText(error);
  if (message === undefined)
    return { outcome: 'failed', text: 'The turn failed without an error message.', ...detailsOf(error) };
  const hasMore = isRecord(error) && Object.keys(error).length > 1;
  return { outcome: 'failed', text: message, ...(hasMore ? detailsOf(error) : {}) };
}

function detailsOf(error: unknown): { details?: string } {
  return error === undefined || error === null ? {} : { details: displayJson(error) };
}

function unknownState(state: unknown): TurnEnd {
  return { outcome: 'interrupted', text: 'The turn ended for an unknown reason.', details: displayJson(state) };
}

function interrupted(base: ReturnType<typeof entryBase>, { isAnswered }: MessagePlace): Entry {
  if (isAnswered) return { kind: 'notice', ...base, level: 'info', text: 'The user interrupted the next answer.' };
  return { kind: 'end', ...base, outcome: 'interrupted', text: 'The turn was interrupted by the user.' };
}

function streaming(
  base: ReturnType<typeof entryBase>,
  { unfinished }: MessagePlace,
  hasEntries: boolean,
): Entry | undefined {
  if (unfinished === 'running') {
    return hasEntries
      ? undefined
      : { kind: 'notice', ...base, level: 'info', text: 'The agent is starting to answer.' };
  }
  const text =
    unfinished === 'lost'
      ? 'This turn is incomplete. The thread continued without its end.'
      : 'This turn is marked as running, but was not updated for a while. It is probably incomplete.';
  return { kind: 'end', ...base, outcome: 'interrupted', text };
}
