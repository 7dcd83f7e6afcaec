import * as z from 'zod';
import { pause, type Clock } from '../../../base/common/async';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { oneLine } from '../../../base/common/text/oneLine';
import type { Diagnostic, DiagnosticSeverity } from '../../../editor/common/editorPort';
import { defineTool } from '../defineTool';
import { truncateText, shortenLineAround } from '../text/lineTexts';
import { sortByNearness } from '../search/nearness';
import { filterAccessibleFiles } from '../search/accessibleFiles';
import { pageFooter, selectPage } from '../text/pages';
import { displayPath } from '../text/displayPath';
import { pageNumberSchema } from '../placeFinder';
import { ToolError } from '../toolError';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';
import { ProblemVersions, type KnownProblem, type ProblemChanges, type ProblemSnapshot } from './problemVersions';

const rowsPerPage = 50;
/** Limit of files with problems that a call reads. */
const maxFiles = 1_000;
const cutRemark = `Only the first ${maxFiles} files with problems were read. Name a folder to see the problems in it.`;
const maxMessageLength = 600;
/** How long a call waits for a change, because language servers need time after an edit. */
const changeTimeoutMs = 5_000;
const pollIntervalMs = 250;
/** Ratio of a pause to the duration of the check before it, because each check reads all files with problems. */
const pauseFactor = 3;

const rankBySeverity: Record<DiagnosticSeverity, number> = { error: 0, warning: 1, information: 2, hint: 3 };
const severitiesByFilter = {
  error: ['error'],
  warning: ['error', 'warning'],
  all: ['error', 'warning', 'information', 'hint'],
} as const satisfies Record<string, readonly DiagnosticSeverity[]>;

const input = z.strictObject({
  path: z.string().min(1).optional().describe('File or folder.'),
  severity: z.enum(['error', 'warning', 'all']).default('warning').describe('Minimum severity.'),
  since: z
    .string()
    .min(1)
    .optional()
    .describe('Version of an earlier answer: waits for a change, then returns new and resolved problems.'),
  page: pageNumberSchema,
});

export function problemsTool(ports: ToolPorts): Tool {
  const versions = new ProblemVersions();
  return defineTool({
    name: 'problems',
    title: 'Problems',
    description:
      'Errors and warnings that VS Code shows for a file, a folder, or (without path) everything, from compilers, linters and tests. No build is needed.',
    input,
    async run({ path, page, severity, since }, signal) {
      const { editor, window } = ports;
      const scope = path === undefined ? undefined : await editor.resolve(path);
      const where = scope === undefined ? 'the workspace' : displayPath(scope, editor);
      const question = JSON.stringify([scope, severity]);
      const read = (): Promise<Snapshot> => readProblems(scope, severity, ports, signal);
      if (since !== undefined) {
        const changesOf = (known: Snapshot): Changes => {
          const changes = versions.changesSince(since, question, known);
          if (changes) return changes;
          throw new ToolError(
            `Version ${since} belongs to other files or another severity, or has expired. Ask without since.`,
          );
        };
        const changed = await waitForChange(read, changesOf, ports.clock, signal);
        const told = await describeChanges(changed, where, versions.remember(question, changed), ports, signal);
        return [told, ...(changed.isIncomplete ? [cutRemark] : [])].join('\n');
      }
      const known = await read();
      const { problems: found, readUpTo } = known;
      const version = `Version ${versions.remember(question, known)}`;
      const isFile = scope !== undefined && (await editor.stat(scope)).type === 'file';
      const isOpen = window.openFiles.some((each) => each.path === scope);
      const remarks = [
        ...(readUpTo === undefined ? [] : [cutRemark]),
        ...(isFile && !isOpen
          ? ['It is not open: many language servers check only open files. Use open, then ask again.']
          : []),
      ];
      if (found.length === 0) return [`VS Code shows no problems in ${where}. ${version}`, ...remarks].join('\n');
      const shown = selectPage(sortProblems(found, scope, ports), page, rowsPerPage);
      const errors = found.filter(({ problem }) => problem.severity === 'error').length;
      const head = `${countWithNoun(found.length, 'problem')} in ${where}, ${countWithNoun(errors, 'error')}. ${version}`;
      const footer = pageFooter(shown, shown.remainingCount === 1 ? 'problem' : 'problems');
      return [head, ...problemRows(shown.items, ports), ...footer, ...remarks].join('\n');
    },
  });
}

interface FoundProblem extends KnownProblem {
  readonly problem: Diagnostic;
}

type Snapshot = ProblemSnapshot<FoundProblem>;

async function readProblems(
  scope: string | undefined,
  severity: keyof typeof severitiesByFilter,
  { editor }: Pick<ToolPorts, 'editor'>,
  signal: AbortSignal,
): Promise<Snapshot> {
  const files = await editor.diagnostics(scope, {
    maxFiles: maxFiles + 1,
    severities: severitiesByFilter[severity],
    signal,
  });
  const problems = files
    .slice(0, maxFiles)
    .flatMap(({ diagnostics, path }) =>
      diagnostics.map((problem) => ({ path, problem, text: describeProblem(problem) })),
    );
  return { problems, readUpTo: files.length > maxFiles ? files[maxFiles - 1]?.path : undefined };
}

type Changes = ProblemChanges<FoundProblem>;

type ChangedProblems = Changes & Snapshot;

/** Returns the changes when two consecutive reads agree, or none after a time limit. Rejects with errors of both functions. */
async function waitForChange(
  read: () => Promise<Snapshot>,
  changesOf: (known: Snapshot) => Changes,
  clock: Clock,
  signal: AbortSignal,
): Promise<ChangedProblems> {
  const endsAtMs = clock.monotonicNow() + changeTimeoutMs;
  let last: string | undefined;
  for (;;) {
    const startedAtMs = clock.monotonicNow();
    const known = await read();
    const tookMs = clock.monotonicNow() - startedAtMs;
    const changes = changesOf(known);
    const { added, gone } = changes;
    const now = JSON.stringify([added.map(({ text }) => text), gone.map(({ text }) => text)]);
    // A language server reports the problems after one edit in several steps.
    const isSettled = added.length + gone.length > 0 && now === last;
    if (isSettled || clock.monotonicNow() >= endsAtMs) return { ...known, ...changes };
    last = now;
    await pause(clock, Math.max(pollIntervalMs, pauseFactor * tookMs), signal);
  }
}

async function describeChanges(
  { added, gone, problems }: ChangedProblems,
  where: string,
  version: string,
  ports: ToolPorts,
  signal: AbortSignal,
): Promise<string> {
  // A file may have been excluded in the meantime.
  const goneByPath = Map.groupBy(gone, ({ path }) => path);
  const { paths } = await filterAccessibleFiles(
    sortByNearness([...goneByPath.keys()], undefined),
    ports.editor,
    signal,
  );
  const visibleGone = paths.flatMap((path) => goneByPath.get(path) ?? []);
  const head = `${added.length} new and ${visibleGone.length} gone in ${where}: ${countWithNoun(problems.length, 'problem')} now. Version ${version}`;
  const newRows = problemRows(sortProblems(added, undefined, ports).slice(0, rowsPerPage), ports);
  const goneRows = visibleGone
    .slice(0, rowsPerPage)
    .map(({ path, text }) => `  ${displayPath(path, ports.editor)}: ${text}`);
  const more = (count: number): string[] => (count > rowsPerPage ? [`  … ${count - rowsPerPage} more`] : []);
  return [
    head,
    ...(added.length > 0 ? ['New:', ...newRows, ...more(added.length)] : []),
    ...(goneRows.length > 0 ? ['Gone:', ...goneRows, ...more(visibleGone.length)] : []),
  ].join('\n');
}

/** Sorts the nearest files first, and the most severe problems of a file first. */
function sortProblems(
  found: readonly FoundProblem[],
  scope: string | undefined,
  { editor }: Pick<ToolPorts, 'editor'>,
): readonly FoundProblem[] {
  const byFile = Map.groupBy(found, ({ path }) => path);
  const order = sortByNearness([...byFile.keys()], scope ?? editor.activeSelection?.path);
  return order.flatMap((path) => (byFile.get(path) ?? []).toSorted(worstFirst));
}

/** Rows below the names of their files. */
function problemRows(problems: readonly FoundProblem[], { editor }: Pick<ToolPorts, 'editor'>): string[] {
  const rows: string[] = [];
  let file: string | undefined;
  for (const { path, problem, text } of problems) {
    if (path !== file) rows.push(displayPath(path, editor));
    file = path;
    rows.push(`  ${problem.range.start.line + 1}: ${text}`);
  }
  return rows;
}

function worstFirst({ problem: a }: FoundProblem, { problem: b }: FoundProblem): number {
  return rankBySeverity[a.severity] - rankBySeverity[b.severity] || a.range.start.line - b.range.start.line;
}

function describeProblem({ range, severity, message, source = '', code = '', lineText }: Diagnostic): string {
  const from = [source, code].filter((part) => part !== '').join(' ');
  const text = truncateText(oneLine(message), maxMessageLength);
  const line = shortenLineAround(lineText, range.start.character);
  return `${severity}${from === '' ? '' : ` (${from})`}: ${text}${line === '' ? '' : `  | ${line}`}`;
}
