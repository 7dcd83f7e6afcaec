import * as z from 'zod';
import { isEditorError } from '../../../editor/common/editorPort';
import { defineTool } from '../defineTool';
import type { Place } from '../languagePort';
import { mayRevealInferredValue } from './inferredValues';
import { truncateText } from '../text/lineTexts';
import { findPlace, placeInputSchema } from '../placeFinder';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';

/** Limit in UTF-16 units. */
const maxTextLength = 6_000;
const maxDefinitions = 50;

export function hoverTool(ports: ToolPorts): Tool {
  return defineTool({
    name: 'hover',
    title: 'Type and documentation',
    description: 'Type, signature and documentation of a symbol, as VS Code shows them in a hover.',
    input: z.strictObject(placeInputSchema),
    async run(asked, signal) {
      const from = await findPlace(asked, ports, signal);
      const [hovers, definitions] = await Promise.all([
        ports.language.hovers(from, signal),
        ports.language.definitions('definition', from, signal),
      ]);
      // Hides symbols of excluded files, because even the type of a constant can reveal its value.
      const elsewhere = definitions.filter(({ path }) => path !== from.path);
      if (await isHidden(elsewhere, ports)) return `There is no hover information for ${from.title}.`;
      const texts = hovers.map((text) => removeInteractiveParts(text)).filter((text) => text !== '');
      const files = [from, ...definitions.slice(0, maxDefinitions)].flatMap(({ path }) => path ?? []);
      if (await mayRevealInferredValue(texts, files, ports.editor, signal))
        return `There is no hover information for ${from.title}.`;
      if (texts.length === 0) return [`There is no hover information for ${from.title}.`, ...from.remarks].join('\n');
      return [from.title, ...from.remarks, truncateText(texts.join('\n\n'), maxTextLength)].join('\n');
    },
  });
}

async function isHidden(definitions: readonly Place[], { editor }: ToolPorts): Promise<boolean> {
  const paths = new Set(definitions.flatMap(({ path }) => path ?? []));
  const verdicts = [...paths].slice(0, maxDefinitions).map(async (path) => {
    try {
      await editor.resolve(path);
      return false;
    } catch (error) {
      // Files outside the workspace count as libraries, which are not secret.
      return !(isEditorError(error) && error.code === 'outsideWorkspace');
    }
  });
  return (await Promise.all(verdicts)).includes(true);
}

/** Removes parts that only people can use: command links, images and separators. */
function removeInteractiveParts(markdown: string): string {
  return markdown
    .replace(/!\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replace(/\[([^\]]*)\]\((?:command|data|file):[^)]*\)/gu, '$1')
    .replace(/^\s*(?:---|\*\*\*)\s*$/gmu, '')
    .replace(/\n{3,}/gu, '\n\n')
    .trim();
}
