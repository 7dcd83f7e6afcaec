import { countWithNoun } from '../../../base/common/text/countWithNoun';
import type { FeatureStatus, StatusAction } from '../../../base/common/feature';
import { commandIds } from '../../../manifest';
import type { ThreadHead } from '../threadPorts';

interface ThreadsSummary {
  readonly heads: readonly Pick<ThreadHead, 'state'>[];
  /** Whether `heads` were loaded. */
  readonly isListed: boolean;
  /** Why sources have failed, and what the user can do. */
  readonly problemTexts: readonly string[];
  /** Why sources have no threads. */
  readonly absenceReasons: readonly string[];
}

const actions: readonly StatusAction[] = [{ label: 'Search Threads', command: commandIds.threadsSearch }];

/** The state until the user first views the list. */
export const threadsSummaryBeforeListing: ThreadsSummary = {
  heads: [],
  isListed: false,
  problemTexts: [],
  absenceReasons: [],
};

export function threadsStatus(threads: ThreadsSummary): Pick<FeatureStatus, 'state' | 'summary' | 'actions'> {
  const { absenceReasons, heads, isListed, problemTexts } = threads;
  if (problemTexts.length > 0) return { actions, state: 'attention', summary: problemTexts.join(' ') };
  if (!isListed) return { actions, state: 'ready', summary: 'Threads are loaded when you open the list.' };
  if (heads.length === 0 && absenceReasons.length > 0)
    return { actions, state: 'ready', summary: absenceReasons.join(' ') };
  const running = heads.filter(({ state }) => state === 'running').length;
  const summary = `${countWithNoun(heads.length, 'thread')}${running > 0 ? `, ${running} running` : ''}.`;
  return { actions, state: 'ready', summary };
}
