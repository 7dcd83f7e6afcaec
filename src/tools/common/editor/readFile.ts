import * as z from 'zod';
import { LineIndex } from '../../../editor/common/text/textOffsets';
import { defineTool } from '../defineTool';
import { truncateText } from '../text/lineTexts';
import { displayPath } from '../text/displayPath';
import { textVersion } from '../../../editor/common/text/textVersion';
import { ToolError } from '../toolError';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';

const maxFileBytes = 16 * 1_024 * 1_024;
const maxLines = 2_000;
/** Limit of an answer, in UTF-16 units. */
const maxAnswerLength = 64 * 1_024;
/** Limit of a line, in UTF-16 units. */
const maxLineLength = 4_000;

const input = z.strictObject({
  path: z.string().min(1),
  from: z.int().min(1).default(1).describe('First line, 1-based.'),
  to: z.int().min(1).optional().describe('Last line, included.'),
});

export function readFileTool({ editor }: Pick<ToolPorts, 'editor'>): Tool {
  return defineTool({
    name: 'read_file',
    title: 'Read file',
    description:
      'Text of a file as it is in the editor, including unsaved changes, which tools that read the disk do not see. Each line begins with its number. The version is for edit_file.',
    input,
    async run({ path, from, to }, signal) {
      const file = await editor.readText(path, { maxBytes: maxFileBytes, signal });
      const lines = new LineIndex(file.text);
      const name = displayPath(file.path, editor);
      const state = file.isDirty ? ', not saved: the disk has another text' : '';
      const version = `version ${textVersion(file.text)}`;
      if (file.text === '') return `${name} is empty, ${version}${state}.`;
      if (from > lines.lineCount) throw new ToolError(`${name} has ${lines.lineCount} lines.`);
      const wanted = Math.min(to ?? lines.lineCount, lines.lineCount);
      if (wanted < from) throw new ToolError('"to" is before "from".');
      const rows: string[] = [];
      let length = 0;
      for (let line = from; line <= wanted && rows.length < maxLines; line++) {
        const row = `${line}\t${truncateText(lines.lineText(line - 1), maxLineLength)}`;
        length += row.length + 1;
        if (length > maxAnswerLength && rows.length > 0) break;
        rows.push(row);
      }
      const last = from + rows.length - 1;
      const head = `${name}, lines ${from} to ${last} of ${lines.lineCount}, ${version}${state}`;
      const more = last < wanted ? [`… ${wanted - last} more lines: from=${last + 1} has the next.`] : [];
      return [head, ...rows, ...more].join('\n');
    },
  });
}
