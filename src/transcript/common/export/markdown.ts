import type { Entry, EntryOf, Part } from '../entries';
import type { ExportHead } from './exportHead';
import { attachmentText, diffText, durationText, endText, omittedText, terminalText, toolSummary } from './exportTexts';

/** A transcript to be read as text and rendered by others. What the agent wrote in Markdown stays as it is. */
export function toMarkdown({ createdAt, title, who }: ExportHead, entries: readonly Entry[]): string {
  const day = createdAt === undefined ? '' : `, ${new Date(createdAt).toISOString().slice(0, 10)}`;
  const blocks = [`# ${oneLine(title)}`, `With ${oneLine(who)}${day}`, ...entries.flatMap(entryBlocks)];
  return `${blocks.join('\n\n')}\n`;
}

function entryBlocks(entry: Entry): string[] {
  switch (entry.kind) {
    case 'prompt':
      return [
        '---',
        '## User',
        ...(entry.text === '' ? [] : [entry.text]),
        ...(entry.attachments?.length ? [entry.attachments.map((item) => `- ${attachmentText(item)}`).join('\n')] : []),
        '## Agent',
      ];
    case 'answer':
      return [entry.text];
    case 'thinking': {
      const duration = entry.durationMs === undefined ? '' : ` (${durationText(entry.durationMs)})`;
      return [details(`Thinking${duration}`, [entry.text])];
    }
    case 'tool':
      return [details(toolSummary(entry), toolBlocks(entry))];
    case 'todos':
      return [entry.items.map(({ status, text }) => `- [${status === 'completed' ? 'x' : ' '}] ${text}`).join('\n')];
    case 'notice':
      return [
        `> ${entry.level === 'info' ? 'Note' : entry.level === 'warning' ? 'Warning' : 'Error'}: ${quoted(entry.text)}`,
      ];
    case 'summary':
      return [details('Summary of what came before', [entry.text])];
    case 'media':
      return [partBlock(entry.part)];
    case 'end': {
      const text = endText(entry);
      return text === undefined ? [] : [`> ${quoted(text)}`];
    }
    case 'raw':
      return [details(entry.label, [fenced(entry.json, 'json')])];
  }
}

function toolBlocks({ error, input, parts }: EntryOf<'tool'>): string[] {
  return [
    ...(input === undefined ? [] : ['Input:', fenced(input, 'json')]),
    ...parts.map(partBlock),
    ...(error === undefined ? [] : [fenced(error, 'text')]),
  ];
}

function partBlock(part: Part): string {
  const omitted = 'omitted' in part ? omittedText(part.omitted) : undefined;
  const block = partText(part);
  return omitted === undefined ? block : `${block}\n\n${omitted}`;
}

function partText(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.plain ? fenced(part.text, 'text') : part.text;
    case 'diff':
      return `${code(part.path)} (+${part.added} −${part.removed})\n\n${fenced(diffText(part), 'diff')}`;
    case 'terminal':
      return fenced(terminalText(part), 'console');
    case 'file':
      return `${code(part.path)}\n\n${fenced(part.text, '')}`;
    case 'image':
      return `![${oneLine(part.title ?? 'Image').replace(/[[\]]/g, '')}](data:${part.mimeType};base64,${part.data})`;
    case 'link':
      return `[${oneLine(part.title ?? part.uri).replace(/[[\]]/g, '')}](<${part.uri.replace(/[<>\n]/g, encodeURIComponent)}>)`;
    case 'list':
      return part.items.map((item) => `- ${code(item)}`).join('\n');
    case 'json':
      return fenced(part.json, 'json');
  }
}

function details(summary: string, blocks: readonly string[]): string {
  const text = oneLine(summary).replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  return [`<details><summary>${text}</summary>`, ...blocks, '</details>'].join('\n\n');
}

/** A fence longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function code(text: string): string {
  const line = oneLine(text);
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function quoted(text: string): string {
  return text.replaceAll('\n', '\n> ');
}
