import { countOf } from '../../../base/common/countOf';
import type { FeatureStatus, StatusAction } from '../../../base/common/feature';
import { commandIds } from '../../../manifest';
import type { ThreadHead } from '../threadPorts';

interface ThreadsSituation {
  readonly heads: readonly Pick<ThreadHead, 'state'>[];
  /** Whether `heads` says something. */
  readonly isListed: boolean;
  /** What sources cannot do, and what the user can do about it. */
  readonly problems: readonly string[];
  /** Why sources have nothing. */
  readonly absences: readonly string[];
}

const actions: readonly StatusAction[] = [{ label: 'Search threads', command: commandIds.threadsSearch }];

/** Before somebody looked. */
export const notListed: ThreadsSituation = { heads: [], isListed: false, problems: [], absences: [] };

export function threadsStatus({
  absences,
  heads,
  isListed,
  problems,
}: ThreadsSituation): Pick<FeatureStatus, 'state' | 'summary' | 'actions'> {
  if (problems.length > 0) return { actions, state: 'attention', summary: problems.join(' ') };
  if (!isListed) return { actions, state: 'ready', summary: 'They are read when somebody looks at the list.' };
  if (heads.length === 0 && absences.length > 0) return { actions, state: 'ready', summary: absences.join(' ') };
  const running = heads.filter(({ state }) => state === 'running').length;
  return {
    actions,
    state: 'ready',
    summary: `${countOf(heads.length, 'thread')}${running > 0 ? `, ${running} running` : ''}.`,
  };
}
