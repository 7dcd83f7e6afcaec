import type { Token } from 'markdown-it';

/** What a reader of Markdown sees in a document, by its parser's tokens. */

export function htmlIn(tokens: readonly Token[]): readonly string[] {
  return flat(tokens).flatMap(({ content, type }) => (type.startsWith('html_') ? [content.trim()] : []));
}

export function linksIn(tokens: readonly Token[]): readonly string[] {
  return flat(tokens).flatMap((token) => {
    if (token.type === 'link_open') return [String(token.attrGet('href'))];
    const source = token.type === 'image' ? String(token.attrGet('src')) : 'data:';
    return source.startsWith('data:') ? [] : [source];
  });
}

export function headingsIn(tokens: readonly Token[]): readonly { readonly level: number; readonly words: string }[] {
  return tokens.flatMap((token, index) => {
    const content = tokens[index + 1];
    return token.type === 'heading_open' && content
      ? [{ level: Number(token.tag.slice(1)), words: wordsIn([content]) }]
      : [];
  });
}

export function wordsIn(tokens: readonly Token[]): string {
  return flat(tokens).map(wordsOf).join('');
}

/** Its blocks and marks with their words, without how they are written. */
export function shapeOf(tokens: readonly Token[]): readonly string[] {
  return flat(tokens)
    .filter(({ hidden, type }) => !hidden && type !== 'inline')
    .map((token) => {
      if (token.type === 'text') return token.content;
      const facts = ['href', 'title', 'start', 'style'].flatMap((name) => token.attrGet(name) ?? []);
      return [token.tag || token.type, token.nesting, token.info, wordsOf(token).trim(), ...facts].join(' ');
    })
    .filter((shape) => shape !== '');
}

function flat(tokens: readonly Token[]): readonly Token[] {
  return tokens.flatMap((token) => [token, ...(token.type === 'image' ? [] : flat(token.children ?? []))]);
}

function wordsOf({ children, content, type }: Token): string {
  if (type === 'inline') return '';
  if (type === 'image') return (children ?? []).map((child) => child.content).join('') || 'image';
  if (!type.startsWith('html_')) return content;
  const summary = /^<details><summary>(.*)<\/summary>/s.exec(content)?.[1] ?? '';
  const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return summary.replace(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => characters[name] ?? '');
}
