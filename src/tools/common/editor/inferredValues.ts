import { isEditorError } from '../../../editor/common/editorPort';
import { maxCodeBytes, type ToolPorts } from '../toolPorts';
import { modulePathsIn } from './excludedModules';

type Editor = Pick<ToolPorts['editor'], 'folders' | 'readText'>;

const maxFiles = 60;
const stringLiteral = /(["'`])((?:\\.|(?!\1)[^\\\n])+)\1/gu;
const numberLiteral = /(?<![\p{L}\p{N}_$.])\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?n?(?![\p{L}\p{N}_$])/gu;

/**
 * Whether texts about a symbol may contain a value of an excluded file: a language server infers types through imports, and the
 * type of a constant is its value. That is so if `files` (absolute paths) import an excluded file, directly or through others, and
 * the texts contain a string or a number that none of the imported files that agents can read contains. Excluded files are not read.
 */
export async function mayRevealInferredValue(
  texts: readonly string[],
  files: readonly string[],
  editor: Editor,
  signal: AbortSignal,
): Promise<boolean> {
  const literals = literalsIn(texts.map(withoutDisplayMarks).join('\n'));
  if (literals.size === 0) return false;
  const { importsExcluded, readable } = await followImports(files, editor, signal);
  if (!importsExcluded) return false;
  const known = literalsIn(readable.join('\n'));
  return [...literals].some((literal) => !known.has(literal));
}

/** If there are too many files to follow, the others count as excluded. */
async function followImports(
  files: readonly string[],
  editor: Editor,
  signal: AbortSignal,
): Promise<{ readonly importsExcluded: boolean; readonly readable: readonly string[] }> {
  const readable: string[] = [];
  const seen = new Set(files);
  let importsExcluded = false;
  // The set grows while it is iterated.
  for (const file of seen) {
    signal.throwIfAborted();
    if (readable.length >= maxFiles) return { importsExcluded: true, readable };
    try {
      const { text } = await editor.readText(file, { maxBytes: maxCodeBytes, signal });
      readable.push(text);
      const { isComplete, paths } = modulePathsIn(text, file, editor);
      if (!isComplete) importsExcluded = true;
      for (const path of paths) seen.add(path);
    } catch (error) {
      // Most of the paths do not exist.
      if (isEditorError(error) && error.code === 'excluded') importsExcluded = true;
    }
  }
  return { importsExcluded, readable };
}

function literalsIn(text: string): ReadonlySet<string> {
  const strings = [...text.matchAll(stringLiteral)].map(([, , content = '']) => `"${content}"`);
  return new Set([...strings, ...[...text.matchAll(numberLiteral)].map(([number]) => number)]);
}

/** Removes what language servers add to code: fences, and the number of overloads. */
function withoutDisplayMarks(text: string): string {
  return text.replace(/^\s*```.*$/gmu, '').replace(/\(\+\d+ overloads?\)/gu, '');
}
