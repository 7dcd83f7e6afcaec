import { oneLine } from '../../../base/common/text/oneLine';
import type { Entry, EntryOf, Part } from '../entries';
import { buildEntryTree, type EntryNode } from './entryTree';
import type { ExportHeader } from './exportHeader';
import {
  attachmentText,
  diffText,
  durationText,
  turnEndText,
  omittedText,
  promptHeading,
  terminalText,
  toolSummary,
} from './exportTexts';
import { parseProse } from './markdownProse';
import {
  codeBlock,
  paragraphBlock,
  textInline,
  plainTextBlocks,
  type MarkdownBlock,
  type MarkdownListItem,
} from './markdownTree';
import { writeMarkdown } from './markdownWriter';

/** Returns the transcript as Markdown. Keeps the agent's Markdown, except for HTML in it. */
export function toMarkdown({ createdAt, title, agentName }: ExportHeader, entries: readonly Entry[]): string {
  const day = createdAt === undefined ? '' : `, ${new Date(createdAt).toISOString().slice(0, 10)}`;
  return writeMarkdown([
    headingBlock(1, title),
    paragraphBlock(textInline(oneLine(`With ${agentName}${day}`))),
    ...buildEntryTree(entries).flatMap(nodeBlocks),
  ]);
}

function nodeBlocks({ entry, steps }: EntryNode): readonly MarkdownBlock[] {
  const inner = steps.flatMap(nodeBlocks);
  if (entry.kind !== 'tool') return [...withOmitted(entryBlocks(entry), entry.omitted), ...inner];
  return withOmitted([detailsBlock(toolSummary(entry), [...toolBlocks(entry), ...inner])], entry.omitted);
}

function entryBlocks(entry: Exclude<Entry, EntryOf<'tool'>>): readonly MarkdownBlock[] {
  switch (entry.kind) {
    case 'prompt':
      return [
        ...(entry.isSteered ? [] : [{ type: 'rule' } as const]),
        headingBlock(2, promptHeading(entry)),
        ...plainTextBlocks(entry.text),
        ...listBlocks((entry.attachments ?? []).map((item) => ({ blocks: [lineBlock(attachmentText(item))] }))),
        headingBlock(2, 'Agent'),
      ];
    case 'answer':
      return parseProse(entry.text);
    case 'thinking': {
      const duration = entry.durationMs === undefined ? '' : ` (${durationText(entry.durationMs)})`;
      return [detailsBlock(`Thinking${duration}`, parseProse(entry.text))];
    }
    case 'todos':
      return listBlocks(
        entry.items.map(({ status, text: todo }) => ({ blocks: [lineBlock(todo)], isDone: status === 'completed' })),
      );
    case 'notice': {
      const level = { info: 'Note', warning: 'Warning', error: 'Error' }[entry.level];
      const more = entry.details === undefined ? [] : [codeBlock(entry.details, 'text')];
      return [quoteBlock([...plainTextBlocks(`${level}: ${entry.text}`), ...more])];
    }
    case 'summary':
      return [detailsBlock('Summary of earlier messages', parseProse(entry.text))];
    case 'media':
      return partBlocks(entry.part);
    case 'end': {
      const words = turnEndText(entry);
      return words === undefined ? [] : [quoteBlock(plainTextBlocks(words))];
    }
    case 'raw':
      return [detailsBlock(entry.label, [codeBlock(entry.json, 'json')])];
  }
}

function toolBlocks({ error, input, parts }: EntryOf<'tool'>): readonly MarkdownBlock[] {
  return [
    ...(input === undefined ? [] : [lineBlock('Input:'), codeBlock(input, 'json')]),
    ...parts.flatMap(partBlocks),
    ...(error === undefined ? [] : [codeBlock(error, 'text')]),
  ];
}

function partBlocks(part: Part): readonly MarkdownBlock[] {
  return withOmitted(partBodyBlocks(part), 'omitted' in part ? part.omitted : undefined);
}

function withOmitted(blocks: readonly MarkdownBlock[], omitted: number | undefined): readonly MarkdownBlock[] {
  const words = omittedText(omitted);
  return words === undefined ? blocks : [...blocks, lineBlock(words)];
}

function partBodyBlocks(part: Part): readonly MarkdownBlock[] {
  switch (part.type) {
    case 'text':
      return part.plain ? [codeBlock(part.text, 'text')] : parseProse(part.text);
    case 'diff': {
      const counts = textInline(` (+${part.added} −${part.removed})`);
      return [paragraphBlock(inlineCode(part.path), counts), codeBlock(diffText(part), 'diff')];
    }
    case 'terminal':
      return [codeBlock(terminalText(part), 'console')];
    case 'file':
      return [paragraphBlock(inlineCode(part.path)), codeBlock(part.text, '')];
    case 'image':
      return [imageBlock(part)];
    case 'link': {
      const title = oneLine(part.title ?? part.uri);
      if (!/^https?:/i.test(part.uri))
        return [lineBlock(title === part.uri ? title : `${title} (${oneLine(part.uri)})`)];
      return [paragraphBlock({ type: 'link', href: part.uri, children: [textInline(title)] })];
    }
    case 'list':
      return listBlocks(part.items.map((item) => ({ blocks: [paragraphBlock(inlineCode(item))] })));
    case 'json':
      return [codeBlock(part.json, 'json')];
  }
}

/** Returns an image. Excludes SVG, which may contain scripts. */
function imageBlock({ data, mimeType, title }: Extract<Part, { type: 'image' }>): MarkdownBlock {
  const isShown = /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType) && /^[A-Za-z0-9+/=\s]*$/.test(data);
  if (!isShown) return lineBlock(`[${title ?? mimeType}]`);
  const source = `data:${mimeType};base64,${data.replace(/\s+/g, '')}`;
  return paragraphBlock({ type: 'image', source, label: title ?? 'Image' });
}

function headingBlock(level: number, words: string): MarkdownBlock {
  return { type: 'heading', level, children: [textInline(oneLine(words))] };
}

function lineBlock(words: string): MarkdownBlock {
  return paragraphBlock(textInline(oneLine(words)));
}

function inlineCode(value: string): { readonly type: 'code'; readonly text: string } {
  return { type: 'code', text: oneLine(value) };
}

function listBlocks(items: readonly MarkdownListItem[]): readonly MarkdownBlock[] {
  return items.length === 0 ? [] : [{ type: 'list', items, isTight: true }];
}

function quoteBlock(blocks: readonly MarkdownBlock[]): MarkdownBlock {
  return { type: 'quote', blocks };
}

function detailsBlock(summary: string, blocks: readonly MarkdownBlock[]): MarkdownBlock {
  return { type: 'details', summary, blocks };
}
