import * as z from 'zod';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { defineTool } from '../defineTool';
import { LanguageServerTimeoutError, type FoundSymbol } from '../languagePort';
import { findDeclarations, pageNumberSchema } from '../placeFinder';
import { listPlaces, filterAccessiblePlaces } from '../placeList';
import { splitQualifiedName } from '../text/symbolText';
import { findTextMatches } from '../search/textMatches';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';

/** Limit of files whose outlines are searched if no language server finds the name. */
const maxOutlinedFiles = 8;

const input = z.strictObject({
  query: z.string().min(1).max(500).describe('Name or part of it, or Class.member.'),
  near: z.string().min(1).optional().describe('File: results near it come first.'),
  page: pageNumberSchema,
});

export function findSymbolTool(ports: ToolPorts): Tool {
  return defineTool({
    name: 'find_symbol',
    title: 'Find symbol',
    description: 'Finds declarations by name in the whole workspace, with the language servers. For text, use search.',
    input,
    async run({ query, near, page }, signal) {
      const anchor = near === undefined ? ports.editor.activeSelection?.path : await ports.editor.resolve(near);
      const { name, container } = splitQualifiedName(query);
      const fromServers = await symbolsOfServers(ports, name, signal);
      const meant = fromServers.symbols.filter((symbol) => container === undefined || isInContainer(symbol, container));
      const isExact = (symbol: FoundSymbol): boolean => splitQualifiedName(symbol.name).name === name;
      const outlined = meant.some(isExact) ? [] : await declarationsInFiles(ports, query, anchor, signal);
      const { places, remarks } = await filterAccessiblePlaces([...meant, ...outlined], anchor, ports, signal);
      if (places.length === 0) {
        return [
          ...fromServers.remarks,
          `No declaration of \`${query}\` was found. Use search to look for the text.`,
        ].join('\n');
      }
      const sorted = [...places.filter(isExact), ...places.filter((symbol) => !isExact(symbol))];
      const label = ({ kind, name: called, container: inside }: FoundSymbol): string =>
        inside === '' ? `${kind} ${called}` : `${kind} ${called} in ${inside}`;
      const rows = await listPlaces(sorted, ports, { page, label }, signal);
      return [countWithNoun(places.length, 'symbol'), ...rows, ...remarks, ...fromServers.remarks].join('\n');
    },
  });
}

interface ServerSymbols {
  readonly symbols: readonly FoundSymbol[];
  readonly remarks: readonly string[];
}

async function symbolsOfServers({ language }: ToolPorts, name: string, signal: AbortSignal): Promise<ServerSymbols> {
  try {
    return { symbols: await language.workspaceSymbols(name, signal), remarks: [] };
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof LanguageServerTimeoutError ? 'has not answered in time' : 'has failed';
    return { symbols: [], remarks: [`A language server ${why}: only files that contain the name were searched.`] };
  }
}

/** Finds declarations in files that contain the name, because many language servers only analyze open files. */
async function declarationsInFiles(
  ports: ToolPorts,
  query: string,
  anchor: string | undefined,
  signal: AbortSignal,
): Promise<readonly FoundSymbol[]> {
  const { name, container } = splitQualifiedName(query);
  const words = { pattern: name, isRegex: false, isCaseSensitive: true, isWholeWord: true };
  const { files } = await findTextMatches(words, { anchor, limit: 200 }, ports, signal);
  const found = files.slice(0, maxOutlinedFiles).map(async ({ path }): Promise<FoundSymbol[]> => {
    const outline = await ports.language.outline(path, signal).catch(() => []);
    return findDeclarations(outline, name, container).map((symbol) => ({
      name: symbol.name,
      kind: symbol.kind,
      container: container ?? '',
      path,
      range: symbol.nameRange,
    }));
  });
  const symbols = (await Promise.all(found)).flat();
  signal.throwIfAborted();
  return symbols;
}

function isInContainer({ container, name }: FoundSymbol, wanted: string): boolean {
  return splitQualifiedName(container).name === wanted || splitQualifiedName(name).container === wanted;
}
