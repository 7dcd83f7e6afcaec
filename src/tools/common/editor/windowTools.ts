import * as z from 'zod';
import { BoundedMap } from '../../../base/common/boundedMap';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { toFileUri } from '../../../base/common/addresses/fileUri';
import type { Disposable } from '../../../base/common/disposable';
import { defineTool } from '../defineTool';
import { truncateText } from '../text/lineTexts';
import { displayPath } from '../text/displayPath';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';
import { filterAccessibleFiles } from '../search/accessibleFiles';

const noInput = z.strictObject({});
const maxSelections = 20;
const maxFiles = 200;

export function selectionTool({ editor }: ToolPorts): Tool {
  return defineTool({
    name: 'selection',
    title: 'Selection',
    description: 'The file that the user is viewing, the position of the cursor, and the selected text.',
    input: noInput,
    run() {
      const active = editor.activeSelection;
      if (!active) return Promise.resolve('The user is viewing no file that you may see.');
      const name = displayPath(active.path, editor);
      const rows = active.selections.slice(0, maxSelections).map(({ start, end, text }) => {
        if (text === '') return `Cursor in line ${start.line + 1}, column ${start.character + 1}.`;
        const lines = start.line === end.line ? `line ${start.line + 1}` : `lines ${start.line + 1} to ${end.line + 1}`;
        return `Selected in ${lines}:\n${text}`;
      });
      const remaining = active.selections.length - rows.length;
      return Promise.resolve([name, ...rows, ...(remaining > 0 ? [`… ${remaining} more selections`] : [])].join('\n'));
    },
  });
}

export function openEditorsTool({ editor, window }: ToolPorts): Tool {
  return defineTool({
    name: 'open_editors',
    title: 'Open editors',
    description: 'The files that are open in the editor, and which of them are active, visible or unsaved.',
    input: noInput,
    async run(_input, signal) {
      const files = new Map(window.openFiles.map((file) => [file.path, file]));
      const { paths } = await filterAccessibleFiles([...files.keys()], editor, signal);
      if (paths.length === 0) return 'No file that you may see is open.';
      const rows = paths.slice(0, maxFiles).map((path) => {
        const file = files.get(path);
        const states = [
          ...(file?.isActive ? ['active'] : file?.isVisible ? ['visible'] : []),
          ...(file?.isUnsaved ? ['not saved'] : []),
        ];
        return `  ${displayPath(path, editor)}${states.length > 0 ? ` (${states.join(', ')})` : ''}`;
      });
      const remaining = paths.length - rows.length;
      return [
        `${countWithNoun(paths.length, 'file is', 'files are')} open`,
        ...rows,
        ...(remaining > 0 ? [`… ${remaining} more`] : []),
      ].join('\n');
    },
  });
}

export function openFileTool({ editor }: ToolPorts): Tool {
  return defineTool({
    name: 'open',
    title: 'Open file',
    description: 'Shows a file, or lines of it, to the user. The focus stays where it is.',
    input: z.strictObject({
      path: z.string().min(1),
      line: z.int().min(1).optional().describe('1-based.'),
      to: z.int().min(1).optional().describe('Last line of a range.'),
    }),
    async run({ path, line, to }) {
      // Only files: links and other targets would need the user's permission.
      const file = await editor.resolve(path);
      const range = line === undefined ? '' : `#L${line}${to === undefined ? '' : `-L${to}`}`;
      await editor.open(`${toFileUri(file)}${range}`, { preserveFocus: true, preview: true });
      return `The user sees ${displayPath(file, editor)}${line === undefined ? '' : ` at line ${line}`}.`;
    },
  });
}

/** Limit of diffs shown at once; the oldest is closed. */
const maxDiffs = 5;
const maxDiffText = 4 * 1_024 * 1_024;

export class DiffTool implements Disposable {
  private readonly shownDiffByFile = new BoundedMap<string, Disposable>({
    maxEntries: maxDiffs,
    onEvict: (diff) => diff.dispose(),
  });
  private isDisposed = false;
  readonly tool: Tool;

  constructor({ editor }: ToolPorts) {
    this.tool = defineTool({
      name: 'show_diff',
      title: 'Show diff',
      description: 'Shows the user a file beside a text that you propose for it. Changes nothing.',
      input: z.strictObject({
        path: z.string().min(1),
        text: z.string().max(maxDiffText).describe('The whole new text.'),
        title: z.string().max(200).optional(),
      }),
      run: async ({ path, text, title }) => {
        const file = await editor.resolve(path);
        const name = displayPath(file, editor);
        const diff = await editor.showDiff(file, text, truncateText(title ?? `${name}: proposed`, 200));
        this.replaceDiff(file, diff);
        return `The user sees the diff of ${name}.`;
      },
    });
  }

  dispose(): void {
    this.isDisposed = true;
    for (const diff of this.shownDiffByFile.values()) diff.dispose();
    this.shownDiffByFile.clear();
  }

  private replaceDiff(file: string, diff: Disposable): void {
    if (this.isDisposed) {
      diff.dispose();
      return;
    }
    this.shownDiffByFile.get(file)?.dispose();
    this.shownDiffByFile.set(file, diff);
  }
}
