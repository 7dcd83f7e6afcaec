import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import type { ThreadHead } from '../threadPorts';
import type { Usage } from '../../../transcript/common/entries';
import { sourceLabels } from './threadFilters';
import type { ThreadNode } from './threadTree';

/** The texts and the icon of a row, for all kinds of lists. */
export interface ThreadRow {
  readonly label: string;
  readonly description: string;
  /** Tooltip in Markdown. Text from the thread is escaped. */
  readonly tooltip: string;
  /** The name of a codicon. */
  readonly icon: string;
  readonly state: 'plain' | 'running' | 'waiting' | 'unread' | 'attention' | 'faded';
  /** Label for screen readers. */
  readonly accessibleLabel: string;
}

const times = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const days = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const dates = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });
const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function threadRow({ head, relation, isUnread }: ThreadNode, nowMs: number): ThreadRow {
  const label = displayTitle(head);
  const state = stateText(head, isUnread);
  const time = shortTime(head.lastPromptAt, nowMs);
  const place = head.branch ?? folderName(head);
  const description = showHiddenCharacters(
    head.problem ?? [state, time, place].filter((text) => text !== undefined && text !== '').join(' · '),
  );
  return {
    label,
    description,
    tooltip: tooltipOf(head),
    icon: iconOf(head, relation, isUnread),
    state: rowState(head, isUnread),
    accessibleLabel: `${label}, ${description}`,
  };
}

/** Returns the title for display. Hidden and bidirectional characters are shown as code points. */
export function displayTitle(head: ThreadHead): string {
  return showHiddenCharacters(titleOf(head));
}

/** Returns the title on a single line. Never empty. */
export function titleOf({ title, firstPrompt, problem, id }: ThreadHead): string {
  const lines = [title, firstPrompt].map((text = '') => text.replace(/\s+/g, ' ').trim());
  const line = lines.find((text) => text !== '');
  if (line !== undefined) return line;
  return problem === undefined ? 'Untitled' : id;
}

function stateText({ state, isArchived }: ThreadHead, isUnread: boolean): string | undefined {
  if (state === 'running') return 'running';
  if (state === 'waiting') return 'waiting for you';
  if (isUnread) return 'new';
  if (state === 'stale') return 'not finished';
  if (state === 'cancelled') return 'canceled';
  if (state === 'error') return 'failed';
  return isArchived ? 'archived' : undefined;
}

function rowState({ state, isArchived, problem }: ThreadHead, isUnread: boolean): ThreadRow['state'] {
  if (problem !== undefined) return 'attention';
  if (state === 'running' || state === 'waiting') return state;
  if (isUnread) return 'unread';
  return isArchived ? 'faded' : 'plain';
}

function iconOf(head: ThreadHead, relation: ThreadNode['relation'], isUnread: boolean): string {
  if (head.problem !== undefined) return 'warning';
  if (head.state === 'running') return 'loading~spin';
  if (head.state === 'waiting') return 'bell-dot';
  if (isUnread) return 'circle-filled';
  if (head.state === 'error') return 'error';
  if (head.state === 'cancelled') return 'circle-slash';
  if (head.state === 'stale') return 'debug-disconnect';
  if (relation === 'fork') return 'repo-forked';
  if (relation === 'handoff') return 'arrow-right';
  if (relation === 'subthread') return 'type-hierarchy-sub';
  return head.isArchived ? 'archive' : 'comment-discussion';
}

function shortTime(time: number, nowMs: number): string {
  if (!isValidTime(time)) return '';
  const [date, now] = [new Date(time), new Date(nowMs)];
  if (date.toDateString() === now.toDateString()) return times.format(date);
  return date.getFullYear() === now.getFullYear() ? days.format(date) : dates.format(date);
}

/** Whether a number is a valid time, because files may contain any number. */
function isValidTime(time: number | undefined): time is number {
  return time !== undefined && time > 0 && time < 8.64e15;
}

function folderName({ folders }: ThreadHead): string | undefined {
  return folders[0]?.replace(/[\\/]+$/, '').replace(/^.*[\\/]/, '');
}

function tooltipOf(head: ThreadHead): string {
  const { repository, branch, folders, promptCount, messageCount, mode, model, usage, createdAt, lastPromptAt } = head;
  const counts = [
    ...(promptCount > 0 ? [countWithNoun(promptCount, 'prompt')] : []),
    countWithNoun(messageCount, 'message'),
    ...(head.hasChanges ? ['files changed'] : []),
  ].join(', ');
  const lines = [
    ...(head.problem === undefined ? [] : [`$(warning) ${escapeMarkdown(head.problem)}`]),
    ...factLine('Repository', [repository, branch]),
    ...factLine('Folder', [folders.join(', ')]),
    ...factLine('Created', [isValidTime(createdAt) ? moments.format(createdAt) : undefined]),
    ...factLine('Last prompt', [isValidTime(lastPromptAt) ? moments.format(lastPromptAt) : undefined]),
    ...(head.problem === undefined ? factLine('Messages', [counts]) : []),
    ...factLine('Mode', [mode, model]),
    ...factLine('Usage', [usage && usageText(usage)]),
    ...factLine('Size', [head.sizeBytes === undefined ? undefined : sizeText(head.sizeBytes)]),
    ...factLine('Source', [`${sourceLabels[head.source]}${head.isArchived ? ', archived' : ''}`]),
  ];
  return [`**${escapeMarkdown(titleOf(head))}**`, lines.join('  \n'), escapeMarkdown(head.id)].join('\n\n');
}

function factLine(label: string, values: readonly (string | undefined)[]): readonly string[] {
  const known = values.filter((value): value is string => value !== undefined && value !== '');
  return known.length === 0 ? [] : [`${label}: ${known.map(escapeMarkdown).join(' · ')}`];
}

/** Escapes all Markdown syntax, so that the text is shown unchanged. */
export function escapeMarkdown(text: string): string {
  return showHiddenCharacters(text.replace(/\s+/g, ' ')).replace(/[\\`*_{}[\]()#+\-.!|<>~&$:/@"']/g, '\\$&');
}

function usageText({ input, output, cacheRead, cacheWrite, cost }: Usage): string {
  const total = (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
  return [
    ...(total > 0 ? [`${compact.format(total)} input tokens`] : []),
    ...(output === undefined ? [] : [`${compact.format(output)} output tokens`]),
    ...(cost ? [`${Number(cost.amount.toPrecision(3))} ${cost.currency}`] : []),
  ].join(', ');
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
