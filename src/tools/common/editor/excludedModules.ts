import { withForwardSlashes } from '../../../editor/common/boundary';
import { isEditorError } from '../../../editor/common/editorPort';
import type { ToolPorts } from '../toolPorts';

const quoted = /(["'`])([^"'`\n]+)\1/gu;
/** What imports may omit at the end of a path. */
const extensions = ['ts', 'tsx', 'd.ts', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'vue', 'svelte', 'py', 'json'];
const endings = ['', ...extensions.map((extension) => `.${extension}`), '/index.ts', '/index.tsx', '/index.js'];
const maxModules = 50;

/**
 * Returns the quoted module names, such as "./config", that refer from `file` (an absolute path) or a workspace folder to
 * an excluded file. Compares names only. If there are too many names to check, the others count as excluded.
 */
export async function excludedModulesIn(
  texts: readonly string[],
  file: string,
  { editor }: { readonly editor: Pick<ToolPorts['editor'], 'folders' | 'resolve'> },
): Promise<ReadonlySet<string>> {
  const names = moduleNamesIn(texts);
  const hidden = new Set(names.slice(maxModules));
  for (const name of names.slice(0, maxModules)) {
    const verdicts = await Promise.all(pathsOf(name, file, editor).map((path) => isExcluded(path, editor)));
    if (verdicts.includes(true)) hidden.add(name);
  }
  return hidden;
}

/**
 * Returns the absolute paths that the quoted module names in a text may refer to. Most of them do not exist. `isComplete` is false if
 * there are too many names.
 */
export function modulePathsIn(
  text: string,
  file: string,
  editor: Pick<ToolPorts['editor'], 'folders'>,
): { readonly paths: readonly string[]; readonly isComplete: boolean } {
  const names = moduleNamesIn([text]);
  const paths = names.slice(0, maxModules).flatMap((name) => pathsOf(name, file, editor));
  return { paths, isComplete: names.length <= maxModules };
}

function moduleNamesIn(texts: readonly string[]): readonly string[] {
  const inQuotes = texts.flatMap((text) => [...text.matchAll(quoted)].map(([, , name = '']) => name));
  return [...new Set(inQuotes.filter((name) => name.includes('/')))];
}

function pathsOf(name: string, file: string, { folders }: Pick<ToolPorts['editor'], 'folders'>): readonly string[] {
  const folder = withForwardSlashes(file).replace(/\/[^/]*$/u, '');
  // Many projects use an alias for their root folder.
  const bases = name.startsWith('.') ? [folder] : folders.map(({ path }) => withForwardSlashes(path));
  const own = name.replace(/^[@~]\//u, '');
  // An import of TypeScript may name the file that is compiled from the module.
  const stems = new Set([own, own.replace(/\.[cm]?jsx?$/u, '')]);
  return bases.flatMap((base) => [...stems].flatMap((stem) => endings.map((ending) => `${base}/${stem}${ending}`)));
}

async function isExcluded(path: string, editor: Pick<ToolPorts['editor'], 'resolve'>): Promise<boolean> {
  try {
    await editor.resolve(path);
    return false;
  } catch (error) {
    return isEditorError(error) && error.code === 'excluded';
  }
}
