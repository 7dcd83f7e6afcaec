import type { PromptFileStyle } from './promptFile';

const maxReferences = 20;
/** Of a path. What is longer is cut off, and is then no file. */
const maxPathUnits = 1024;

/**
 * Returns the files that the text of a prompt file refers to, as they are written: the targets of Markdown links of VS Code, which
 * are relative to the file, and `@path` of Claude Code, relative to the workspace. Web addresses are left out.
 */
export function promptReferences(body: string, style: PromptFileStyle): string[] {
  const found = style === 'vscode' ? targetsOf(body) : mentionsIn(body);
  const paths = found.filter((path) => !/^[a-z][a-z0-9+.-]+:/i.test(path));
  return [...new Set(paths)].slice(0, maxReferences);
}

function mentionsIn(body: string): string[] {
  return [...body.matchAll(/(?<!\S)@([\w./\\-]*\w)/g)].map(([, path = '']) => path);
}

/** The targets of `[name](target "title")` and of `#file:target`, in the order of the text. Reads each character once. */
function targetsOf(body: string): string[] {
  const targets: string[] = [];
  const opening = /\]\(|#file:/g;
  let end = 0;
  for (let match = opening.exec(body); match; match = opening.exec(body)) {
    const from = opening.lastIndex;
    const isLink = match[0] === '](';
    if (isLink && end >= 0 && end < from) end = body.indexOf(')', from);
    if (isLink && end < 0) continue;
    const written = body.slice(from, Math.min(from + maxPathUnits, isLink ? end : body.length));
    const target = (isLink ? /^[^\s#]+/ : /^[^\s),]+/).exec(written)?.[0];
    if (target === undefined) continue;
    targets.push(target);
    opening.lastIndex = isLink ? end + 1 : from + target.length;
  }
  return targets;
}
