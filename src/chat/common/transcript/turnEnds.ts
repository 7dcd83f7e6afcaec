import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { oneLine } from '../../../base/common/text/oneLine';
import { withoutKeys } from '../../../base/common/text/withoutKeys';
import type { EventData, SessionEvent } from '../../../session/common/sessionEvents';
import type { EntryOf } from '../../../transcript/common/entries';
import type { RecordOf } from '../conversation/logRecord';
import type { SentPrompt } from './sentPrompt';
import { toJson } from './toolParts';
import { classifyFailure, describeFailure } from './turnFailure';

export type EndFacts = Pick<EntryOf<'end'>, 'outcome' | 'text' | 'details' | 'usage' | 'failure'>;

/** Maximum length of an error of an unknown kind in its line, in UTF-16 units. All of it is in the details. */
const maxLineUnits = 240;

export const missingEnd: EndFacts = {
  outcome: 'interrupted',
  text: 'The end of this turn was not received. The answer may be incomplete.',
};

export function endFromRecord({ outcome, text, details }: RecordOf<'ended'>): EndFacts {
  return { outcome, text, ...withoutUndefined({ details }), failure: { kind: 'cutOff' } };
}

type Completion = Pick<EventData<'prompt:complete'>, 'stop_reason' | 'unknown_stop_reason'>;

export function endFromStopReason({ stop_reason, unknown_stop_reason: unknown }: Completion, agent: string): EndFacts {
  switch (stop_reason) {
    case 'cancelled':
      return { outcome: 'cancelled' };
    case 'interrupted':
      return {
        outcome: 'interrupted',
        text: 'The turn was interrupted. The answer may be incomplete. Send a prompt to continue.',
        failure: { kind: 'cutOff' },
      };
    case 'refusal':
      return {
        outcome: 'refused',
        text: `${agent} refused to continue. Rephrase your prompt, or start a new conversation.`,
        failure: { kind: 'refused' },
      };
    case 'max_tokens':
      return {
        outcome: 'limit',
        text: 'The answer reached the token limit. Send a prompt to continue.',
        failure: { kind: 'cutOff' },
      };
    case 'max_turn_requests':
      return {
        outcome: 'limit',
        text: 'The turn reached the request limit. Send a prompt to continue.',
        failure: { kind: 'cutOff' },
      };
    default:
      if (unknown === undefined) return { outcome: 'completed' };
      return {
        outcome: 'completed',
        text: `${agent} ended the turn for a reason that Backline does not know: “${oneLine(unknown)}”.`,
        failure: { kind: 'cutOff' },
      };
  }
}

/**
 * Like `endFromStopReason`, but says so if the agent has neither said nor done anything. A command of the agent may end like
 * that. `prompt`: the prompt of this conversation to which the turn belongs.
 */
export function endFromCompletion(
  data: Completion,
  agent: string,
  prompt: SentPrompt | undefined,
  hasAnswered: boolean,
): EndFacts {
  const end = endFromStopReason(data, agent);
  const isWell = end.outcome === 'completed' && !end.failure;
  const needsAnswer = prompt?.id !== undefined && !prompt.draft.text.startsWith('/');
  if (!isWell || !needsAnswer || hasAnswered) return end;
  return { ...end, text: `${agent} ended the turn without an answer.`, failure: { kind: 'noAnswer' } };
}

/** Whether the event shows something that the agent says or does. Its thoughts are no answer. */
export function isAnswer(event: SessionEvent): boolean {
  if (event.event === 'content_block:delta') return event.data.delta.trim() !== '';
  return event.event === 'content_block:media' || event.event === 'tool:pre' || event.event === 'plan:update';
}

/** Marks a failed turn whose prompt this conversation can send again. */
export function withRetry(end: EndFacts, prompt: SentPrompt | undefined): EndFacts {
  if (!end.failure || prompt?.id === undefined) return end;
  return { ...end, failure: { ...end.failure, canRetry: true } };
}

/** `at`: when the error was reported, in milliseconds since the epoch. */
export function endFromError(
  { error, code, details }: EventData<'error'>,
  agent: string,
  at: number | undefined,
): EndFacts & { readonly text: string } {
  const said = typeof details === 'string' ? details : details === undefined ? undefined : toJson(details);
  const failure = classifyFailure({ text: error, code, details: said, at });
  const line = oneLine(withoutKeys(error));
  const short = line.length <= maxLineUnits ? line : `${line.slice(0, maxLineUnits - 1).toWellFormed()}…`;
  const text = describeFailure(failure, agent) ?? short;
  const raw = [text === error ? undefined : error, code === undefined ? undefined : `Code: ${code}`, said].filter(
    (part) => part !== undefined,
  );
  const { kind } = failure;
  const resetsAt = 'resetsAt' in failure ? failure.resetsAt : undefined;
  return {
    outcome: 'failed',
    text,
    ...(raw.length > 0 && { details: withoutKeys(raw.join('\n')) }),
    failure: { kind, ...withoutUndefined({ resetsAt }) },
  };
}
