import { countWithNoun } from '../../../base/common/countWithNoun';
import type { Activity } from '../chatView';

/** The line above the composer that says what a conversation is doing. */
interface LineText {
  /** Without the time, so that a screen reader announces it once for each state. */
  readonly text: string;
  /** From when on the time counts, in milliseconds since the epoch. */
  readonly since: number | undefined;
  /** `attention`: it is the user's turn. `silent`: nothing was heard for so long that the user may want to act. */
  readonly tone: 'working' | 'attention' | 'silent';
}

/** Without an event for this long, the line says so and offers what can be done. */
export const silentAfterMs = 20_000;

interface WorkingLineFacts {
  readonly activity: Activity;
  readonly agentTitle: string;
  /** When the conversation last heard from the agent. Both in milliseconds since the epoch, by the same clock. */
  readonly heardAt: number | undefined;
  readonly now: number;
}

export function describeActivity({ activity, agentTitle, heardAt, now }: WorkingLineFacts): LineText {
  const { count = 0, kind, since, title } = activity;
  const isSilent = heardAt !== undefined && now - heardAt >= silentAfterMs;
  switch (kind) {
    case 'askingToSave':
      return { text: 'Waiting for your answer about unsaved files', since, tone: 'attention' };
    case 'waiting':
      return {
        text: count > 1 ? `${count} approvals need your answer` : 'Needs your approval',
        since,
        tone: 'attention',
      };
    case 'running': {
      const others = count > 0 ? ` and ${countWithNoun(count, 'other')}` : '';
      return { text: `${runningText(activity)}${others}`, since, tone: isSilent ? 'silent' : 'working' };
    }
    case 'stopping':
      return { text: 'Stopping', since, tone: isSilent ? 'silent' : 'working' };
    default:
      if (isSilent) return { text: `No word from ${agentTitle} for`, since: heardAt, tone: 'silent' };
      return { text: withoutEllipsis(title) ?? texts[kind](agentTitle), since, tone: 'working' };
  }
}

const texts: Record<
  'savingCheckpoint' | 'starting' | 'connecting' | 'working' | 'thinking' | 'answering',
  (agent: string) => string
> = {
  savingCheckpoint: () => 'Saving a checkpoint',
  starting: (agent) => `Starting ${agent}`,
  connecting: (agent) => `Connecting to ${agent}`,
  working: () => 'Working',
  thinking: () => 'Thinking',
  answering: () => 'Answering',
};

function runningText({ isCommand = false, title = '' }: Activity): string {
  if (title === '') return 'Running a tool';
  return isCommand && !/^run/i.test(title) ? `Running ${title}` : title;
}

/** The line ends with the time instead. */
function withoutEllipsis(text: string | undefined): string | undefined {
  const shown = text?.replace(/\s*(?:…|\.{3})$/, '').trim();
  return shown === '' ? undefined : shown;
}
