import createMarkdown, { type MarkdownIt, type Token } from 'markdown-it';
import {
  codeBlock,
  textInline,
  type MarkdownBlock,
  type CellAlignment,
  type MarkdownInline,
  type MarkdownListItem,
  type StyleMark,
} from './markdownTree';
import { writeMarkdown } from './markdownWriter';

/** Maximum length of a text that is parsed, in UTF-16 units. Longer or deeply nested text is shown as source. */
const maxParsedUnits = 1_000_000;
const maxLevel = 90;
/** Number of heading levels that are reserved for the document itself. */
const headingShift = 2;

const parser = createParser();

/**
 * Parses an agent's Markdown for use within another document. HTML becomes text, images become links, reference links
 * become inline links, and open constructs are closed.
 */
export function parseProse(markdown: string): readonly MarkdownBlock[] {
  const asWritten = [codeBlock(markdown, 'markdown')];
  if (markdown.length > maxParsedUnits) return asWritten;
  const tokens = parser.parse(markdown, {});
  if (tokens.some(({ level }) => level > maxLevel)) return asWritten;
  const blocks = new MarkdownTokenReader(tokens).readBlocks();
  // Adjacent marks may be parsed differently after they are written. In that case, the original text is used.
  return textOf(parser.parse(writeMarkdown(blocks), {})) === textOf(tokens) ? blocks : asWritten;
}

function textOf(tokens: readonly Token[]): string {
  return tokens
    .map(({ children, content, type }) => (children && type !== 'image' ? textOf(children) : content))
    .join('')
    .replace(/\s+/g, '');
}

function createParser(): MarkdownIt {
  const markdown = new createMarkdown({ html: false, linkify: false });
  markdown.normalizeLink = (href) => href;
  return markdown;
}

/** Converts the parser's flat list of tokens to a tree. */
class MarkdownTokenReader {
  private position = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  /** Reads blocks until the enclosing block ends. */
  readBlocks(): readonly MarkdownBlock[] {
    const blocks: MarkdownBlock[] = [];
    for (let token = this.nextToken(); token && token.nesting >= 0; token = this.nextToken())
      blocks.push(...this.readBlock(token));
    return blocks;
  }

  private nextToken(): Token | undefined {
    return this.tokens[this.position++];
  }

  private readBlock(token: Token): readonly MarkdownBlock[] {
    switch (token.type) {
      case 'heading_open':
        return [{ type: 'heading', level: Number(token.tag.slice(1)) + headingShift, children: this.readInlines() }];
      case 'paragraph_open':
        return [{ type: 'paragraph', children: this.readInlines() }];
      case 'fence':
        return [codeBlock(withoutLastLineEnd(token.content), token.info.trim().split(/\s/, 1)[0] ?? '')];
      case 'code_block':
        return [codeBlock(withoutLastLineEnd(token.content), '')];
      case 'blockquote_open':
        return [{ type: 'quote', blocks: this.readBlocks() }];
      case 'bullet_list_open':
        return [{ type: 'list', ...this.readItems() }];
      case 'ordered_list_open':
        return [{ type: 'list', start: Number(token.attrGet('start') ?? 1), ...this.readItems() }];
      case 'table_open':
        return [this.readTable()];
      case 'hr':
        return [{ type: 'rule' }];
      default:
        return token.content === '' ? [] : [codeBlock(token.content, '')];
    }
  }

  private readInlines(): readonly MarkdownInline[] {
    const children: MarkdownInline[] = [];
    for (let token = this.nextToken(); token && token.nesting >= 0; token = this.nextToken())
      children.push(...parseInlines(token.children ?? []));
    return children;
  }

  private readItems(): { readonly items: readonly MarkdownListItem[]; readonly isTight: boolean } {
    const items: MarkdownListItem[] = [];
    const start = this.position;
    for (let token = this.nextToken(); token && token.nesting >= 0; token = this.nextToken())
      items.push(toListItem(this.readBlocks()));
    const level = (this.tokens[start]?.level ?? 0) + 1;
    const own = this.tokens.slice(start, this.position).filter((token) => token.level === level);
    const isTight = own.every(({ hidden, type }) => type !== 'paragraph_open' || hidden);
    return { items, isTight };
  }

  private readTable(): MarkdownBlock {
    const rows: (readonly MarkdownInline[])[][] = [];
    let alignments: readonly CellAlignment[] = [];
    for (let token = this.nextToken(); token && token.type !== 'table_close'; token = this.nextToken()) {
      if (token.type === 'tr_open') rows.push([]);
      if (token.type !== 'th_open' && token.type !== 'td_open') continue;
      if (token.type === 'th_open') alignments = [...alignments, alignmentOf(token)];
      rows.at(-1)?.push(this.readInlines());
    }
    return { type: 'table', alignments, rows };
  }
}

function toListItem(blocks: readonly MarkdownBlock[]): MarkdownListItem {
  const [first, ...others] = blocks;
  const [start, ...rest] = first?.type === 'paragraph' ? first.children : [];
  const box = start?.type === 'text' ? /^\[([ xX])\] (?=\S)/.exec(start.text) : null;
  if (!box || start?.type !== 'text') return { blocks };
  const children = [textInline(start.text.slice(box[0].length)), ...rest];
  return { blocks: [{ type: 'paragraph', children }, ...others], isDone: box[1] !== ' ' };
}

function alignmentOf(token: Token): CellAlignment {
  const found = /text-align:(left|center|right)/.exec(String(token.attrGet('style') ?? ''))?.[1];
  return found === 'left' || found === 'center' || found === 'right' ? found : undefined;
}

function parseInlines(tokens: readonly Token[]): readonly MarkdownInline[] {
  const open: { readonly token: Token; readonly children: MarkdownInline[] }[] = [];
  const top: MarkdownInline[] = [];
  for (const token of tokens) {
    if (token.nesting === 1) {
      open.push({ token, children: [] });
      continue;
    }
    const closed = token.nesting === -1 ? open.pop() : undefined;
    const inlines = closed ? wrapInlines(closed.token, closed.children) : toInlines(token);
    (open.at(-1)?.children ?? top).push(...inlines);
  }
  return top;
}

function wrapInlines(token: Token, children: readonly MarkdownInline[]): readonly MarkdownInline[] {
  if (token.type === 'link_open') {
    const [href, title] = [token.attrGet('href'), token.attrGet('title')];
    const named = title === null ? {} : { title: String(title) };
    return [{ type: 'link', href: String(href ?? ''), ...named, children }];
  }
  const mark = styleMark(token.markup);
  return mark ? [{ type: 'styled', mark, children }] : children;
}

function styleMark(mark: string): StyleMark | undefined {
  return (['*', '_', '**', '__', '~~'] as const).find((known) => known === mark);
}

function toInlines(token: Token): readonly MarkdownInline[] {
  switch (token.type) {
    case 'code_inline':
      return [{ type: 'code', text: token.content }];
    case 'softbreak':
    case 'hardbreak':
      return [{ type: 'lineBreak', isHard: token.type === 'hardbreak' }];
    case 'image': {
      const source = String(token.attrGet('src') ?? '');
      const label = (token.children ?? []).map(({ content }) => content).join('') || 'image';
      if (/^data:/i.test(source)) return [{ type: 'image', source, label }];
      return [{ type: 'link', href: source, children: [textInline(label)] }];
    }
    default:
      return token.content === '' ? [] : [textInline(token.content)];
  }
}

function withoutLastLineEnd(content: string): string {
  return content.replace(/\n$/, '');
}
