import * as z from 'zod';
import { countOf } from '../../../base/common/countOf';
import { oneLine } from '../../../base/common/oneLine';
import type { Diagnostic, DiagnosticSeverity } from '../../../editor/common/editorPort';
import { defineTool } from '../defineTool';
import { truncateText, shortenLineAround } from '../text/lineTexts';
import { sortByNearness } from '../search/nearness';
import { pageFooter, selectPage } from '../text/pages';
import { displayPath } from '../text/displayPath';
import { pageNumberSchema } from '../placeFinder';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';

const rowsPerPage = 50;
const maxMessageLength = 600;

const rankBySeverity: Record<DiagnosticSeverity, number> = { error: 0, warning: 1, information: 2, hint: 3 };
const maxRankByFilter = { error: 0, warning: 1, all: 3 } as const;

export function problemsTool({ editor, window }: ToolPorts): Tool {
  return defineTool({
    name: 'problems',
    title: 'Problems',
    description:
      'Errors and warnings that VS Code shows, of a file, a folder, or (without path) everything: compilers, linters, tests. No build is needed.',
    input: z.strictObject({
      path: z.string().min(1).optional().describe('File or folder.'),
      severity: z.enum(['error', 'warning', 'all']).default('warning').describe('At least as bad as this.'),
      page: pageNumberSchema,
    }),
    async run({ path, severity, page }, signal) {
      const scope = path === undefined ? undefined : await editor.resolve(path);
      const files = await editor.diagnostics(scope, { signal });
      const found = files.flatMap((file) =>
        file.diagnostics
          .filter((each) => rankBySeverity[each.severity] <= maxRankByFilter[severity])
          .map((problem) => ({ path: file.path, problem })),
      );
      const where = scope === undefined ? 'the workspace' : displayPath(scope, editor);
      const isFile = scope !== undefined && (await editor.stat(scope)).type === 'file';
      const isOpen = window.openFiles.some((each) => each.path === scope);
      const remark =
        isFile && !isOpen
          ? ['It is not open: many language servers check only open files. Use open, then ask again.']
          : [];
      if (found.length === 0) return [`VS Code knows no problems in ${where}.`, ...remark].join('\n');
      const order = sortByNearness([...new Set(found.map((each) => each.path))], scope ?? editor.activeSelection?.path);
      const byFile = Map.groupBy(found, (each) => each.path);
      const sorted = order.flatMap((each) => (byFile.get(each) ?? []).toSorted(worstFirst));
      const shown = selectPage(sorted, page, rowsPerPage);
      const rows: string[] = [];
      let file: string | undefined;
      for (const { path: of, problem } of shown.items) {
        if (of !== file) rows.push(displayPath(of, editor));
        file = of;
        rows.push(`  ${describeProblem(problem)}`);
      }
      const errors = found.filter(({ problem }) => problem.severity === 'error').length;
      const head = `${countOf(found.length, 'problem')} in ${where}, ${countOf(errors, 'error')}`;
      return [head, ...rows, ...pageFooter(shown, shown.remainingCount === 1 ? 'problem' : 'problems'), ...remark].join(
        '\n',
      );
    },
  });
}

interface FoundProblem {
  readonly problem: Diagnostic;
}

function worstFirst({ problem: a }: FoundProblem, { problem: b }: FoundProblem): number {
  return rankBySeverity[a.severity] - rankBySeverity[b.severity] || a.range.start.line - b.range.start.line;
}

function describeProblem({ range, severity, message, source = '', code = '', lineText }: Diagnostic): string {
  const from = [source, code].filter((part) => part !== '').join(' ');
  const text = truncateText(oneLine(message), maxMessageLength);
  const line = shortenLineAround(lineText, range.start.character);
  return `${range.start.line + 1}: ${severity}${from === '' ? '' : ` (${from})`}: ${text}${line === '' ? '' : `  | ${line}`}`;
}
