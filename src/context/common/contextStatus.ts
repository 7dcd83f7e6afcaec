import { countWithNoun } from '../../base/common/text/countWithNoun';
import type { FeatureStatus, StatusAction } from '../../base/common/feature';
import { oneLine } from '../../base/common/text/oneLine';
import { joinProviderTitles } from './items/itemTexts';
import type { ProviderState } from './providers/providerHandle';
import type { ProviderProblem } from './providers/providerSettings';

export interface ContextStatusInput {
  readonly isEnabled: boolean;
  readonly isTrusted: boolean;
  readonly states: readonly ProviderState[];
  readonly problems: readonly ProviderProblem[];
  readonly notes: readonly string[];
}

interface ContextActions {
  readonly toggle: string;
  readonly retry: string;
  readonly allow: string;
  readonly setSecret: string;
  readonly showLog: string;
  readonly openSettings: StatusAction;
  readonly manageTrust: string;
}

/** Maximum number of failures in the summary. Each failure also has its own row in the list. */
const maxNamed = 4;
const maxRows = 50;
/** Maximum length of an error message, in UTF-16 units. */
const maxError = 160;

/** Summarizes the state of all providers. Offers actions to fix problems. */
export function contextStatus(
  situation: ContextStatusInput,
  actions: ContextActions,
): Pick<FeatureStatus, 'state' | 'summary' | 'actions'> {
  const { isEnabled, isTrusted, states, problems, notes } = situation;
  const settings = actions.openSettings;
  if (!isEnabled) {
    const switchOn = { label: 'Turn On Context Providers', command: actions.toggle };
    return { state: 'off', summary: 'Turned off in your settings.', actions: [switchOn, settings] };
  }
  if (states.length === 0 && problems.length === 0)
    return {
      state: 'off',
      summary: 'No context providers configured. Add one in backline.context.providers.',
      actions: [settings],
    };
  const failing = states.filter(({ status }) => status === 'failing');
  const held = states.filter(({ status }) => status === 'needsConsent');
  const waiting = held.filter((state) => !isDenied(state));
  const trustOnly = !isTrusted && failing.length === 0 && waiting.length === 0;
  return {
    state: failing.length + waiting.length + problems.length > 0 && !trustOnly ? 'attention' : 'ready',
    summary: [
      ...summarize(states, failing, held),
      ...describeProblems(problems),
      ...describeNotes(states),
      ...notes,
    ].join(' '),
    actions: [
      ...[...waiting, ...held.filter(isDenied)].map(({ id, title }) => ({
        label: `Allow ${title}…`,
        command: actions.allow,
        arguments: [id],
      })),
      ...states.filter(hasNewVersion).map((state) => allowVersionAction(state, actions.allow)),
      ...retryActions(failing, actions.retry),
      ...(failing.some(({ isSecretMissing }) => isSecretMissing) ? [storeSecretAction(actions)] : []),
      ...(isTrusted ? [] : [{ label: 'Manage Workspace Trust', command: actions.manageTrust }]),
      settings,
      ...states.slice(0, maxRows).map((state) => showLogAction(state, actions.showLog)),
    ],
  };
}

function summarize(
  states: readonly ProviderState[],
  failing: readonly ProviderState[],
  held: readonly ProviderState[],
): string[] {
  const denied = held.filter(isDenied);
  const waiting = held.filter((state) => !isDenied(state));
  const count = (status: ProviderState['status']): number => states.filter((state) => state.status === status).length;
  const counts = [
    `${count('ready')} ready`,
    ...(failing.length > 0 ? [`${failing.length} failing`] : []),
    ...(count('notAskedYet') > 0 ? [`${count('notAskedYet')} not used yet`] : []),
  ];
  const offers = states.filter(hasNewVersion);
  return [
    ...(failing.length > maxNamed ? [] : failing.map(describeFailure)),
    `${counts.join(', ')}.`,
    ...(waiting.length > 0 ? [`Waiting for your permission: ${joinProviderTitles(waiting)}.`] : []),
    ...(denied.length > 0 ? [`Denied: ${joinProviderTitles(denied)}.`] : []),
    ...(offers.length > 0 ? [`New version available: ${joinProviderTitles(offers)}.`] : []),
  ];
}

/** Describes the requests that a provider supports, or why this is unknown. */
export function describeAbilities({ abilities, status }: ProviderState): string {
  if (!abilities) return status === 'notAskedYet' ? 'not used yet' : 'unknown';
  const named = [
    ...(abilities.annotations ? ['annotations'] : []),
    ...(abilities.mentions ? ['mentions'] : []),
    ...(abilities.items ? ['items'] : []),
  ];
  return named.length > 0 ? named.join(', ') : 'nothing';
}

function isDenied({ consent }: ProviderState): boolean {
  return consent?.kind === 'brought' && consent.isDenied;
}

function hasNewVersion({ status, consent }: ProviderState): boolean {
  return status === 'ready' && consent !== undefined;
}

function allowVersionAction({ id, title }: ProviderState, command: string): StatusAction {
  return { label: `Allow New Version of ${title}…`, command, arguments: [id] };
}

function showLogAction(state: ProviderState, command: string): StatusAction {
  return { label: `Show Log for ${state.title} (${describeAbilities(state)})`, command, arguments: [state.id] };
}

/** Groups providers that are turned off for the same reason. */
function describeProblems(problems: readonly ProviderProblem[]): string[] {
  const byMessage = Map.groupBy(problems, ({ message }) => message);
  return [...byMessage].map(([message, ids]) => `Off: ${ids.map(({ id }) => id).join(', ')}. ${withPeriod(message)}`);
}

function describeNotes(states: readonly ProviderState[]): string[] {
  return states.flatMap(({ title, notes }) => {
    const [first, ...others] = notes;
    if (first === undefined) return [];
    const more = others.length > 0 ? ` (and ${countWithNoun(others.length, 'more note')})` : '';
    return [`${title}: ${withPeriod(first)}${more}`];
  });
}

function retryActions(failing: readonly ProviderState[], command: string): StatusAction[] {
  const each = failing
    .slice(0, maxRows)
    .map((state) => ({ label: `Retry ${describeFailure(state)}`, command, arguments: [state.id] }));
  return failing.length > maxNamed ? [{ label: 'Retry All', command }, ...each] : each;
}

/** Describes the failure in one short line, because the status list truncates long rows. */
function describeFailure({ title, lastError = 'no reason given' }: ProviderState): string {
  const line = oneLine(lastError);
  return `${title}: ${withPeriod(line.length > maxError ? `${line.slice(0, maxError)}…` : line)}`;
}

function storeSecretAction({ setSecret }: ContextActions): StatusAction {
  return { label: 'Set Secret…', command: setSecret };
}

function withPeriod(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
