import { blockId, endId, messageKeys, promptId } from '../model/entryIds';
import { isRecord, listOf, textOf, type JsonRecord } from '../model/jsonValues';
import { pathOrUriPath } from '../model/fileUriPath';
import { callId, isResultBlock, resultId } from '../model/callIds';
import { bareToolName, commandOf, inputPath } from '../model/toolNames';
import { promptText } from '../model/promptText';
import type { SearchableText } from './searchableText';
import type { TextKind } from '../threadPorts';
import { detailTexts } from './threadDetails';
import { textsInValue } from './valueTexts';

/**
 * Returns all searchable texts of a thread in reading order, with the ids of the entries that `mapThread` creates. Checks data
 * without its schema, because thousands of documents are indexed. `messages` must be well-formed.
 */
export function threadTexts(document: JsonRecord, messages: readonly unknown[]): readonly SearchableText[] {
  return new TextCollector().collect(document, messages);
}

class TextCollector {
  private readonly texts: SearchableText[] = [];
  private readonly entryIdByCall = new Map<string, string>();

  collect(document: JsonRecord, messages: readonly unknown[]): readonly SearchableText[] {
    this.add('', 'details', detailTexts(document).join('\n'));
    const keys = messageKeys(messages);
    for (const [index, message] of messages.entries())
      if (isRecord(message)) this.addMessage(message, keys[index] ?? '');
    return this.texts;
  }

  private addMessage(message: JsonRecord, key: string): void {
    const { role, content, state } = message;
    if (role !== 'user' && role !== 'assistant' && role !== 'info') return;
    if (role === 'user') {
      this.add(promptId(key), 'prompt', promptText(content));
      this.add(promptId(key), 'path', mentionedFiles(message).join('\n'));
    } else if (typeof content === 'string') {
      this.add(blockId(key, 0), role === 'assistant' ? 'answer' : 'note', content);
    }
    const blocks = listOf(content);
    for (let index = 0; index < blocks.length; index++) {
      const block = blocks[index];
      if (isRecord(block)) this.addBlock(block, blockId(key, index), role);
    }
    if (isRecord(state) && state['type'] === 'error') this.add(endId(key), 'output', textsInValue(state['error']));
  }

  private addBlock(block: JsonRecord, id: string, role: 'user' | 'assistant' | 'info'): void {
    if (isResultBlock(block)) {
      const { run, content, result } = block;
      const entryId = this.entryIdByCall.get(resultId(block)) ?? id;
      this.add(entryId, 'output', textsInValue(run ?? content ?? result));
      return;
    }
    const { type, text } = block;
    switch (type) {
      case 'text':
        if (role === 'user' || block['hidden'] === true || typeof text !== 'string') return;
        this.add(id, role === 'assistant' ? 'answer' : 'note', text);
        return;
      case 'thinking':
        this.add(id, 'thinking', textOf(block['thinking']) ?? textOf(text) ?? '');
        return;
      case 'tool_use':
      case 'server_tool_use':
      case 'program':
        this.addCall(block, id);
        return;
      case 'summary':
        this.add(id, 'note', summaryText(block['summary']));
        return;
      case 'manual_bash_invocation':
        this.add(id, 'command', commandOf(block['args']) ?? '');
        this.add(id, 'output', textsInValue(block['toolRun']));
        return;
    }
  }

  private addCall(block: JsonRecord, id: string): void {
    const key = callId(block);
    if (key !== '') this.entryIdByCall.set(key, id);
    const input = block['input'] ?? block['normalizedInput'] ?? block['code'] ?? block['text'];
    const command = typeof block['code'] === 'string' ? block['code'] : commandOf(input);
    const path = inputPath(input);
    if (command !== undefined) this.add(id, 'command', command);
    if (path !== undefined) this.add(id, 'path', pathOrUriPath(path));
    const name = textOf(block['name']) ?? textOf(block['normalizedName']) ?? '';
    const rest = isRecord(input) ? withoutShownKeys(input) : command === undefined ? input : undefined;
    this.add(id, 'call', [bareToolName(name), textsInValue(rest)].join('\n').trim());
  }

  private add(entryId: string, kind: TextKind, text: string): void {
    if (text.trim() !== '') this.texts.push({ entryId, kind, text });
  }
}

function summaryText(summary: unknown): string {
  return textOf(summary) ?? (isRecord(summary) ? textOf(summary['summary']) : undefined) ?? '';
}

const shownKeys: ReadonlySet<string> = new Set('cmd,command,args,path,absolutePath,file_path,filePath'.split(','));

function withoutShownKeys(input: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(input).filter(([key]) => !shownKeys.has(key)));
}

/** Returns the paths of files and images attached to a prompt. */
function mentionedFiles({ content, fileMentions, discoveredGuidanceFiles }: JsonRecord): readonly string[] {
  const mentions = [
    ...(isRecord(fileMentions) ? listOf(fileMentions['files']) : []),
    ...listOf(discoveredGuidanceFiles),
  ];
  const files = mentions.flatMap((file) => (isRecord(file) ? (textOf(file['uri']) ?? []) : []));
  const images = listOf(content).flatMap((block) =>
    isRecord(block) && block['type'] === 'image' ? (textOf(block['sourcePath']) ?? []) : [],
  );
  return [...files, ...images].map(pathOrUriPath);
}
