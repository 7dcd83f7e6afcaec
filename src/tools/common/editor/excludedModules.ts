import { withForwardSlashes } from '../../../editor/common/boundary';
import { isEditorError } from '../../../editor/common/editorPort';
import type { ToolPorts } from '../toolPorts';

const quoted = /(["'`])([^"'`\n]*\/[^"'`\n]*)\1/gu;
/** Extensions that imports may omit. */
const endings = ['', '.ts', '.tsx', '.js', '.jsx', '.mjs', '.cjs', '.vue', '.svelte', '.py', '.json'];
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
  const names = new Set(texts.flatMap((text) => [...text.matchAll(quoted)].map(([, , name = '']) => name)));
  const folder = withForwardSlashes(file).replace(/\/[^/]*$/u, '');
  const roots = editor.folders.map(({ path }) => withForwardSlashes(path));
  const hidden = new Set([...names].slice(maxModules));
  for (const name of [...names].slice(0, maxModules)) {
    // Many projects use an alias for their root folder.
    const bases = name.startsWith('.') ? [folder] : roots;
    const paths = bases.flatMap((base) => endings.map((ending) => `${base}/${name.replace(/^[@~]\//u, '')}${ending}`));
    const verdicts = await Promise.all(paths.map((path) => isExcluded(path, editor)));
    if (verdicts.includes(true)) hidden.add(name);
  }
  return hidden;
}

async function isExcluded(path: string, editor: Pick<ToolPorts['editor'], 'resolve'>): Promise<boolean> {
  try {
    await editor.resolve(path);
    return false;
  } catch (error) {
    return isEditorError(error) && error.code === 'excluded';
  }
}
