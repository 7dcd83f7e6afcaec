import type { Entry, EntryOf } from '../../../transcript/common/entries';
import { endId } from '../model/entryIds';
import { isRecord, textOf } from '../model/jsonValues';
import { rawJson } from '../model/rawJson';
import { MessageState, type Message } from '../model/threadSchema';
import { isStopped } from '../model/threadState';
import { baseOf, type MessageContext } from './parts/mapped';
import type { OpenCall } from './parts/toolRun';

/** How a turn ended, in the user's words: each way looks different, and none is blank. */

type End = Pick<EntryOf<'end'>, 'outcome' | 'text' | 'details'>;

/** Undefined while a message goes on, or when another one goes on for it. */
export function endOfMessage(message: Message, context: MessageContext, hasEntries: boolean): Entry | undefined {
  const base = baseOf(context, endId(context.key));
  if (message.role === 'user') return message.interrupted === true ? interrupted(base, context) : undefined;
  if (message.role !== 'assistant') return undefined;
  if (message.state === undefined || message.state === null) return undefined;
  const state = MessageState.safeParse(message.state).data;
  if (state?.type === 'streaming') return streaming(base, context, hasEntries);
  const end = endOf(state, message.state);
  if (!end || (end.outcome === 'completed' && context.parent !== undefined)) return undefined;
  const durationMs = message.turnElapsedMs;
  return {
    kind: 'end',
    ...base,
    ...end,
    ...(context.usage === undefined ? {} : { usage: context.usage }),
    ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs }),
  };
}

/** What a call that has not ended is now, in a message that has ended in its way. */
export function openCall(message: Message, { unfinished, isLive }: MessageContext, isComplete = true): OpenCall {
  if (isStopped(message.state)) return { reported: 'cancelled', unheard: 'cancelled', isComplete };
  return { reported: isLive ? 'running' : 'stale', unheard: unfinished, isComplete };
}

function endOf(state: MessageState | undefined, raw: unknown): End | undefined {
  switch (state?.type) {
    case 'cancelled':
      return { outcome: 'cancelled', text: 'Cancelled: the user stopped this turn.' };
    case 'error':
      return failed(state.error);
    case 'complete':
      return endOfComplete(state.stopReason);
    default:
      return unknownState(raw);
  }
}

function endOfComplete(reason: string | undefined): End | undefined {
  switch (reason) {
    case 'tool_use':
      return undefined;
    case 'max_tokens':
      return { outcome: 'limit', text: 'The answer reached the limit of tokens and is incomplete.' };
    case 'refusal':
      return { outcome: 'refused', text: 'The model refused to go on with this.' };
    case undefined:
    case 'end_turn':
    case 'stop_sequence':
      return { outcome: 'completed' };
    default:
      return { outcome: 'completed', text: `Ended with the reason “${reason}”.` };
  }
}

function failed(error: unknown): End {
  const message = isRecord(error) ? textOf(error['message']) : textOf(error);
  if (message === undefined)
    return { outcome: 'failed', text: 'This turn failed. The thread does not say why.', ...detailsOf(error) };
  const isMore = isRecord(error) && Object.keys(error).length > 1;
  return { outcome: 'failed', text: message, ...(isMore ? detailsOf(error) : {}) };
}

function detailsOf(error: unknown): { details?: string } {
  return error === undefined || error === null ? {} : { details: rawJson(error) };
}

function unknownState(state: unknown): End {
  return {
    outcome: 'interrupted',
    text: 'This turn ended in a way that Backline does not know.',
    details: rawJson(state),
  };
}

function interrupted(base: ReturnType<typeof baseOf>, { isAnswered }: MessageContext): Entry {
  if (isAnswered) return { kind: 'notice', ...base, level: 'info', text: 'The user interrupted what came next.' };
  return { kind: 'end', ...base, outcome: 'interrupted', text: 'The user interrupted this turn.' };
}

function streaming(
  base: ReturnType<typeof baseOf>,
  { unfinished }: MessageContext,
  hasEntries: boolean,
): Entry | undefined {
  if (unfinished === 'running') {
    return hasEntries ? undefined : { kind: 'notice', ...base, level: 'info', text: 'The agent is about to answer.' };
  }
  const text =
    unfinished === 'lost'
      ? 'This turn was cut off: the thread went on without its end.'
      : 'This turn says that it runs, but nothing has written it for a while. It was probably cut off.';
  return { kind: 'end', ...base, outcome: 'interrupted', text };
}
