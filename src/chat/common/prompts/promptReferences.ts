import type { PromptFileStyle } from './promptFile';

const maxReferences = 20;

/**
 * Returns the files that the text of a prompt file refers to, as they are written: the targets of Markdown links of VS Code, which
 * are relative to the file, and `@path` of Claude Code, relative to the workspace. Web addresses are left out.
 */
export function promptReferences(body: string, style: PromptFileStyle): string[] {
  const pattern = style === 'vscode' ? /\]\(([^)\s#]+)[^)]*\)|#file:([^\s),]+)/g : /(?<!\S)@([\w./\\-]*\w)/g;
  const found = [...body.matchAll(pattern)].map(([, target, file]) => target ?? file ?? '');
  const paths = found.filter((path) => path !== '' && !/^[a-z][a-z0-9+.-]+:/i.test(path));
  return [...new Set(paths)].slice(0, maxReferences);
}
