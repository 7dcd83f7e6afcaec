import * as z from 'zod';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { LineIndex } from '../../../editor/common/text/textOffsets';
import { askAndApplyEdits } from '../changes/applyChanges';
import { listChangedFiles } from '../changes/changedFiles';
import { requestCompleteRename } from '../changes/completeRename';
import { defineActingTool } from '../defineTool';
import { findPlace, placeInputSchema } from '../placeFinder';
import { ToolError } from '../toolError';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';

/** Valid new names. Checked here, because language servers accept any text. */
const possibleName = /^[^\s"'`/\\,;:(){}[\]<>]+$/u;
const importPathBefore = /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*(["'`])(?:(?!\1).)*$/u;

export function renameTool(ports: ToolPorts): Tool {
  return defineActingTool({
    name: 'rename',
    title: 'Rename symbol',
    description:
      'Renames a symbol in all files, with the language server. Does not change other symbols with the same name.',
    input: z.strictObject({
      ...placeInputSchema,
      new_name: z.string().min(1).max(200).regex(possibleName),
      unchanged_files: z.array(z.string()).optional().describe('Only after a refusal: files without the symbol.'),
    }),
    async run({ new_name: newName, unchanged_files: accepted = [], ...asked }, call) {
      const { signal } = call;
      const from = await findPlace(asked, ports, signal);
      const { character, line } = from.position;
      const code = new LineIndex(from.text).lineText(line);
      const name = asked.symbol?.split(/[.#:]/).at(-1) ?? wordAround(code, character);
      if (importPathBefore.test(code.slice(0, character)))
        throw new ToolError('This is the path of an import. rename is for symbols and moves no files.');
      const unchangedFiles = new Set<string>();
      for (const file of accepted) unchangedFiles.add(await ports.editor.resolve(file));
      signal.throwIfAborted();
      const renamed = await requestCompleteRename(from, { name, newName, unchangedFiles }, ports, signal);
      const { proposed, remarks, warning } = renamed;
      const purpose = `rename ${from.title} to \`${newName}\``;
      const about = { purpose, ...withoutUndefined({ warning }) };
      const changed = await askAndApplyEdits(about, proposed, ports, call, {
        textByPath: new Map([[from.path, from.text]]),
        mayReplace: (replaced) =>
          name === '' || replaced.includes(name) || (replaced !== '' && name.includes(replaced)),
      });
      if (changed.length === 0)
        throw new ToolError(
          `VS Code found nothing to rename at ${from.title}. The language server may be missing or still starting, or the symbol already has that name.`,
        );
      const places = changed.reduce((sum, { editCount }) => sum + editCount, 0);
      const head = `Renamed ${from.title} to \`${newName}\`: ${countWithNoun(places, 'place')} in ${countWithNoun(changed.length, 'file')}`;
      return [head, ...listChangedFiles(changed, ports), ...remarks, ...from.remarks].join('\n');
    },
  });
}

function wordAround(line: string, character: number): string {
  const [before] = /[\p{L}\p{N}_$]*$/u.exec(line.slice(0, character)) ?? [''];
  const [after] = /^[\p{L}\p{N}_$]*/u.exec(line.slice(character)) ?? [''];
  return before + after;
}
