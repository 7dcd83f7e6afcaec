import * as z from 'zod';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { waitUntilProjectLoaded } from '../calls/projectLoading';
import { CodeLines } from '../text/codeLines';
import { defineTool } from '../defineTool';
import type { FilePosition, Place } from '../languagePort';
import { truncateText } from '../text/lineTexts';
import { displayPath } from '../text/displayPath';
import { findPlace, pageNumberSchema, placeInputSchema, type FoundPlace } from '../placeFinder';
import { listPlaces, filterAccessiblePlaces, type AccessiblePlace } from '../placeList';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';

/** Tools that find other places for a given place. */

const input = z.strictObject({ ...placeInputSchema, page: pageNumberSchema });

export function referencesTool(ports: ToolPorts): Tool {
  return defineTool({
    name: 'references',
    title: 'Find references',
    description:
      'Every use of a symbol, from the language server. Includes renamed imports and re-exports, but no strings, comments or other symbols with the same name. Better than a text search to find who uses something.',
    input,
    run: ({ page, ...asked }, signal) =>
      listFoundPlaces(ports, asked, page, ['reference', 'references'], signal, (at) =>
        ports.language.references(at, signal),
      ),
  });
}

export function implementationsTool(ports: ToolPorts): Tool {
  return defineTool({
    name: 'implementations',
    title: 'Find implementations',
    description:
      'The implementations of an interface or an abstract class, or of one of its methods, from the language server.',
    input,
    run: ({ page, ...asked }, signal) =>
      listFoundPlaces(ports, asked, page, ['implementation', 'implementations'], signal, (at) =>
        ports.language.implementations(at, signal),
      ),
  });
}

const stillReading = 'The language server is still reading the project: there may be more. Ask again later.';

async function listFoundPlaces(
  ports: ToolPorts,
  asked: Parameters<typeof findPlace>[0],
  page: number,
  [one, many]: readonly [string, string],
  signal: AbortSignal,
  ask: (at: FilePosition) => Promise<readonly Place[]>,
): Promise<string> {
  const from = await findPlace(asked, ports, signal);
  const isComplete = await waitUntilProjectLoaded(from, ports, signal);
  const { places, remarks } = await filterAccessiblePlaces(await ask(from), from.path, ports, signal);
  const all = [...from.remarks, ...remarks, ...(isComplete ? [] : [stillReading])];
  if (places.length === 0) return noPlacesMessage(many, from, all, ports);
  const files = new Set(places.map(({ path }) => path)).size;
  const head = `${countWithNoun(places.length, one, many)} of ${from.title} in ${countWithNoun(files, 'file')}`;
  return [head, ...(await listPlaces(places, ports, { page }, signal)), ...all].join('\n');
}

/** Explains why there may be no results, so that the model does not treat this as certain. */
function noPlacesMessage(what: string, from: FoundPlace, remarks: readonly string[], { window }: ToolPorts): string {
  const known = window.languageOf(from.path);
  const server = known === undefined ? 'its language server' : `the language server of ${known}`;
  const why = `If that is wrong, ${server} may be missing or still starting: use search.`;
  return [`There are no ${what} of ${from.title} in files you may see.`, ...remarks, why].join('\n');
}

const kindNames = { definition: 'definition', type: 'type definition', declaration: 'declaration' } as const;
/** Limits of the code shown for definitions. */
const maxCodeLines = 15;
const maxDefinitionsWithCode = 4;

export function definitionTool(ports: ToolPorts): Tool {
  return defineTool({
    name: 'definition',
    title: 'Go to definition',
    description: 'Where a symbol is defined, with the first lines of its code, from the language server.',
    input: z.strictObject({
      ...placeInputSchema,
      kind: z.enum(['definition', 'type', 'declaration']).default('definition').describe('type: that of its type.'),
      page: pageNumberSchema,
    }),
    async run({ kind, page, ...asked }, signal) {
      const from = await findPlace(asked, ports, signal);
      const isComplete = await waitUntilProjectLoaded(from, ports, signal);
      const found = await ports.language.definitions(kind, from, signal);
      const { places, remarks } = await filterAccessiblePlaces(found, from.path, ports, signal);
      const all = [...from.remarks, ...remarks, ...(isComplete ? [] : [stillReading])];
      if (places.length === 0) return noPlacesMessage(`${kindNames[kind]}s`, from, all, ports);
      const head = `${countWithNoun(places.length, kindNames[kind])} of ${from.title}`;
      if (places.length > maxDefinitionsWithCode) {
        return [head, ...(await listPlaces(places, ports, { page }, signal)), ...all].join('\n');
      }
      const code = new CodeLines(ports.editor, signal);
      const parts = await Promise.all(places.map((place) => codeOf(place, code, ports)));
      return [head, ...parts, ...all].join('\n');
    },
  });
}

async function codeOf(
  { path, range, fullRange: full = range }: AccessiblePlace,
  code: CodeLines,
  { editor }: ToolPorts,
): Promise<string> {
  const lines = await code.linesOf(path);
  const first = full.start.line;
  // If only the name's range is known, the lines below it are shown, too.
  const known = full.end.line > first ? full.end.line : first + maxCodeLines - 1;
  const last = Math.min(known, first + maxCodeLines - 1, (lines?.lineCount ?? 0) - 1);
  const rows: string[] = [];
  for (let line = first; lines && line <= last; line++)
    rows.push(`  ${line + 1}: ${truncateText(lines.lineText(line), 300)}`);
  const isCut = full.end.line > last && lines !== undefined;
  return [`${displayPath(path, editor)}:${range.start.line + 1}`, ...rows, ...(isCut ? ['  …'] : [])].join('\n');
}
