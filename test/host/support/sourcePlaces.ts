import { findSourceMap } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Names the TypeScript line where a stack trace names one of a bundle. Node.js would, but VS Code formats the stack
 * traces of its extension host itself.
 * @param root folder that the places are shown relative to
 */
export function withSourcePlaces(text: string, root: string): string {
  return text.replace(/(\/[^\s()]+\.js):(\d+):(\d+)/g, (place, file: string, line: string, column: string) => {
    const entry = findSourceMap(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalSource' in entry)) return place;
    const source = relative(root, fileURLToPath(entry.originalSource));
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}
