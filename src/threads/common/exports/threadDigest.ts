import type { Entry } from '../../../transcript/common/entries';
import { titleOf } from '../tree/threadRow';
import type { OpenThread } from '../threadPorts';

/** What another agent is told of a thread, to go on from there. */
export interface ThreadDigest {
  readonly title: string;
  /** Markdown. */
  readonly text: string;
}

/** In UTF-16 units: enough to know what it was about, little enough for any context window. */
const maxUnits = 24 * 1024;
const maxEntryUnits = 2_000;

/**
 * Who worked where on what, which files were changed, and what was said: the first prompt, and the end as far as it fits.
 * `folder` is where the work goes on, absolute.
 */
export function threadDigest({ head, entries, facts }: OpenThread, folder: string | undefined): ThreadDigest {
  const title = titleOf(head);
  const changed = [...new Set(entries.flatMap(changedFiles))];
  const said = entries.flatMap(lineOf);
  const [first = ''] = said;
  const about = [
    `This is a digest of an earlier conversation with Amp, "${title}" (${head.id}). Continue from where it ended.`,
    ...facts.map(({ label, value }) => `- ${label}: ${value}`),
    ...placeOf(head.folders, folder),
    ...(changed.length > 0 ? [`- Changed files: ${changed.slice(0, 50).join(', ')}`] : []),
  ].join('\n');
  const last = lastThatFit(said.slice(1), maxUnits - about.length - first.length);
  const gap = last.length < said.length - 1 ? ['(Some of it is left out here.)'] : [];
  return { title, text: [about, first, ...gap, ...last].filter((text) => text !== '').join('\n\n') };
}

/** Paths that were said there may mean other files here. */
function placeOf(folders: readonly string[], folder: string | undefined): string[] {
  if (folder === undefined) return [];
  if (folders.includes(folder)) return [`- You work in the same folder, ${folder}.`];
  const [before] = folders;
  const was = before === undefined ? '' : ` That conversation worked in ${before}: its files may be elsewhere here.`;
  return [`- You work in ${folder}.${was}`];
}

function lineOf(entry: Entry): string[] {
  // What a subagent said is in its call's result.
  if (entry.parent !== undefined) return [];
  switch (entry.kind) {
    case 'prompt':
      return [`User: ${short(entry.text)}`];
    case 'answer':
      return entry.text.trim() === '' ? [] : [`Assistant: ${short(entry.text)}`];
    case 'summary':
      return [`Summary of what came before: ${short(entry.text)}`];
    case 'tool':
      return entry.toolKind === 'read' || entry.toolKind === 'search' ? [] : [`Tool: ${entry.title} (${entry.state})`];
    case 'todos':
      return [['Plan:', ...entry.items.map(({ status, text }) => `- [${status}] ${text}`)].join('\n')];
    case 'end':
      return entry.outcome === 'completed' ? [] : [`(The turn ended: ${entry.outcome}.)`];
    default:
      return [];
  }
}

function changedFiles(entry: Entry): string[] {
  if (entry.kind !== 'tool') return [];
  return entry.parts.flatMap((part) => (part.type === 'diff' ? [part.path] : []));
}

function lastThatFit(lines: readonly string[], units: number): readonly string[] {
  let left = units;
  let start = lines.length;
  while (start > 0) {
    left -= (lines[start - 1]?.length ?? 0) + 2;
    if (left < 0) break;
    start--;
  }
  return lines.slice(start);
}

function short(text: string): string {
  return text.length <= maxEntryUnits ? text : `${text.slice(0, maxEntryUnits).toWellFormed()}…`;
}
