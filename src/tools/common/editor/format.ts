import * as z from 'zod';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { LineIndex } from '../../../editor/common/text/textOffsets';
import { askAndApplyEdits } from '../changes/applyChanges';
import { defineActingTool } from '../defineTool';
import { displayPath } from '../text/displayPath';
import { textVersion } from '../../../editor/common/text/textVersion';
import { ToolError } from '../toolError';
import type { Tool } from '../toolProvider';
import { maxCodeBytes, type ToolPorts } from '../toolPorts';

export function formatTool(ports: ToolPorts): Tool {
  const { editor } = ports;
  return defineActingTool({
    name: 'format',
    title: 'Format',
    description: 'Formats a file, or lines of it, with the formatter that the user has in VS Code.',
    input: z.strictObject({
      path: z.string().min(1),
      from: z.int().min(1).optional().describe('First line, 1-based.'),
      to: z.int().min(1).optional().describe('Last line, included.'),
    }),
    async run({ from, path, to }, call) {
      const before = await editor.readText(path, {
        fromBuffer: 'updated',
        maxBytes: maxCodeBytes,
        signal: call.signal,
      });
      const name = displayPath(before.path, editor);
      const lines = new LineIndex(before.text);
      const [first, last] = [from ?? 1, Math.min(to ?? lines.lineCount, lines.lineCount)];
      if (first > lines.lineCount)
        throw new ToolError(`${name} has ${lines.lineCount} lines: there is no line ${first}.`);
      if (last < first) throw new ToolError('"to" is before "from".');
      const start = { line: first - 1, character: 0 };
      const range =
        from === undefined && to === undefined
          ? undefined
          : { start, end: { line: last - 1, character: lines.lineText(last - 1).length } };
      const proposed = await ports.languageEdits.formatEdits(before.path, range, call.signal);
      const [changed] = await askAndApplyEdits({ purpose: `format ${name}` }, proposed, ports, call, {
        textByPath: new Map([[before.path, before.text]]),
      });
      if (!changed) return `Nothing was changed: ${name} is already formatted, or VS Code has no formatter for it.`;
      const { editCount, file } = changed;
      const state = file.isDirty ? ' It is not saved.' : '';
      return `Formatted ${name}: ${countWithNoun(editCount, 'change')}. It has version ${textVersion(file.text)} now.${state}`;
    },
  });
}
