import * as z from 'zod';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import type { ContextItem } from '../items/contextItem';
import type { ContextLookups } from './contextLookups';
import type { ContextReader, FileItems } from './contextReader';
import type { ItemList } from '../items/itemList';
import { searchItems } from '../items/itemQueries';
import { joinProviderTitles, itemParagraph } from '../items/itemTexts';

/** The tool for context items. Language models call it through VS Code's API, and agents over MCP. */

/** The name must match `languageModelTools` in package.json. */
export const languageModelContextTool = {
  name: 'backline_context',
  description:
    'Returns context items from the context providers of this workspace: owners, issues, documentation, links and similar information. Finds the items of a file, of some of its lines, or for a query.',
  inputSchema: {
    type: 'object',
    properties: {
      file: {
        type: 'string',
        description: 'Path of a file in the workspace. Default: the active file.',
      },
      firstLine: {
        type: 'integer',
        minimum: 1,
        description: 'First line: only items in or across these lines are returned. 1-based.',
      },
      lastLine: {
        type: 'integer',
        minimum: 1,
        description: 'Last line, included. Default: firstLine.',
      },
      query: {
        type: 'string',
        description:
          'With a file: only items that contain all of these words. Without a file: the items that providers find for them, and matching items in the files that were open.',
      },
    },
    additionalProperties: false,
  },
} as const;

/** The tool for agents. They see it among the other tools of the window. */
export const agentContextTool = {
  ...languageModelContextTool,
  name: 'context_items',
  annotations: { title: 'Context items', readOnlyHint: true },
} as const;

const line = z.number().int().min(1).optional();
const ContextToolInput = z.strictObject({
  file: z.string().min(1).optional(),
  firstLine: line,
  lastLine: line,
  query: z.string().optional(),
});
type ContextToolInput = z.infer<typeof ContextToolInput>;

/** How long the answer waits for providers, in milliseconds. It names providers that have not answered by then. */
const waitMs = 1_000;
/** Maximum duration of a lookup, in milliseconds: two requests, often over the network. */
const lookupMs = 5_000;
const maxItems = 200;
/** Maximum length of the answer, in UTF-16 units. */
const maxText = 64 * 1_024;

interface ContextToolPorts {
  readonly reader: Pick<ContextReader, 'itemsOf' | 'searchKnownItems'>;
  readonly lookups: Pick<ContextLookups, 'itemsForQuery'>;
}

/** Runs the tool. @throws Error if the input is invalid; EditorError */
export async function runContextTool(
  { reader, lookups }: ContextToolPorts,
  input: unknown,
  signal: AbortSignal,
): Promise<string> {
  const parsed = ContextToolInput.safeParse(input ?? {});
  if (!parsed.success) throw new Error(`The input is invalid: ${z.prettifyError(parsed.error)}`);
  const { file, query = '', firstLine } = parsed.data;
  if (file === undefined && query !== '' && firstLine === undefined) {
    const [known, found] = await Promise.all([
      reader.searchKnownItems(query, maxItems),
      lookups.itemsForQuery(query, lookupMs, signal),
    ]);
    const text = joinWithinLimits(
      [
        ...found.items.map((item) => itemParagraph(undefined, item)),
        ...known.map(({ path, item }) => itemParagraph(path, item)),
      ],
      `No provider finds anything for "${query}", and no context item in the files that were open contains it.`,
    );
    return [text, ...remarksOn(found)].join('\n\n');
  }
  const found = await reader.itemsOf(file, { waitMs, signal });
  if (!found) return 'No readable file is active. Pass a path as `file`.';
  const items = selectItems(found.items, parsed.data);
  const text = joinWithinLimits(
    items.map((item) => itemParagraph(found.file.path, item)),
    `There are no matching context items in ${found.file.path}.`,
  );
  return [text, ...remarksOn(found)].join('\n\n');
}

function selectItems(
  items: ItemList,
  { firstLine, lastLine = firstLine, query }: ContextToolInput,
): readonly ContextItem[] {
  const inLines =
    firstLine === undefined || lastLine === undefined
      ? [...items]
      : items.itemsTouching({
          start: { line: firstLine - 1, character: 0 },
          end: { line: lastLine - 1, character: Number.MAX_SAFE_INTEGER },
        });
  return query ? searchItems(inLines, query) : inLines;
}

function remarksOn({
  pendingProviders,
  isComplete,
  note,
}: Pick<FileItems, 'pendingProviders' | 'isComplete' | 'note'>): string[] {
  if (note !== undefined) return [note];
  if (pendingProviders.length > 0)
    return [`Still waiting for ${joinProviderTitles(pendingProviders)}. Call the tool again for more.`];
  return isComplete ? [] : ['Some providers could not answer, so items may be missing.'];
}

function joinWithinLimits(all: readonly string[], none: string): string {
  if (all.length === 0) return none;
  const kept: string[] = [];
  let length = 0;
  for (const text of all) {
    const room = maxText - length;
    if (kept.length === maxItems || room <= 0) break;
    kept.push(text.length > room ? `${text.slice(0, room)}…` : text);
    length += text.length;
  }
  const left = all.length - kept.length;
  return [
    ...kept,
    ...(left > 0 ? [`… and ${countWithNoun(left, 'more item')}. Limit the lines, or search for words.`] : []),
  ].join('\n\n');
}
