import type { Entry, EntryOf, Part } from '../../../transcript/common/entries';
import type { SearchableText } from '../../../texts/common/searchableText';
import type { TextKind } from '../../../texts/common/searchableText';

/** Returns an entry's searchable texts, the same as `searchableTextsOfThread` for the document. */
export function searchableTextsOfEntry(entry: Entry): readonly SearchableText[] {
  const { id } = entry;
  const text = (kind: TextKind, ...texts: readonly (string | undefined)[]): SearchableText[] => {
    const joined = texts.filter((line) => line !== undefined && line.trim() !== '').join('\n');
    return joined === '' ? [] : [{ entryId: id, kind, text: joined }];
  };
  switch (entry.kind) {
    case 'prompt':
      return [...text('prompt', entry.text), ...text('path', ...(entry.attachments ?? []).map(({ path }) => path))];
    case 'answer':
    case 'thinking':
      return text(entry.kind, entry.text);
    case 'tool':
      return [
        ...text('command', ...commandsOf(entry)),
        ...text('path', ...(entry.locations ?? []).map(({ path }) => path)),
        ...text('call', entry.name, entry.input),
        ...text('output', ...entry.parts.map(partText), entry.error, entry.decision),
      ];
    case 'todos':
      return text('call', ...entry.items.map((item) => item.text));
    case 'notice':
    case 'summary':
      return text('note', entry.text);
    case 'media':
      return text('output', partText(entry.part));
    case 'end':
      return text('output', entry.text);
    case 'raw':
      return text('note', entry.json);
  }
}

function commandsOf({ parts }: EntryOf<'tool'>): readonly (string | undefined)[] {
  return parts.map((part) => (part.type === 'terminal' ? part.command : undefined));
}

function partText(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'file':
      return part.text;
    case 'terminal':
      return part.output;
    case 'diff':
      return [part.path, ...part.hunks.flatMap(({ lines }) => lines.map(({ text }) => text))].join('\n');
    case 'image':
      return part.title ?? '';
    case 'link':
      return [part.title ?? '', part.uri].join('\n');
    case 'list':
      return part.items.join('\n');
    case 'json':
      return part.json;
  }
}
