import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { EventData } from '../../../session/common/sessionEvents';
import type { EntryOf } from '../../../transcript/common/entries';
import type { RecordOf } from '../conversation/logRecord';
import { toJson } from './toolParts';

export type EndFacts = Pick<EntryOf<'end'>, 'outcome' | 'text' | 'details' | 'usage'>;

export const missingEnd: EndFacts = {
  outcome: 'interrupted',
  text: 'The end of this turn was not received. The answer may be incomplete.',
};

export function endFromRecord({ outcome, text, details }: RecordOf<'ended'>): EndFacts {
  return { outcome, text, ...withoutUndefined({ details }) };
}

export function endFromStopReason(reason: EventData<'prompt:complete'>['stop_reason'], backendTitle: string): EndFacts {
  switch (reason) {
    case 'cancelled':
      return { outcome: 'cancelled' };
    case 'interrupted':
      return {
        outcome: 'interrupted',
        text: 'The turn was interrupted. The answer may be incomplete. Send a prompt to continue.',
      };
    case 'refusal':
      return {
        outcome: 'refused',
        text: `${backendTitle} refused to continue. Rephrase your prompt, or start a new conversation.`,
      };
    case 'max_tokens':
      return { outcome: 'limit', text: 'The answer reached the token limit. Send a prompt to continue.' };
    case 'max_turn_requests':
      return { outcome: 'limit', text: 'The turn reached the request limit. Send a prompt to continue.' };
    default:
      return { outcome: 'completed' };
  }
}

export function endFromError({ error, code, details }: EventData<'error'>): EndFacts {
  const said = typeof details === 'string' ? details : details === undefined ? undefined : toJson(details);
  const all = [code === undefined ? undefined : `Code: ${code}`, said].filter((line) => line !== undefined);
  return { outcome: 'failed', text: error, ...(all.length > 0 ? { details: all.join('\n') } : {}) };
}
