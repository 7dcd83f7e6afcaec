import * as z from 'zod';
import { countOf } from '../../../base/common/countOf';
import { oneLine } from '../../../base/common/oneLine';
import type { Diagnostic, DiagnosticSeverity } from '../../../editor/common/editorPort';
import { defineTool } from '../defineTool';
import { cutText, lineAround } from '../text/lineTexts';
import { byNearness } from '../search/nearness';
import { moreBelow, pageOf } from '../text/pages';
import { pathName } from '../text/pathNames';
import { pageInput } from '../placeFinder';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';

const rowsPerPage = 50;
const maxMessage = 600;

const ranks: Record<DiagnosticSeverity, number> = { error: 0, warning: 1, information: 2, hint: 3 };
const least = { error: 0, warning: 1, all: 3 } as const;

export function problemsTool({ editor, window }: ToolPorts): Tool {
  return defineTool({
    name: 'problems',
    title: 'Problems',
    description:
      'Errors and warnings that VS Code shows, of a file, a folder, or (without path) everything: compilers, linters, tests. No build is needed.',
    input: z.strictObject({
      path: z.string().min(1).optional().describe('File or folder.'),
      severity: z.enum(['error', 'warning', 'all']).default('warning').describe('At least as bad as this.'),
      page: pageInput,
    }),
    async run({ path, severity, page }, signal) {
      const scope = path === undefined ? undefined : await editor.resolve(path);
      const files = await editor.diagnostics(scope, { signal });
      const found = files.flatMap((file) =>
        file.diagnostics
          .filter((each) => ranks[each.severity] <= least[severity])
          .map((problem) => ({ path: file.path, problem })),
      );
      const where = scope === undefined ? 'the workspace' : pathName(scope, editor);
      const isFile = scope !== undefined && (await editor.stat(scope)).type === 'file';
      const isOpen = window.openFiles.some((each) => each.path === scope);
      const remark =
        isFile && !isOpen
          ? ['It is not open: many language servers check only open files. Use open, then ask again.']
          : [];
      if (found.length === 0) return [`VS Code knows no problems in ${where}.`, ...remark].join('\n');
      const order = byNearness([...new Set(found.map((each) => each.path))], scope ?? editor.activeSelection?.path);
      const byFile = Map.groupBy(found, (each) => each.path);
      const sorted = order.flatMap((each) => (byFile.get(each) ?? []).toSorted(worstFirst));
      const shown = pageOf(sorted, page, rowsPerPage);
      const rows: string[] = [];
      let file: string | undefined;
      for (const { path: of, problem } of shown.items) {
        if (of !== file) rows.push(pathName(of, editor));
        file = of;
        rows.push(`  ${describe(problem)}`);
      }
      const errors = found.filter(({ problem }) => problem.severity === 'error').length;
      const head = `${countOf(found.length, 'problem')} in ${where}, ${countOf(errors, 'error')}`;
      return [head, ...rows, ...moreBelow(shown, shown.left === 1 ? 'problem' : 'problems'), ...remark].join('\n');
    },
  });
}

interface Found {
  readonly problem: Diagnostic;
}

function worstFirst({ problem: a }: Found, { problem: b }: Found): number {
  return ranks[a.severity] - ranks[b.severity] || a.range.start.line - b.range.start.line;
}

function describe({ range, severity, message, source = '', code = '', lineText }: Diagnostic): string {
  const from = [source, code].filter((part) => part !== '').join(' ');
  const text = cutText(oneLine(message), maxMessage);
  const line = lineAround(lineText, range.start.character);
  return `${range.start.line + 1}: ${severity}${from === '' ? '' : ` (${from})`}: ${text}${line === '' ? '' : `  | ${line}`}`;
}
