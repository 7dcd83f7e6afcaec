import * as z from 'zod';
import { readTextIfExists } from '../../../editor/common/readTextIfExists';
import { askAndChangeFile } from '../changes/applyChanges';
import { applyRequestedEdits, maxEdits, RequestedEdit } from '../changes/requestedEdits';
import { defineActingTool } from '../defineTool';
import { displayPath } from '../text/displayPath';
import { textVersion } from '../../../editor/common/text/textVersion';
import { ToolError } from '../toolError';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';

const maxNamedLines = 20;

export function editFileTool(ports: ToolPorts): Tool {
  const { editor } = ports;
  return defineActingTool({
    name: 'edit_file',
    title: 'Edit file',
    description:
      'Edits a file in the editor. The user can undo it, and unsaved text is kept. All edits refer to the text before them. To create a file, give one edit with new_text only.',
    input: z.strictObject({
      path: z.string().min(1),
      version: z.string().min(1).optional().describe('From read_file: refuses if the file has changed since.'),
      edits: z.array(RequestedEdit).min(1).max(maxEdits),
    }),
    async run({ edits, path: requested, version }, call) {
      const path = await editor.resolve(requested);
      const name = displayPath(path, editor);
      const before = await readTextIfExists(editor, path, call.signal);
      if (!before) {
        if (version !== undefined) throw new ToolError(`${name} no longer exists.`);
        const after = await askAndChangeFile({ path, before, after: newFileText(edits, name) }, ports, call);
        return `Created ${name}. It has version ${textVersion(after.text)}.`;
      }
      if (version !== undefined && version !== textVersion(before.text))
        throw new ToolError(`${name} has changed since you read it. Read it again.`);
      if (version === undefined && edits.some(({ from }) => from !== undefined))
        throw new ToolError('Give the version from read_file, because line numbers change.');
      const { lines, text } = applyRequestedEdits(before.text, edits, name);
      if (text === before.text) throw new ToolError('The edits change nothing.');
      const written = await askAndChangeFile({ path, before, after: text }, ports, call);
      const more = lines.length > maxNamedLines ? ' and more' : '';
      const where = `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, maxNamedLines).join(', ')}${more}`;
      const state = written.isDirty ? ' It is not saved, because it has unsaved changes of the user.' : '';
      return `Edited ${name} at ${where}. It has version ${textVersion(written.text)} now.${state}`;
    },
  });
}

function newFileText(edits: readonly z.output<typeof RequestedEdit>[], name: string): string {
  const [edit, ...others] = edits;
  if (!edit || others.length > 0 || edit.old_text !== undefined || edit.from !== undefined)
    throw new ToolError(`${name} does not exist. To create it, give one edit with new_text only.`);
  return edit.new_text;
}
