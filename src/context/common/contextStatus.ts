import type { FeatureStatus, StatusAction } from '../../base/common/feature';
import { countOf, namesOf } from './itemTexts';
import type { ProviderState } from './providerHandle';
import type { ProviderProblem } from './providerSettings';

export interface ContextSituation {
  readonly isEnabled: boolean;
  readonly isTrusted: boolean;
  readonly states: readonly ProviderState[];
  readonly problems: readonly ProviderProblem[];
  /** About the file that is looked at. */
  readonly notes: readonly string[];
}

export interface ContextActions {
  readonly toggle: string;
  readonly retry: string;
  readonly allow: string;
  readonly setSecret: string;
  readonly openSettings: StatusAction;
  readonly manageTrust: string;
}

const maxRetries = 4;
/** UTF-16 units. */
const maxError = 160;

/** What the user reads of the providers: how many there are, what is wrong with which, and what to do. */
export function contextStatus(
  situation: ContextSituation,
  actions: ContextActions,
): Pick<FeatureStatus, 'state' | 'summary' | 'actions'> {
  const { isEnabled, isTrusted, states, problems, notes } = situation;
  const settings = actions.openSettings;
  if (!isEnabled) {
    const switchOn = { label: 'Switch context providers on', command: actions.toggle };
    return { state: 'off', summary: 'Off in your settings.', actions: [switchOn, settings] };
  }
  if (states.length === 0 && problems.length === 0)
    return { state: 'off', summary: 'None is set up. Add one to backline.context.providers.', actions: [settings] };
  const failing = states.filter(({ status }) => status === 'failing');
  const waiting = states.filter(({ status }) => status === 'needsConsent');
  const trustOnly = !isTrusted && failing.length === 0 && waiting.length === 0;
  return {
    state: failing.length + waiting.length + problems.length > 0 && !trustOnly ? 'attention' : 'ready',
    summary: [...summaryOf(states, failing, waiting), ...problemsOf(problems), ...notesOf(states), ...notes].join(' '),
    actions: [
      ...waiting.map(({ id, title }) => ({ label: `Allow ${title}…`, command: actions.allow, arguments: [id] })),
      ...retries(failing, actions.retry),
      ...(failing.some(({ lastError }) => lastError?.startsWith('The secret "')) ? [secret(actions)] : []),
      ...(isTrusted ? [] : [{ label: 'Manage workspace trust', command: actions.manageTrust }]),
      settings,
    ],
  };
}

function summaryOf(
  states: readonly ProviderState[],
  failing: readonly ProviderState[],
  waiting: readonly ProviderState[],
): string[] {
  const ready = states.length - failing.length - waiting.length;
  return [
    ...failing.map(failureOf),
    `${ready} ready${failing.length > 0 ? `, ${failing.length} failing` : ''}.`,
    ...(waiting.length > 0 ? [`Waiting for your word: ${namesOf(waiting)}.`] : []),
  ];
}

/** Many are off for the same reason. */
function problemsOf(problems: readonly ProviderProblem[]): string[] {
  const byMessage = Map.groupBy(problems, ({ message }) => message);
  return [...byMessage].map(([message, ids]) => `Off: ${ids.map(({ id }) => id).join(', ')}. ${sentence(message)}`);
}

function notesOf(states: readonly ProviderState[]): string[] {
  return states.flatMap(({ title, notes }) => {
    const [first, ...others] = notes;
    if (first === undefined) return [];
    const more = others.length > 0 ? ` (and ${countOf(others.length, 'more note')})` : '';
    return [`${title}: ${sentence(first)}${more}`];
  });
}

function retries(failing: readonly ProviderState[], command: string): StatusAction[] {
  if (failing.length > maxRetries) return [{ label: 'Retry all', command }];
  return failing.map((state) => ({ label: `Retry ${failureOf(state)}`, command, arguments: [state.id] }));
}

/** In one line: rows of the status are cut off at the edge of the window. */
function failureOf({ title, lastError = 'it does not say why' }: ProviderState): string {
  const line = lastError
    .replace(/\s+imported from [^\n]*?context-worker\.js/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return `${title}: ${sentence(line.length > maxError ? `${line.slice(0, maxError)}…` : line)}`;
}

function secret({ setSecret }: ContextActions): StatusAction {
  return { label: 'Store a secret', command: setSecret };
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
