import { fencedBlock } from '../answer/fenced';
import { resolvePromptPath } from '../answer/prompt';
import type { Turn } from '../answer/turn';

/** Skills that need the editor's tools. */

const noTools = 'This editor doesn’t provide any tools, so I can’t do that.\n';

/** Renames a symbol in all files, by one call of the editor's language server. */
export async function renameEverywhere(turn: Turn, from: string, to: string, path: string | undefined): Promise<void> {
  const place = path === undefined ? { symbol: from } : { symbol: from, path: resolvePromptPath(path, turn.cwd) };
  const input = { ...place, new_name: to };
  const answer = await turn.callEditorTool({ title: `Rename ${from} to ${to}`, tool: 'rename', kind: 'edit', input });
  switch (answer.kind) {
    case 'answered': {
      const [first = ''] = answer.text.split('\n', 1);
      await turn.say(
        `${first}.\n\nYour editor’s language server did this in one step. You can undo it above the prompt.\n`,
      );
      return;
    }
    case 'failed':
      await turn.say(`The editor did not rename \`${from}\`: ${answer.reason}\n`);
      return;
    case 'unsupported':
      await turn.say(noTools);
  }
}

/** Shows a file as it is in the editor, including unsaved changes. */
export async function showFileReadByEditor(turn: Turn, path: string): Promise<void> {
  const input = { path: resolvePromptPath(path, turn.cwd) };
  const answer = await turn.callEditorTool({
    title: `Read ${path} in the editor`,
    tool: 'read_file',
    kind: 'read',
    input,
  });
  switch (answer.kind) {
    case 'answered': {
      const [first = '', ...lines] = answer.text.split('\n');
      await turn.say(`${first}\n\n${fencedBlock('text', lines.join('\n'))}`);
      return;
    }
    case 'failed':
      await turn.say(`The editor could not read \`${path}\`: ${answer.reason}\n`);
      return;
    case 'unsupported':
      await turn.say(noTools);
  }
}
