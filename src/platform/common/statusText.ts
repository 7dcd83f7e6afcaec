import type { FeatureState, FeatureStatus } from '../../base/common/feature';

const stateIcons: Record<FeatureState, string> = {
  failed: 'error',
  attention: 'warning',
  starting: 'sync~spin',
  ready: 'broadcast',
  off: 'circle-slash',
};

export const featureStateLabels: Record<FeatureState, string> = {
  failed: 'failed',
  attention: 'needs attention',
  starting: 'starting',
  ready: 'running',
  off: 'off',
};

export function featureStateIcon(state: FeatureState): string {
  return `$(${stateIcons[state]})`;
}

/** Ids of features in the order in which people use them. Others follow. */
const menuOrder = ['chat', 'consent', 'acp', 'agents', 'tools', 'context', 'amplifier', 'amplifierServe'];

/** Returns the features for the status list: the chat, then what needs the user, then the others in the order of use. */
export function inMenuOrder(statuses: readonly FeatureStatus[]): readonly FeatureStatus[] {
  const rank = ({ id, state }: FeatureStatus): number => {
    if (id === menuOrder[0]) return -2;
    if (state === 'failed' || state === 'attention') return -1;
    const place = menuOrder.indexOf(id);
    return place < 0 ? menuOrder.length : place;
  };
  return statuses.toSorted((one, other) => rank(one) - rank(other));
}

export interface StatusBarContent {
  readonly text: string;
  /** The label for screen readers. */
  readonly label: string;
  /** One line for each feature. The summary is plain text and not Markdown. */
  readonly tooltip: readonly { readonly icon: string; readonly title: string; readonly summary: string }[];
  readonly severity: 'none' | 'warning' | 'error';
  /** What is going on, one line each, as plain text. It comes before the features. */
  readonly highlights: readonly string[];
  /** Id of the command that a click runs. Undefined for the status list. */
  readonly command: string | undefined;
}

const severities = { failed: 'error', attention: 'warning', starting: 'none', ready: 'none', off: 'none' } as const;

/** Combines all features in one status bar item, which shows the most urgent state. */
export function createStatusBarContent(statuses: readonly FeatureStatus[]): StatusBarContent {
  const states = new Set(statuses.map((status) => status.state));
  const worst = (['failed', 'attention', 'starting', 'ready'] as const).find((state) => states.has(state)) ?? 'off';
  const highlight = statuses.find((status) => status.highlight)?.highlight;
  const isProblem = worst === 'failed' || worst === 'attention';
  const shown = highlight && (highlight.isUrgent || !isProblem) ? highlight : undefined;
  const suffix = shown?.text === undefined ? '' : `: ${shown.text}`;
  return {
    text: `${shown ? `$(${shown.icon})` : featureStateIcon(worst)} Backline${suffix}`,
    label: [
      `Backline${suffix}`,
      ...(highlight?.lines ?? []),
      ...statuses.map((status) => `${status.title} ${featureStateLabels[status.state]}: ${status.summary}`),
    ].join('; '),
    tooltip: statuses.map(({ state, title, summary }) => ({ icon: featureStateIcon(state), title, summary })),
    severity: shown?.isUrgent === true ? 'warning' : severities[worst],
    highlights: highlight?.lines ?? [],
    command: shown?.command,
  };
}
