import * as z from 'zod';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { oneLine } from '../../../base/common/text/oneLine';
import { LineIndex } from '../../../editor/common/text/textOffsets';
import type { Diagnostic, Range } from '../../../editor/common/editorPort';
import { askAndApplyEdits, readTextsOf } from '../changes/applyChanges';
import { listChangedFiles } from '../changes/changedFiles';
import { defineActingTool } from '../defineTool';
import type { ProposedAction, ProposedEdits } from '../languageEditPort';
import { displayPath } from '../text/displayPath';
import { truncateText } from '../text/lineTexts';
import { ToolError } from '../toolError';
import type { Tool } from '../toolProvider';
import { excludedModulesIn } from './excludedModules';
import { maxCodeBytes, type ToolPorts } from '../toolPorts';

const maxListed = 40;
const maxTitleLength = 200;

export function fixesTool(ports: ToolPorts): Tool {
  const { editor } = ports;
  return defineActingTool({
    name: 'fixes',
    title: 'Fixes',
    description:
      'Quick fixes and refactorings that VS Code offers in a line, such as a missing import. Without apply: lists them.',
    input: z.strictObject({
      path: z.string().min(1),
      line: z.int().min(1).describe('1-based, as in problems.'),
      apply: z.string().min(1).max(500).optional().describe('Title of one, as listed.'),
    }),
    async run({ apply, line, path }, call) {
      const file = await editor.readText(path, { fromBuffer: 'updated', maxBytes: maxCodeBytes, signal: call.signal });
      const place = `${displayPath(file.path, editor)}:${line}`;
      const lines = new LineIndex(file.text);
      if (line > lines.lineCount) throw new ToolError(`There is no line ${line}: the file has ${lines.lineCount}.`);
      const actions = await actionsInLine(file.path, line - 1, lines, ports, call.signal);
      if (actions.length === 0) return `VS Code offers no fixes at ${place}.`;
      if (apply === undefined) {
        const rows = actions.slice(0, maxListed).map((action) => `  ${describeAction(action)}`);
        const remaining = actions.length - rows.length;
        const more = remaining > 0 ? [`  … ${remaining} more`] : [];
        return [`${countWithNoun(actions.length, 'action')} at ${place}`, ...rows, ...more].join('\n');
      }
      let chosen = chooseAction(actions, apply, place);
      let textByPath: ReadonlyMap<string, string> = new Map([[file.path, file.text]]);
      if (chosen.edits.some((each) => each.edits.length > 0 && each.path !== file.path)) {
        // Only now is it known which other files it changes. They are read before the edits are requested again.
        textByPath = new Map([...(await readTextsOf(chosen.edits, ports, call.signal)), ...textByPath]);
        chosen = chooseAction(await actionsInLine(file.path, line - 1, lines, ports, call.signal), apply, place);
      }
      const purpose = `apply “${titleOf(chosen)}”`;
      const changed = await askAndApplyEdits({ purpose }, chosen.edits, ports, call, { textByPath });
      if (changed.length === 0) return `“${titleOf(chosen)}” changes nothing.`;
      return [`Applied “${titleOf(chosen)}”`, ...listChangedFiles(changed, ports)].join('\n');
    },
  });
}

/** Actions for the problems of a line, then for the whole line, each title once. */
async function actionsInLine(
  path: string,
  line: number,
  lines: LineIndex,
  ports: ToolPorts,
  signal: AbortSignal,
): Promise<readonly ProposedAction[]> {
  const { editor, languageEdits } = ports;
  const text = lines.lineText(line);
  const whole = {
    start: { line, character: text.length - text.trimStart().length },
    end: { line, character: text.trimEnd().length },
  };
  const problems = (await editor.diagnostics(path, { signal })).flatMap(({ diagnostics }) => diagnostics);
  const ranges = [...problems.filter((problem) => isInLine(problem, line)).map(({ range }) => range), whole];
  const found = new Map<string, ProposedAction>();
  for (const range of uniqueRanges(ranges)) {
    for (const action of await languageEdits.codeActions(path, range, signal)) {
      if (!found.has(action.title)) found.set(action.title, action);
    }
  }
  const visible = await withoutHiddenModules([...found.values()], path, lines.text, ports);
  signal.throwIfAborted();
  return visible.toSorted((a, b) => Number(b.isPreferred) - Number(a.isPreferred));
}

/** A missing import can be in an excluded file, whose name and exports must be hidden from agents. */
async function withoutHiddenModules(
  actions: readonly ProposedAction[],
  path: string,
  text: string,
  ports: ToolPorts,
): Promise<readonly ProposedAction[]> {
  const insertedBy = ({ edits = [] }: ProposedAction): string[] =>
    edits.flatMap((each) => each.edits.map(({ newText }) => newText));
  const texts = actions.flatMap((action) => [action.title, ...insertedBy(action)]);
  const hidden = [...(await excludedModulesIn(texts, path, ports))];
  // Modules that the file already names reveal nothing new.
  const news = hidden.filter((name) => !text.includes(name));
  return actions.filter(
    (action) =>
      !hidden.some((name) => action.title.includes(name)) &&
      !news.some((name) => insertedBy(action).some((inserted) => inserted.includes(name))),
  );
}

function isInLine({ range }: Diagnostic, line: number): boolean {
  return range.start.line <= line && line <= range.end.line;
}

function uniqueRanges(ranges: readonly Range[]): readonly Range[] {
  return [...new Map(ranges.map((range) => [JSON.stringify(range), range])).values()];
}

interface ApplicableAction extends ProposedAction {
  readonly edits: readonly ProposedEdits[];
}

/** @throws ToolError if it cannot be applied */
function chooseAction(actions: readonly ProposedAction[], title: string, place: string): ApplicableAction {
  const chosen = actions.find((action) => action.title === title || titleOf(action) === title);
  if (!chosen) throw new ToolError(`VS Code does not offer “${title}” at ${place}. List the fixes again.`);
  const { disabledReason, edits } = chosen;
  if (disabledReason !== undefined) throw new ToolError(`This cannot be applied: ${disabledReason}`);
  if (!edits)
    throw new ToolError('This runs a command of an extension, which tools cannot do. Ask the user to apply it.');
  return { ...chosen, edits };
}

function titleOf({ title }: ProposedAction): string {
  return truncateText(oneLine(title), maxTitleLength);
}

function describeAction(action: ProposedAction): string {
  const notes = [
    ...(action.kind === '' ? [] : [action.kind]),
    ...(action.isPreferred ? ['preferred'] : []),
    ...(action.edits ? [] : ['only the user can apply it']),
    ...(action.disabledReason === undefined ? [] : ['not possible now']),
  ];
  return `${titleOf(action)}${notes.length > 0 ? `  [${notes.join(', ')}]` : ''}`;
}
