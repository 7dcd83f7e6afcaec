import { escapeHtml } from '../../../base/common/escapeHtml';
import { oneLine } from '../../../base/common/oneLine';
import type { Block, CellAlignment, Inline, ListItem } from './markdownTree';

/** Writes CommonMark with tables, strikethrough and task lists. Its only HTML is `details`. */
export function writeMarkdown(blocks: readonly Block[]): string {
  return `${writeBlocks(blocks, false)}\n`;
}

function writeBlocks(blocks: readonly Block[], isTight: boolean): string {
  let isOtherMarker = false;
  const written = blocks.map((block, index) => {
    // Adjacent lists need different markers, or they would become one.
    isOtherMarker = isListAfter(blocks[index - 1], block) && !isOtherMarker;
    return writeBlock(block, isOtherMarker);
  });
  return written.join(isTight ? '\n' : '\n\n');
}

function isListAfter(before: Block | undefined, block: Block): boolean {
  return before?.type === 'list' && block.type === 'list';
}

function writeBlock(block: Block, isOtherMarker: boolean): string {
  switch (block.type) {
    case 'heading': {
      const line = withoutLines(writeInlines(block.children)).replace(/#+$/, '\\$&');
      return `${'#'.repeat(Math.min(Math.max(block.level, 1), 6))} ${line}`.trimEnd();
    }
    case 'paragraph':
      return withPlainLineStarts(writeInlines(block.children));
    case 'code':
      return writeCodeBlock(block.text, block.language);
    case 'quote':
      return prefixed(writeBlocks(block.blocks, false), '> ');
    case 'list':
      return writeList(block, isOtherMarker);
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

/** Uses a fence that is longer than any in the text. */
function writeCodeBlock(value: string, language: string): string {
  const longest = [...value.matchAll(/`{3,}/g)].reduce((most, [ticks]) => Math.max(most, ticks.length), 2);
  const fence = '`'.repeat(longest + 1);
  const name = /^[\w+#.-]{1,40}$/.test(language) ? language : '';
  return [`${fence}${name}`, ...(value === '' ? [] : [value.replace(/\r\n?/g, '\n')]), fence].join('\n');
}

function writeList({ items, start, isTight }: Extract<Block, { type: 'list' }>, isOtherMarker: boolean): string {
  const markerOf = (index: number): string => {
    if (start === undefined) return isOtherMarker ? '*' : '-';
    return `${start + index}${isOtherMarker ? ')' : '.'}`;
  };
  return items.map((item, index) => writeItem(item, markerOf(index), isTight)).join(isTight ? '\n' : '\n\n');
}

function writeItem({ blocks, isDone }: ListItem, marker: string, isTight: boolean): string {
  const indent = ' '.repeat(marker.length + 1);
  const box = isDone === undefined ? '' : isDone ? '[x] ' : '[ ] ';
  const content = box + writeBlocks(blocks, isTight);
  return `${marker} ${prefixed(content, indent).slice(indent.length)}`.trimEnd();
}

function writeTable(alignments: readonly CellAlignment[], rows: readonly (readonly (readonly Inline[])[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const written = rows.map((cells) =>
    line(cells.map((cell) => withoutLines(writeInlines(cell)).replaceAll('|', '\\|'))),
  );
  const [head = line(alignments.map(() => '')), ...others] = written;
  return [head, line(alignments.map(alignmentMark)), ...others].join('\n');
}

function alignmentMark(alignment: CellAlignment): string {
  if (alignment === undefined) return '---';
  return { left: ':--', center: ':-:', right: '--:' }[alignment];
}

function writeInlines(children: readonly Inline[]): string {
  return children
    .map((child, index) => {
      if (child.type !== 'text') return writeInline(child);
      return escapedText(child.text, index === 0, index === children.length - 1);
    })
    .join('');
}

function writeInline(inline: Exclude<Inline, { type: 'text' }>): string {
  switch (inline.type) {
    case 'code':
      return writeCode(inline.text);
    case 'lineBreak':
      return inline.isHard ? '\\\n' : '\n';
    case 'styled':
      return `${inline.mark}${writeInlines(inline.children)}${inline.mark}`;
    case 'link': {
      const title = inline.title === undefined ? '' : ` "${escapedQuoted(oneLine(inline.title))}"`;
      return `[${writeInlines(inline.children)}](${writeAddress(inline.href)}${title})`;
    }
    case 'image':
      return `![${escapedText(oneLine(inline.label), true, true)}](${writeAddress(inline.source)})`;
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

/** Encloses the address in angle brackets where needed. */
function writeAddress(address: string): string {
  if (/^[\w.~:/?#@!$'*+,;=%-]+$/.test(address)) return address;
  const escaped = address
    .replace(/[\\<>]/g, '\\$&')
    .replace(reference, '\\$&')
    .replace(/[\p{Cc}\u2028\u2029]/gu, (character) => encodeURIComponent(character));
  return `<${escaped}>`;
}

function escapedQuoted(value: string): string {
  return value.replace(/[\\"]/g, '\\$&').replace(reference, '\\$&');
}

/** An HTML character reference, or the start of one at the end of a text. */
const reference = /&(?=#\d{1,7};|#x[\da-f]{1,6};|[a-z][\da-z]{0,31};|#?[\da-z]*$)/gi;
/** Markup characters; underscores within a word are not markup. */
const markup = /[\\`*[\]<~$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|!$/gu;

/** Encodes whitespace at the edges, which would be dropped or break adjacent marks. */
function escapedText(value: string, isFirst: boolean, isLast: boolean): string {
  let written = value
    .replace(markup, '\\$&')
    .replace(reference, '\\$&')
    .replace(/[\t\n\r]/g, asReference);
  if (isFirst) written = written.replace(/^\s+/, (space) => space.replace(/\s/g, asReference));
  if (isLast) written = written.replace(/\s+$/, (space) => space.replace(/\s/g, asReference));
  return written;
}

function asReference(character: string): string {
  return `&#${character.codePointAt(0) ?? 32};`;
}

/** Escapes starts of lines that look like a heading, list item, quote, underline or table row. */
function withPlainLineStarts(lines: string): string {
  return lines.replace(
    /^( *)(?:([#>+=:|-])|(\d{1,9})([.)]))/gm,
    (_all, space: string, mark = '', digits = '', dot = '') =>
      mark === '' ? `${space}${digits}\\${dot}` : `${space}\\${mark}`,
  );
}

function prefixed(lines: string, prefix: string): string {
  return lines
    .split('\n')
    .map((line) => (line === '' ? prefix.trimEnd() : prefix + line))
    .join('\n');
}

function withoutLines(value: string): string {
  return value.replace(/\\?\n/g, ' ');
}
