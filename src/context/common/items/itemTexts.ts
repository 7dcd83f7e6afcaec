import { oneLine } from '../../../base/common/text/oneLine';
import type { ContextItem, ProviderRef } from './contextItem';

/** Escapes `$(name)`, which VS Code would render as an icon. */
export function escapeIconSyntax(text: string): string {
  const line = oneLine(text);
  return line.replace(/\$\((?=[\w-]+(?:~[\w-]+)?\))/g, '\\$(');
}

/** Escapes text for markdown, preserving lines and indentation. */
export function escapeMarkdown(text: string): string {
  const lines = text.replace(/[!-/:-@[-`{-~]/g, '\\$&').split(/\r\n|\r|\n/);
  return lines.map((line) => line.replace(/^[ \t]+/, (space) => '&nbsp;'.repeat(space.length))).join('  \n');
}

/** Converts Markdown to approximate plain text on one line. */
export function markdownToText(markdown: string): string {
  const text = markdown.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/^\s*(?:[-*+]|#+|>)\s+/gm, '· ');
  return text.replace(/(\*{1,3}|`+)(?=\S)([^\n]*?\S)\1/g, '$2').replace(/^\s*· /, '');
}

/** Returns the text of an item for AI, or else its text for users. Empty if the item only has a title. */
function textForAi({ aiContent, hover }: ContextItem): string {
  return aiContent ?? hover?.text ?? hover?.markdown ?? '';
}

/** Formats the 1-based lines of an item: `12`, `12-14`, or empty for the whole file. */
export function formatItemLines({ range }: ContextItem): string {
  if (!range) return '';
  const [first, last] = [range.start.line + 1, range.end.line + 1];
  return first === last ? String(first) : `${first}-${last}`;
}

/** Formats the location of an item, for example `path:12-14`. */
export function itemLocation(path: string, item: ContextItem): string {
  const lines = formatItemLines(item);
  return lines === '' ? path : `${path}:${lines}`;
}

/** Formats an item as a paragraph for AI, with location, title, provider, link and text. */
export function itemParagraph(path: string | undefined, item: ContextItem): string {
  const title = `${item.title} (${item.provider.title})`;
  const head = path === undefined ? title : `${itemLocation(path, item)} — ${title}`;
  return [head, item.url, textForAi(item)].filter(Boolean).join('\n');
}

export function joinProviderTitles(providers: readonly ProviderRef[]): string {
  return providers.map(({ title }) => title).join(', ');
}
