import type { EventData } from '../../../session/common/sessionEvents';
import type { EntryOf } from '../../../transcript/common/entries';
import { toJson } from './toolParts';

type End = Pick<EntryOf<'end'>, 'outcome' | 'text' | 'details'>;

export function endOfTurn(reason: EventData<'prompt:complete'>['stop_reason'], who: string): End {
  switch (reason) {
    case 'cancelled':
      return { outcome: 'cancelled' };
    case 'interrupted':
      return {
        outcome: 'interrupted',
        text: 'The turn was interrupted, and the answer may be incomplete. Send a prompt to go on.',
      };
    case 'refusal':
      return { outcome: 'refused', text: `${who} refused to go on with this. Say it in another way, or start anew.` };
    case 'max_tokens':
      return { outcome: 'limit', text: 'The answer reached the limit of tokens. Ask to go on.' };
    case 'max_turn_requests':
      return { outcome: 'limit', text: 'The turn reached the limit of requests. Ask to go on.' };
    default:
      return { outcome: 'completed' };
  }
}

export function endOfFailure({ error, code, details }: EventData<'error'>): End {
  const said = typeof details === 'string' ? details : details === undefined ? undefined : toJson(details);
  const all = [code === undefined ? undefined : `Code: ${code}`, said].filter((line) => line !== undefined);
  return { outcome: 'failed', text: error, ...(all.length > 0 ? { details: all.join('\n') } : {}) };
}
