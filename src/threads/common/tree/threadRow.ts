import { countOf } from '../../../base/common/countOf';
import { namingHiddenCharacters } from '../../../base/common/hiddenCharacters';
import type { ThreadHead } from '../threadPorts';
import type { Usage } from '../../../transcript/common/entries';
import { sourceWords } from './threadFilters';
import type { ThreadNode } from './threadTree';

/** What a row says, in words that any kind of list can show. */
export interface ThreadRow {
  readonly label: string;
  readonly description: string;
  /** Markdown; whatever comes from a thread is escaped. */
  readonly tooltip: string;
  /** The name of a codicon. */
  readonly icon: string;
  readonly state: 'plain' | 'running' | 'waiting' | 'unread' | 'attention' | 'faded';
  /** Said by screen readers. */
  readonly spoken: string;
}

const times = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const days = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const dates = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });
const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function threadRow({ head, tie, isUnread }: ThreadNode, nowMs: number): ThreadRow {
  const label = shownTitle(head);
  const word = stateWord(head, isUnread);
  const when = momentOf(head.lastPromptAt, nowMs);
  const where = head.branch ?? folderName(head);
  const description = namingHiddenCharacters(
    head.problem ?? [word, when, where].filter((text) => text !== undefined && text !== '').join(' · '),
  );
  return {
    label,
    description,
    tooltip: tooltipOf(head),
    icon: iconOf(head, tie, isUnread),
    state: rowState(head, isUnread),
    spoken: `${label}, ${description}`,
  };
}

/** For people to read: characters that would hide or reverse a part of it are named. */
export function shownTitle(head: ThreadHead): string {
  return namingHiddenCharacters(titleOf(head));
}

/** As it is in the thread. Never empty, one line. */
export function titleOf({ title, firstPrompt, problem, id }: ThreadHead): string {
  const lines = [title, firstPrompt].map((text = '') => text.replace(/\s+/g, ' ').trim());
  const line = lines.find((text) => text !== '');
  if (line !== undefined) return line;
  return problem === undefined ? 'Untitled' : id;
}

function stateWord({ state, isArchived }: ThreadHead, isUnread: boolean): string | undefined {
  if (state === 'running') return 'running';
  if (state === 'waiting') return 'waiting for you';
  if (isUnread) return 'new';
  if (state === 'stale') return 'did not end';
  if (state === 'cancelled') return 'cancelled';
  if (state === 'error') return 'failed';
  return isArchived ? 'archived' : undefined;
}

function rowState({ state, isArchived, problem }: ThreadHead, isUnread: boolean): ThreadRow['state'] {
  if (problem !== undefined) return 'attention';
  if (state === 'running' || state === 'waiting') return state;
  if (isUnread) return 'unread';
  return isArchived ? 'faded' : 'plain';
}

function iconOf(head: ThreadHead, tie: ThreadNode['tie'], isUnread: boolean): string {
  if (head.problem !== undefined) return 'warning';
  if (head.state === 'running') return 'loading~spin';
  if (head.state === 'waiting') return 'bell-dot';
  if (isUnread) return 'circle-filled';
  if (head.state === 'error') return 'error';
  if (head.state === 'cancelled') return 'circle-slash';
  if (head.state === 'stale') return 'debug-disconnect';
  if (tie === 'fork') return 'repo-forked';
  if (tie === 'handoff') return 'arrow-right';
  if (tie === 'subthread') return 'type-hierarchy-sub';
  return head.isArchived ? 'archive' : 'comment-discussion';
}

function momentOf(at: number, nowMs: number): string {
  if (!isTime(at)) return '';
  const [date, now] = [new Date(at), new Date(nowMs)];
  if (date.toDateString() === now.toDateString()) return times.format(date);
  return date.getFullYear() === now.getFullYear() ? days.format(date) : dates.format(date);
}

/** Files hold whatever somebody wrote into them. */
function isTime(at: number | undefined): at is number {
  return at !== undefined && at > 0 && at < 8.64e15;
}

function folderName({ folders }: ThreadHead): string | undefined {
  return folders[0]?.replace(/[\\/]+$/, '').replace(/^.*[\\/]/, '');
}

function tooltipOf(head: ThreadHead): string {
  const { repository, branch, folders, promptCount, messageCount, mode, model, usage, createdAt, lastPromptAt } = head;
  const counts = [
    ...(promptCount > 0 ? [countOf(promptCount, 'prompt')] : []),
    countOf(messageCount, 'message'),
    ...(head.hasChanges ? ['changed files'] : []),
  ].join(', ');
  const lines = [
    ...(head.problem === undefined ? [] : [`$(warning) ${escaped(head.problem)}`]),
    ...fact('Repository', [repository, branch]),
    ...fact('Folder', [folders.join(', ')]),
    ...fact('Created', [isTime(createdAt) ? moments.format(createdAt) : undefined]),
    ...fact('Last prompt', [isTime(lastPromptAt) ? moments.format(lastPromptAt) : undefined]),
    ...(head.problem === undefined ? fact('Messages', [counts]) : []),
    ...fact('Mode', [mode, model]),
    ...fact('Usage', [usage && usageText(usage)]),
    ...fact('Size', [head.sizeBytes === undefined ? undefined : sizeText(head.sizeBytes)]),
    ...fact('Read', [`${sourceWords[head.source]}${head.isArchived ? ', archived' : ''}`]),
  ];
  return [`**${escaped(titleOf(head))}**`, lines.join('  \n'), escaped(head.id)].join('\n\n');
}

function fact(label: string, values: readonly (string | undefined)[]): readonly string[] {
  const known = values.filter((value): value is string => value !== undefined && value !== '');
  return known.length === 0 ? [] : [`${label}: ${known.map(escaped).join(' · ')}`];
}

/** Text of a thread as markdown that shows just this text. */
export function escaped(text: string): string {
  return namingHiddenCharacters(text.replace(/\s+/g, ' ')).replace(/[\\`*_{}[\]()#+\-.!|<>~&$:/@"']/g, '\\$&');
}

function usageText({ input, output, cacheRead, cacheWrite, cost }: Usage): string {
  const all = (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
  return [
    ...(all > 0 ? [`${compact.format(all)} tokens in`] : []),
    ...(output === undefined ? [] : [`${compact.format(output)} tokens out`]),
    ...(cost ? [`${Number(cost.amount.toPrecision(3))} ${cost.currency}`] : []),
  ].join(', ');
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
