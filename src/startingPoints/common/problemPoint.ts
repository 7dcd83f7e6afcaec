import { oneLine } from '../../base/common/text/oneLine';
import type { DiagnosticSeverity, Position, Range } from '../../editor/common/editorPort';
import { clip } from '../../base/common/text/clip';
import { excerptOf } from './excerpt';
import type { StartingPoint } from './startingPoint';

/** A problem that VS Code shows in a file. */
export interface Problem {
  readonly range: Range;
  readonly severity: DiagnosticSeverity;
  readonly message: string;
  readonly source?: string | undefined;
  readonly code?: string | undefined;
  readonly related: readonly RelatedPlace[];
}

interface RelatedPlace {
  /** Absolute path of a file that agents may read. */
  readonly path: string;
  readonly start: Position;
  readonly message: string;
}

interface ProblemsOfFile {
  /** Path for the prompt, as the user sees it. */
  readonly shownPath: string;
  /** Absolute path. */
  readonly path: string;
  /** The text of the file with unsaved changes. */
  readonly text: string;
  readonly isUnsaved: boolean;
  readonly problems: readonly Problem[];
}

const maxProblems = 100;
const maxMessageUnits = 4_000;
const maxExcerptUnits = 32 * 1024;
const maxTitleUnits = 60;

/** Asks the agent to fix or explain problems at one place, or to fix those of a whole file. */
export function problemPoint(task: 'fix' | 'explain' | 'fixFile', file: ProblemsOfFile): StartingPoint {
  const { shownPath, problems } = file;
  const [first] = problems;
  if (!first) throw new Error('There is no problem at the cursor.');
  const line = first.range.start.line + 1;
  const noun = problems.length === 1 ? 'this problem' : 'these problems';
  const prompts = {
    fix: `Fix ${noun} in ${shownPath}, line ${line}.`,
    explain: `Explain ${noun} in ${shownPath}, line ${line}. Do not change anything.`,
    fixFile:
      problems.length === 1
        ? `Fix the problem in ${shownPath}.`
        : `Fix the ${problems.length} problems in ${shownPath}.`,
  };
  const title =
    problems.length === 1
      ? `Problem: ${clip(oneLine(first.message), maxTitleUnits)}`
      : `${problems.length} problems in ${shownPath}`;
  return { prompt: prompts[task], texts: [{ title, text: textOf(file) }] };
}

function textOf({ path, text, isUnsaved, problems }: ProblemsOfFile): string {
  const shown = problems.slice(0, maxProblems);
  const described = shown.map((problem) => describe(path, problem));
  const left = problems.length - shown.length;
  const ranges = shown.map(({ range }) => ({ first: range.start.line, last: range.end.line }));
  return [
    ...described,
    ...(left > 0 ? [`… and ${left} more`] : []),
    '',
    `Lines of ${path}${isUnsaved ? ', with changes that are not saved' : ''}:`,
    excerptOf(text, ranges, maxExcerptUnits),
  ].join('\n');
}

/** Formats a problem like a compiler does: `path:line:column severity: message (source code)`. */
function describe(path: string, { range, severity, message, source, code, related }: Problem): string {
  const origin = [source, code].filter((part) => part !== undefined).join(' ');
  return [
    `${placeOf(path, range.start)} ${severity}: ${clip(message, maxMessageUnits)}${origin && ` (${origin})`}`,
    ...related.map((one) => `  ${placeOf(one.path, one.start)}: ${clip(one.message, maxMessageUnits)}`),
  ].join('\n');
}

function placeOf(path: string, { line, character }: Position): string {
  return `${path}:${line + 1}:${character + 1}`;
}
