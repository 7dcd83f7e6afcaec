import type { Entry } from '../../../transcript/common/entries';
import { titleOf } from '../tree/threadRow';
import type { ThreadWithEntries } from '../threadPorts';

/** A summary of a thread with which another agent can continue its work. */
export interface ThreadDigest {
  readonly title: string;
  /** The summary in Markdown. */
  readonly text: string;
}

/** Maximum length of the summary in UTF-16 units, small enough for any context window. */
const maxUnits = 24 * 1024;
const maxEntryUnits = 2_000;

/**
 * Describes in which folder and on which task the thread worked, which files it changed, its first prompt, and as much
 * of its end as possible. `folder` is the absolute path of the folder in which the work continues.
 */
export function threadDigest({ head, entries, facts }: ThreadWithEntries, folder: string | undefined): ThreadDigest {
  const title = titleOf(head);
  const changed = [...new Set(entries.flatMap(changedFiles))];
  const lines = entries.flatMap(entryLines);
  const [first = ''] = lines;
  const intro = [
    `This is a digest of an earlier conversation with Amp, "${title}" (${head.id}). Continue from where it ended.`,
    ...facts.map(({ label, value }) => `- ${label}: ${value}`),
    ...folderLines(head.folders, folder),
    ...(changed.length > 0 ? [`- Changed files: ${changed.slice(0, 50).join(', ')}`] : []),
  ].join('\n');
  const last = lastLines(lines.slice(1), maxUnits - intro.length - first.length);
  const gap = last.length < lines.length - 1 ? ['(Some of it is left out here.)'] : [];
  return { title, text: [intro, first, ...gap, ...last].filter((text) => text !== '').join('\n\n') };
}

/** Returns lines that warn the agent that paths in the thread may not match files here. */
function folderLines(folders: readonly string[], folder: string | undefined): string[] {
  if (folder === undefined) return [];
  if (folders.includes(folder)) return [`- You work in the same folder, ${folder}.`];
  const [before] = folders;
  const warning =
    before === undefined ? '' : ` That conversation worked in ${before}: its files may be elsewhere here.`;
  return [`- You work in ${folder}.${warning}`];
}

function entryLines(entry: Entry): string[] {
  // The result of the subagent's call already contains the answer.
  if (entry.parent !== undefined) return [];
  switch (entry.kind) {
    case 'prompt':
      return [`User: ${shorten(entry.text)}`];
    case 'answer':
      return entry.text.trim() === '' ? [] : [`Assistant: ${shorten(entry.text)}`];
    case 'summary':
      return [`Summary of what came before: ${shorten(entry.text)}`];
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

function lastLines(lines: readonly string[], maxUnits: number): readonly string[] {
  let unitsLeft = maxUnits;
  let start = lines.length;
  while (start > 0) {
    unitsLeft -= (lines[start - 1]?.length ?? 0) + 2;
    if (unitsLeft < 0) break;
    start--;
  }
  return lines.slice(start);
}

function shorten(text: string): string {
  return text.length <= maxEntryUnits ? text : `${text.slice(0, maxEntryUnits).toWellFormed()}…`;
}
