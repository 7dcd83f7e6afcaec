import * as z from 'zod';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { defineTool } from '../defineTool';
import { shortenLineAround } from '../text/lineTexts';
import { pageFooter, selectPage } from '../text/pages';
import { displayPath } from '../text/displayPath';
import { pageNumberSchema } from '../placeFinder';
import { findTextMatches } from '../search/textMatches';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';

const linesPerPage = 50;
const maxFoundLines = 2_000;

const input = z.strictObject({
  pattern: z.string().min(1).max(2_000),
  regex: z.boolean().default(false),
  case_sensitive: z.boolean().default(false),
  whole_word: z.boolean().default(false),
  include: z.string().min(1).max(500).optional().describe('Glob of files, for example src/**/*.ts.'),
  near: z.string().min(1).optional().describe('File: results near it come first.'),
  page: pageNumberSchema,
});

export function searchTool(ports: ToolPorts): Tool {
  const { editor } = ports;
  return defineTool({
    name: 'search',
    title: 'Search text',
    description:
      'Finds text in the files of the workspace, including unsaved text. Skips files that the user excludes from searches. For uses of a symbol, references is exact.',
    input,
    async run({ pattern, regex, case_sensitive, whole_word, include, near, page }, signal) {
      const anchor = near === undefined ? editor.activeSelection?.path : await editor.resolve(near);
      const query = {
        pattern,
        isRegex: regex,
        isCaseSensitive: case_sensitive,
        isWholeWord: whole_word,
        ...(include === undefined ? {} : { include }),
      };
      const { files, isLimitReached, hasTimedOut } = await findTextMatches(
        query,
        { anchor, limit: maxFoundLines },
        ports,
        signal,
      );
      const lines = files.flatMap(({ path, matches }) => matches.map((match) => ({ path, ...match })));
      const remarks = [
        ...(isLimitReached ? [`The search ended at ${lines.length} lines: make it narrower to see the others.`] : []),
        ...(hasTimedOut ? ['The search took too long and was ended: there may be more.'] : []),
      ];
      if (lines.length === 0) return ['Nothing was found.', ...remarks].join('\n');
      const shown = selectPage(lines, page, linesPerPage);
      const rows: string[] = [];
      let file: string | undefined;
      for (const { path, line, character, text } of shown.items) {
        if (path !== file) rows.push(displayPath(path, editor));
        file = path;
        rows.push(`  ${line + 1}: ${shortenLineAround(text, character)}`);
      }
      const head = `${countWithNoun(lines.length, 'line')} in ${countWithNoun(files.length, 'file')}`;
      return [head, ...rows, ...pageFooter(shown, shown.remainingCount === 1 ? 'line' : 'lines'), ...remarks].join(
        '\n',
      );
    },
  });
}
