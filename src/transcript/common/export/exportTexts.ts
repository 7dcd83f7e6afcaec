import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { endWords, outcomeLabels, toolStateLabels } from '../stateLabels';
import { toolFailureText } from '../toolFailure';
import type { Attachment, EntryOf, Part, Usage } from '../entries';

/** ANSI sequences: colors, cursor movements and window titles. */
const ansi = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

export function stripAnsi(text: string): string {
  return text.replace(ansi, '');
}

export function promptHeading({ isSteered }: EntryOf<'prompt'>): string {
  return isSteered ? 'User, during the turn' : 'User';
}

export function attachmentText({ line, notSent, path, title }: Attachment): string {
  const place = path === undefined ? '' : ` (${path}${line === undefined ? '' : `:${line}`})`;
  return `${title}${place}${notSent === true ? ', not sent' : ''}`;
}

export function diffText({ hunks }: Extract<Part, { type: 'diff' }>): string {
  const marks = { context: ' ', add: '+', remove: '-' } as const;
  return hunks
    .map(({ lines, newStart, oldStart }) => {
      const oldCount = lines.filter(({ kind }) => kind !== 'add').length;
      const newCount = lines.filter(({ kind }) => kind !== 'remove').length;
      const header = `@@ -${oldStart},${oldCount} +${newStart},${newCount} @@`;
      return [header, ...lines.map(({ kind, text }) => `${marks[kind]}${text}`)].join('\n');
    })
    .join('\n');
}

export function omittedText(omitted: number | undefined): string | undefined {
  return omitted === undefined || omitted === 0 ? undefined : `(${omitted} more characters omitted)`;
}

export function terminalText({ command, exitCode, output, signal }: Extract<Part, { type: 'terminal' }>): string {
  const lines = [
    ...(command === undefined ? [] : [`$ ${command}`]),
    ...(output === '' ? [] : [stripAnsi(output).replace(/\n$/, '')]),
    ...(typeof exitCode === 'number' && exitCode !== 0 ? [`[exit code ${exitCode}]`] : []),
    ...(signal === undefined ? [] : [`[ended by ${signal}]`]),
  ];
  return lines.join('\n');
}

export function toolSummary(entry: EntryOf<'tool'>): string {
  const { decision, durationMs, state, title } = entry;
  const facts = [
    ...[state === 'done' ? toolFailureText(entry) : toolStateLabels[state]].filter((word) => word !== undefined),
    ...(decision === undefined ? [] : [decision]),
    ...(durationMs === undefined ? [] : [durationText(durationMs)]),
  ];
  return facts.length > 0 ? `${title} — ${facts.join(', ')}` : title;
}

export function turnEndText(entry: EntryOf<'end'>): string | undefined {
  const { changes, failure, outcome, usage } = entry;
  const parts = [
    ...(outcome === 'completed' && !failure ? [] : [endWords(entry) ?? `${outcomeLabels[outcome]}.`]),
    ...(changes && changes.length > 0
      ? [`Changed: ${changes.map(({ added, path, removed }) => `${path} (+${added} −${removed})`).join(', ')}.`]
      : []),
    ...(usage ? [usageText(usage)] : []),
  ].filter((part) => part !== '');
  return parts.length > 0 ? parts.join(' ') : undefined;
}

export function durationText(ms: number): string {
  // Rounded before the comparison, so that 59.9 s never becomes "60 s".
  const [whole, tenths, seconds] = [Math.round(ms), Math.round(ms / 100), Math.round(ms / 1000)];
  if (whole < 1000) return `${whole} ms`;
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function usageText({ cost, input, output }: Usage): string {
  const tokens = [
    ...(input === undefined ? [] : [countWithNoun(input, 'input token')]),
    ...(output === undefined ? [] : [countWithNoun(output, 'output token')]),
    ...(cost ? [`${cost.amount} ${cost.currency}`] : []),
  ];
  return tokens.length > 0 ? `Used: ${tokens.join(', ')}.` : '';
}
