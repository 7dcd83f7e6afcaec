import { escapeHtml } from '../../../base/common/text/escapeHtml';
import { oneLine } from '../../../base/common/text/oneLine';
import type { MarkdownBlock, CellAlignment, MarkdownInline, MarkdownListItem } from './markdownTree';

/** Writes CommonMark with tables, strikethrough and task lists. Its only HTML is `details`. */
export function writeMarkdown(blocks: readonly MarkdownBlock[]): string {
  return `${writeBlocks(blocks, false)}\n`;
}

function writeBlocks(blocks: readonly MarkdownBlock[], isTight: boolean): string {
  let usesOtherMarker = false;
  const written = blocks.map((block, index) => {
    // Adjacent lists need different markers. Otherwise Markdown joins them.
    usesOtherMarker = isListAfter(blocks[index - 1], block) && !usesOtherMarker;
    return writeBlock(block, usesOtherMarker);
  });
  return written.join(isTight ? '\n' : '\n\n');
}

function isListAfter(before: MarkdownBlock | undefined, block: MarkdownBlock): boolean {
  return before?.type === 'list' && block.type === 'list';
}

function writeBlock(block: MarkdownBlock, usesOtherMarker: boolean): string {
  switch (block.type) {
    case 'heading': {
      const line = joinLines(writeInlines(block.children)).replace(/#+$/, '\\$&');
      return `${'#'.repeat(Math.min(Math.max(block.level, 1), 6))} ${line}`.trimEnd();
    }
    case 'paragraph':
      return escapeLineStarts(writeInlines(block.children));
    case 'code':
      return writeCodeBlock(block.text, block.language);
    case 'quote':
      return prefixLines(writeBlocks(block.blocks, false), '> ');
    case 'list':
      return writeList(block, usesOtherMarker);
    case 'table':
      return writeTable(block.alignments, block.rows);
    case 'rule':
      return '___';
    case 'details': {
      const summary = escapeHtml(oneLine(block.summary));
      return [`<details><summary>${summary}</summary>`, writeBlocks(block.blocks, false), '</details>'].join('\n\n');
    }
  }
}

/** Writes a code block with a fence that is longer than any fence in its text. */
function writeCodeBlock(value: string, language: string): string {
  const longest = [...value.matchAll(/`{3,}/g)].reduce((most, [ticks]) => Math.max(most, ticks.length), 2);
  const fence = '`'.repeat(longest + 1);
  const name = /^[\w+#.-]{1,40}$/.test(language) ? language : '';
  return [`${fence}${name}`, ...(value === '' ? [] : [value.replace(/\r\n?/g, '\n')]), fence].join('\n');
}

function writeList(
  { items, start, isTight }: Extract<MarkdownBlock, { type: 'list' }>,
  usesOtherMarker: boolean,
): string {
  const markerOf = (index: number): string => {
    if (start === undefined) return usesOtherMarker ? '*' : '-';
    return `${start + index}${usesOtherMarker ? ')' : '.'}`;
  };
  return items.map((item, index) => writeItem(item, markerOf(index), isTight)).join(isTight ? '\n' : '\n\n');
}

function writeItem({ blocks, isDone }: MarkdownListItem, marker: string, isTight: boolean): string {
  const indent = ' '.repeat(marker.length + 1);
  const box = isDone === undefined ? '' : isDone ? '[x] ' : '[ ] ';
  const content = box + writeBlocks(blocks, isTight);
  return `${marker} ${prefixLines(content, indent).slice(indent.length)}`.trimEnd();
}

function writeTable(
  alignments: readonly CellAlignment[],
  rows: readonly (readonly (readonly MarkdownInline[])[])[],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const written = rows.map((cells) => line(cells.map((cell) => joinLines(writeInlines(cell)).replaceAll('|', '\\|'))));
  const [head = line(alignments.map(() => '')), ...others] = written;
  return [head, line(alignments.map(alignmentMark)), ...others].join('\n');
}

function alignmentMark(alignment: CellAlignment): string {
  if (alignment === undefined) return '---';
  return { left: ':--', center: ':-:', right: '--:' }[alignment];
}

function writeInlines(children: readonly MarkdownInline[]): string {
  return children
    .map((child, index) => {
      if (child.type !== 'text') return writeInline(child);
      return escapeText(child.text, index === 0, index === children.length - 1);
    })
    .join('');
}

function writeInline(inline: Exclude<MarkdownInline, { type: 'text' }>): string {
  switch (inline.type) {
    case 'code':
      return writeCode(inline.text);
    case 'lineBreak':
      return inline.isHard ? '\\\n' : '\n';
    case 'styled':
      return `${inline.mark}${writeInlines(inline.children)}${inline.mark}`;
    case 'link': {
      const title = inline.title === undefined ? '' : ` "${escapeTitle(oneLine(inline.title))}"`;
      return `[${writeInlines(inline.children)}](${writeAddress(inline.href)}${title})`;
    }
    case 'image':
      return `![${escapeText(oneLine(inline.label), true, true)}](${writeAddress(inline.source)})`;
  }
}

function writeCode(value: string): string {
  const line = value.replace(/\r\n?|\n/g, ' ');
  if (line === '') return '';
  const longest = [...line.matchAll(/`+/g)].reduce((most, [ticks]) => Math.max(most, ticks.length), 0);
  const ticks = '`'.repeat(longest + 1);
  const isPadded = /^`|`$|^ .* $/s.test(line) && line.trim() !== '';
  return isPadded ? `${ticks} ${line} ${ticks}` : `${ticks}${line}${ticks}`;
}

function writeAddress(address: string): string {
  if (/^[\w.~:/?#@!$'*+,;=%-]+$/.test(address)) return address;
  const escaped = address
    .replace(/[\\<>]/g, '\\$&')
    .replace(characterReference, '\\$&')
    .replace(/[\p{Cc}\u2028\u2029]/gu, (character) => encodeURIComponent(character));
  return `<${escaped}>`;
}

function escapeTitle(value: string): string {
  return value.replace(/[\\"]/g, '\\$&').replace(characterReference, '\\$&');
}

/** Matches an HTML character reference, or the start of a reference at the end of a text. */
const characterReference = /&(?=#\d{1,7};|#x[\da-f]{1,6};|[a-z][\da-z]{0,31};|#?[\da-z]*$)/gi;
/** Matches characters that can be markup. Underscores within a word cannot. */
const markupCharacter = /[\\`*[\]<~$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|!$/gu;

/** Escapes markup. Encodes white space at the ends, because it would be dropped or would break adjacent marks. */
function escapeText(value: string, isFirst: boolean, isLast: boolean): string {
  let written = value
    .replace(markupCharacter, '\\$&')
    .replace(characterReference, '\\$&')
    .replace(/[\t\n\r]/g, toCharacterReference);
  if (isFirst) written = written.replace(/^\s+/, (space) => space.replace(/\s/g, toCharacterReference));
  if (isLast) written = written.replace(/\s+$/, (space) => space.replace(/\s/g, toCharacterReference));
  return written;
}

function toCharacterReference(character: string): string {
  return `&#${character.codePointAt(0) ?? 32};`;
}

/** Escapes the starts of lines that look like a heading, list item, quote, underline or table row. */
function escapeLineStarts(lines: string): string {
  return lines.replace(
    /^( *)(?:([#>+=:|-])|(\d{1,9})([.)]))/gm,
    (_all, space: string, mark = '', digits = '', dot = '') =>
      mark === '' ? `${space}${digits}\\${dot}` : `${space}\\${mark}`,
  );
}

function prefixLines(lines: string, prefix: string): string {
  return lines
    .split('\n')
    .map((line) => (line === '' ? prefix.trimEnd() : prefix + line))
    .join('\n');
}

function joinLines(value: string): string {
  return value.replace(/\\?\n/g, ' ');
}
