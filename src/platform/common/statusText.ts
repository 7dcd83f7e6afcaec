import type { FeatureState, FeatureStatus } from '../../base/common/feature';

/** Codicon of a state, in the order of how much it wants the user's attention. */
const icons: Record<FeatureState, string> = {
  failed: 'error',
  attention: 'warning',
  starting: 'sync~spin',
  ready: 'broadcast',
  off: 'circle-slash',
};

const words: Record<FeatureState, string> = {
  failed: 'failed',
  attention: 'needs attention',
  starting: 'starting',
  ready: 'running',
  off: 'off',
};

export function stateIcon(state: FeatureState): string {
  return `$(${icons[state]})`;
}

export function stateWord(state: FeatureState): string {
  return words[state];
}

export interface StatusBarText {
  readonly text: string;
  /** What a screen reader says. */
  readonly label: string;
  /** A line for each feature. Its summary may hold paths and errors: it is text, not Markdown. */
  readonly tooltip: readonly { readonly icon: string; readonly title: string; readonly summary: string }[];
  readonly severity: 'none' | 'warning' | 'error';
}

/** One item for all features: the state that most wants attention, and what features with a badge have to say. */
export function statusBarText(statuses: readonly FeatureStatus[]): StatusBarText {
  const states = new Set(statuses.map((status) => status.state));
  const worst = (['failed', 'attention', 'starting', 'ready'] as const).find((state) => states.has(state)) ?? 'off';
  const badges = statuses.flatMap((status) => status.badge ?? []);
  return {
    text: [stateIcon(worst), 'Backline', ...badges].join(' '),
    label: ['Backline', ...statuses.map((status) => `${status.title} ${words[status.state]}: ${status.summary}`)].join(
      '; ',
    ),
    tooltip: statuses.map(({ state, title, summary }) => ({ icon: stateIcon(state), title, summary })),
    severity: worst === 'failed' ? 'error' : worst === 'attention' ? 'warning' : 'none',
  };
}
