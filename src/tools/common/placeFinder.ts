import * as z from 'zod';
import { LineIndex } from '../../editor/common/text/textOffsets';
import { LanguageServerTimeoutError, type FilePosition, type OutlineSymbol } from './languagePort';
import { shortenLineAround } from './text/lineTexts';
import { displayPath } from './text/displayPath';
import { findNearestOccurrence, namesInLine, splitQualifiedName } from './text/symbolText';
import { ToolError } from './toolError';
import { maxCodeBytes, type ToolPorts } from './toolPorts';
import { filterAccessiblePlaces } from './placeList';

export const placeInputSchema = {
  path: z.string().min(1).optional().describe('File, relative to the workspace. Without it: symbol of any file.'),
  symbol: z.string().min(1).max(500).optional().describe('Name as in the code, or Class.member.'),
  line: z.int().min(1).optional().describe('1-based, best with symbol.'),
  column: z.int().min(1).optional().describe('1-based. Not needed with symbol.'),
};

export const pageNumberSchema = z.int().min(1).default(1).describe('Page of a long answer.');

interface PlaceReference {
  readonly path?: string | undefined;
  readonly symbol?: string | undefined;
  /** 1-based, like `column`. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export interface FoundPlace extends FilePosition {
  /** The text of the file that the position refers to. */
  readonly text: string;
  /** Display name, for example `parse (src/a.ts:10)`. */
  readonly title: string;
  /** How the request was interpreted, for the model. */
  readonly remarks: readonly string[];
}

/** Finds the place a model refers to. @throws ToolError with advice; EditorError for a file that may not be seen */
export async function findPlace(reference: PlaceReference, ports: ToolPorts, signal: AbortSignal): Promise<FoundPlace> {
  const { path, symbol } = reference;
  if (path === undefined) {
    if (symbol === undefined) throw new ToolError('Name a symbol, or a path with a symbol or a line.');
    return await placeOfSymbol(symbol, ports, signal);
  }
  const file = await ports.editor.readText(path, { fromBuffer: 'updated', maxBytes: maxCodeBytes, signal });
  const lines = new LineIndex(file.text);
  const name = displayPath(file.path, ports.editor);
  const { line, column } = reference;
  if (line !== undefined && line > lines.lineCount && symbol === undefined)
    throw new ToolError(`${name} has ${lines.lineCount} lines: there is no line ${line}.`);
  const outline = (): Promise<readonly OutlineSymbol[]> => outlineOrEmpty(file.path, ports, signal);
  const found = await placeInFile({ symbol, line, column }, lines, name, outline);
  const { position, remarks } = found;
  const title = found.name ?? wordAt(lines, position) ?? `column ${position.character + 1}`;
  return { path: file.path, position, text: file.text, title: `\`${title}\` (${name}:${position.line + 1})`, remarks };
}

interface PlaceInFile {
  readonly position: FilePosition['position'];
  readonly name?: string;
  readonly remarks: readonly string[];
}

async function placeInFile(
  { symbol, line, column }: Omit<PlaceReference, 'path'>,
  lines: LineIndex,
  file: string,
  outline: () => Promise<readonly OutlineSymbol[]>,
): Promise<PlaceInFile> {
  if (symbol !== undefined) return await placeOfName(symbol, { line, column }, lines, file, outline);
  if (line === undefined) throw new ToolError(`Name a symbol of ${file}, or a line.`);
  if (column !== undefined) return { position: lines.clamp({ line: line - 1, character: column - 1 }), remarks: [] };
  const declared = flattenOutline(await outline()).filter(({ nameRange }) => nameRange.start.line === line - 1);
  const [only] = declared;
  if (only && declared.length === 1) return { position: only.nameRange.start, name: only.name, remarks: [] };
  const text = lines.lineText(line - 1);
  const names = namesInLine(text);
  const [name] = names;
  if (name !== undefined && names.length === 1) {
    const position = { line: line - 1, character: Math.max(0, text.indexOf(name)) };
    return { position, name, remarks: [] };
  }
  throw new ToolError(`Name the symbol, too. Line ${line} of ${file} is: ${shortenLineAround(text, 0)}`);
}

async function placeOfName(
  symbol: string,
  { line, column }: Pick<PlaceReference, 'line' | 'column'>,
  lines: LineIndex,
  file: string,
  outline: () => Promise<readonly OutlineSymbol[]>,
): Promise<PlaceInFile> {
  const { name, container } = splitQualifiedName(symbol);
  if (line === undefined) {
    const declared = findDeclarations(await outline(), name, container);
    const [first, ...others] = declared;
    if (first) {
      const also = others.map(({ nameRange }) => nameRange.start.line + 1).join(', ');
      const remarks = also === '' ? [] : [`${file} declares it in more lines: ${also}.`];
      return { position: first.nameRange.start, name, remarks };
    }
  }
  const found = findNearestOccurrence(
    lines,
    name,
    line === undefined ? undefined : line - 1,
    column === undefined ? undefined : column - 1,
  );
  if (!found) throw new ToolError(`There is no \`${name}\` in ${file}. Use find_symbol or search to find it.`);
  const at = found.position.line + 1;
  const remarks = found.isInOtherLine ? [`\`${name}\` is not in line ${line ?? ''}: this is about line ${at}.`] : [];
  return { position: found.position, name, remarks };
}

async function placeOfSymbol(symbol: string, ports: ToolPorts, signal: AbortSignal): Promise<FoundPlace> {
  const { name, container } = splitQualifiedName(symbol);
  const all = (await ports.language.workspaceSymbols(name, signal)).filter(
    (each) => hasName(each.name, name) && (container === undefined || hasName(each.container, container)),
  );
  const { places } = await filterAccessiblePlaces(all, undefined, ports, signal);
  const [first, ...others] = places;
  if (!first) {
    throw new ToolError(
      `No language server finds \`${symbol}\` in the workspace. Give its path, or use find_symbol or search to find it.`,
    );
  }
  const titleOf = (place: typeof first): string =>
    `${displayPath(place.path, ports.editor)}:${place.range.start.line + 1} (${place.kind})`;
  if (others.length > 0) {
    const list = places.slice(0, 10).map((place) => `  ${titleOf(place)}`);
    const more = places.length > list.length ? [`  … ${places.length - list.length} more`] : [];
    throw new ToolError(
      [`There are several \`${symbol}\`. Give the path and line of one:`, ...list, ...more].join('\n'),
    );
  }
  // Language servers return the whole declaration as the symbol's range.
  const { line } = first.range.start;
  const place = await findPlace({ path: first.path, symbol: name, line: line + 1 }, ports, signal);
  return { ...place, remarks: [] };
}

/** Returns an empty outline on errors. @throws LanguageServerTimeoutError: the next query would time out, too */
async function outlineOrEmpty(path: string, ports: ToolPorts, signal: AbortSignal): Promise<readonly OutlineSymbol[]> {
  try {
    return await ports.language.outline(path, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof LanguageServerTimeoutError) throw error;
    return [];
  }
}

/** Declarations with that name, optionally within `container`. */
export function findDeclarations(
  outline: readonly OutlineSymbol[],
  name: string,
  container: string | undefined,
): readonly OutlineSymbol[] {
  const inside = (symbols: readonly OutlineSymbol[], parent: string | undefined): OutlineSymbol[] =>
    symbols.flatMap((symbol) => [
      ...(hasName(symbol.name, name) && (container === undefined || parent === container) ? [symbol] : []),
      ...inside(symbol.children, splitQualifiedName(symbol.name).name),
    ]);
  return inside(outline, undefined);
}

/** Ignores parameters and types that language servers append to names. */
function hasName(symbol: string, name: string): boolean {
  return (
    symbol === name || splitQualifiedName(symbol).name === name || symbol.replace(/[(<:].*$/su, '').trim() === name
  );
}

function flattenOutline(outline: readonly OutlineSymbol[]): readonly OutlineSymbol[] {
  return outline.flatMap((symbol) => [symbol, ...flattenOutline(symbol.children)]);
}

function wordAt(lines: LineIndex, { line, character }: FilePosition['position']): string | undefined {
  const text = lines.lineText(line);
  return namesInLine(text).find((name) => {
    for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
      if (at <= character && character <= at + name.length) return true;
    }
    return false;
  });
}
