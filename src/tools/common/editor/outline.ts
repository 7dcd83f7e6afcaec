import * as z from 'zod';
import { oneLine } from '../../../base/common/text/oneLine';
import { defineTool } from '../defineTool';
import type { OutlineSymbol } from '../languagePort';
import { truncateText } from '../text/lineTexts';
import { pageFooter, selectPage } from '../text/pages';
import { displayPath } from '../text/displayPath';
import { pageNumberSchema } from '../placeFinder';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';

const rowsPerPage = 200;

const input = z.strictObject({
  path: z.string().min(1),
  depth: z.int().min(1).max(20).default(3).describe('1: only top-level symbols.'),
  page: pageNumberSchema,
});

export function outlineTool({ editor, language, window }: ToolPorts): Tool {
  return defineTool({
    name: 'outline',
    title: 'Outline',
    description:
      'What a file declares: classes, functions, methods and so on, with their lines. Shorter than the file.',
    input,
    async run({ path, depth, page }, signal) {
      const resolved = await editor.resolve(path);
      const asked = language.outline(resolved, signal);
      asked.catch(() => undefined);
      // Reading reports a missing file or a folder better than VS Code does.
      const file = await editor.readText(resolved, { fromBuffer: 'asIs', signal });
      const name = displayPath(file.path, editor);
      const symbols = await asked;
      if (symbols.length === 0) {
        const known = window.languageOf(file.path);
        const why = known === undefined ? '' : ` VS Code treats it as ${known}.`;
        return `No language server finds symbols in ${name}.${why}`;
      }
      const rows = outlineRows(symbols, depth, '');
      const shown = selectPage(rows, page, rowsPerPage);
      return [name, ...shown.items, ...pageFooter(shown, shown.remainingCount === 1 ? 'symbol' : 'symbols')].join('\n');
    },
  });
}

function outlineRows(symbols: readonly OutlineSymbol[], depth: number, indent: string): string[] {
  return symbols.flatMap(({ name, kind, detail, range, children }) => {
    const [first, last] = [range.start.line + 1, range.end.line + 1];
    const lines = first === last ? `${first}` : `${first}-${last}`;
    const more = detail === '' ? '' : ` ${truncateText(oneLine(detail), 100)}`;
    const hidden = depth === 1 && children.length > 0 ? ` (${children.length} inside)` : '';
    const row = `${indent}${lines} ${kind} ${truncateText(oneLine(name), 200)}${more}${hidden}`;
    return [row, ...(depth > 1 ? outlineRows(children, depth - 1, `${indent}  `) : [])];
  });
}
