/**
 * A Markdown document as data. Its texts are plain text. Only `markdownWriter.ts` writes Markdown and escapes texts, so
 * no text can become markup.
 */

export type MarkdownInline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'lineBreak'; readonly isHard: boolean }
  | { readonly type: 'styled'; readonly mark: StyleMark; readonly children: readonly MarkdownInline[] }
  | {
      readonly type: 'link';
      readonly href: string;
      readonly title?: string;
      readonly children: readonly MarkdownInline[];
    }
  /** An image. `source` is a `data:` URI, so that showing the document loads nothing. */
  | { readonly type: 'image'; readonly source: string; readonly label: string };

export type StyleMark = '*' | '_' | '**' | '__' | '~~';

export interface MarkdownListItem {
  readonly blocks: readonly MarkdownBlock[];
  readonly isDone?: boolean;
}

export type CellAlignment = 'left' | 'center' | 'right' | undefined;

export type MarkdownBlock =
  | { readonly type: 'heading'; readonly level: number; readonly children: readonly MarkdownInline[] }
  | { readonly type: 'paragraph'; readonly children: readonly MarkdownInline[] }
  | { readonly type: 'code'; readonly text: string; readonly language: string }
  | { readonly type: 'quote'; readonly blocks: readonly MarkdownBlock[] }
  /** A list. `start` is the number of the first item, or undefined for bullets. */
  | {
      readonly type: 'list';
      readonly items: readonly MarkdownListItem[];
      readonly start?: number;
      readonly isTight: boolean;
    }
  | {
      readonly type: 'table';
      readonly alignments: readonly CellAlignment[];
      readonly rows: readonly (readonly (readonly MarkdownInline[])[])[];
    }
  | { readonly type: 'rule' }
  | { readonly type: 'details'; readonly summary: string; readonly blocks: readonly MarkdownBlock[] };

export function textInline(value: string): MarkdownInline {
  return { type: 'text', text: value };
}

export function paragraphBlock(...children: readonly MarkdownInline[]): MarkdownBlock {
  return { type: 'paragraph', children };
}

export function codeBlock(value: string, language: string): MarkdownBlock {
  return { type: 'code', text: value, language };
}

/** Converts plain text and keeps its lines. Aligned text becomes code, because Markdown collapses spaces. */
export function plainTextBlocks(value: string): readonly MarkdownBlock[] {
  const lines = value.replace(/\r\n?/g, '\n');
  if (/^[^\S\n]+\S|\S[^\S\n]{3,}\S|\t/m.test(lines)) return [codeBlock(value, 'text')];
  return lines
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== '')
    .map((part) => paragraphBlock(...lineInlines(part)));
}

function lineInlines(part: string): readonly MarkdownInline[] {
  return part
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line, index): MarkdownInline[] => [
      ...(index === 0 ? [] : [{ type: 'lineBreak' as const, isHard: true }]),
      textInline(line.trim()),
    ]);
}
