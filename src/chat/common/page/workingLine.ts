import { countWithNoun } from '../../../base/common/text/countWithNoun';
import type { Activity } from '../chatView';

/** The line above the composer that says what a conversation is doing. */
interface LineText {
  /** Without the time, so that a screen reader announces it once for each state. */
  readonly text: string;
  /** From when on the time counts, in milliseconds since the epoch. */
  readonly since: number;
  /** `attention`: it is the user's turn. `silent`: nothing was heard for so long that the user may want to act. */
  readonly tone: 'working' | 'attention' | 'silent';
}

/** Without an event for this long, the line says so and offers what can be done. */
export const silentAfterMs = 20_000;

interface WorkingLineFacts {
  readonly activity: Activity;
  /** When it began, if the activity does not say it: when the page has seen it first. */
  readonly firstSeenAt: number;
  readonly agentTitle: string;
  /** When the conversation last heard from the agent. All times are in milliseconds since the epoch, by the same clock. */
  readonly heardAt: number | undefined;
  readonly now: number;
}

export function describeActivity({ activity, agentTitle, firstSeenAt, heardAt = 0, now }: WorkingLineFacts): LineText {
  const { count = 0, kind, since = firstSeenAt, title } = activity;
  // What was heard before it began, such as the end of the turn before, says nothing about it.
  const quietSince = Math.max(heardAt, since);
  const tone = now - quietSince >= silentAfterMs ? 'silent' : 'working';
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
      const others = count > 0 ? ` and ${countWithNoun(count, 'more call')}` : '';
      return { text: `${runningText(activity)}${others}`, since, tone };
    }
    case 'stopping':
      return { text: 'Stopping', since, tone };
    case 'savingCheckpoint':
    case 'starting':
    case 'connecting':
      return { text: withoutEllipsis(title) ?? texts[kind](agentTitle), since, tone };
    default:
      if (tone === 'silent') return { text: 'The agent is silent', since: quietSince, tone };
      return { text: withoutEllipsis(title) ?? texts[kind](agentTitle), since, tone };
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
