import { oneLine } from '../../../base/common/oneLine';
import type { ContextItem, ProviderRef } from './contextItem';

/** How items are said in one line, and what of them AI reads. */

/** The name of an icon between `$(` and `)` would become one in a label; the words of a provider stay words. */
export function asLabel(text: string): string {
  const line = oneLine(text);
  return line.replace(/\$\((?=[\w-]+(?:~[\w-]+)?\))/g, '\\$(');
}

/** Text as markdown that looks like it: no letter of it means anything, and lines and indentation stay. */
export function asMarkdown(text: string): string {
  const lines = text.replace(/[!-/:-@[-`{-~]/g, '\\$&').split(/\r\n|\r|\n/);
  return lines.map((line) => line.replace(/^[ \t]+/, (space) => '&nbsp;'.repeat(space.length))).join('  \n');
}

/** About what markdown looks like, in one line, for where it cannot be rendered. */
export function withoutMarkup(markdown: string): string {
  const text = markdown.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/^\s*(?:[-*+]|#+|>)\s+/gm, '· ');
  return text.replace(/(\*{1,3}|`+)(?=\S)([^\n]*?\S)\1/g, '$2').replace(/^\s*· /, '');
}

/** What it says to AI; what it says to people where it has nothing else. Empty when there is only a title. */
function textForAi({ aiContent, hover }: ContextItem): string {
  return aiContent ?? hover?.text ?? hover?.markdown ?? '';
}

/** `12`, `12-14`, or nothing for the whole file. Lines are 1-based. */
export function linesOf({ range }: ContextItem): string {
  if (!range) return '';
  const [first, last] = [range.start.line + 1, range.end.line + 1];
  return first === last ? String(first) : `${first}-${last}`;
}

/** `path:12-14`. */
export function placeOf(path: string, item: ContextItem): string {
  const lines = linesOf(item);
  return lines === '' ? path : `${path}:${lines}`;
}

/** An item as a paragraph for AI: place if it is in a file, title, who says it, link, and what it says. */
export function paragraphOf(path: string | undefined, item: ContextItem): string {
  const title = `${item.title} (${item.provider.title})`;
  const head = path === undefined ? title : `${placeOf(path, item)} — ${title}`;
  return [head, item.url, textForAi(item)].filter(Boolean).join('\n');
}

export function namesOf(providers: readonly ProviderRef[]): string {
  return providers.map(({ title }) => title).join(', ');
}
