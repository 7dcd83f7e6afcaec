import { blockEntryId, turnEndEntryId, messageKeys, promptEntryId } from '../model/entryIds';
import { isRecord, asList, asNonEmptyText, type JsonRecord } from '../model/jsonValues';
import { pathOrUriPath } from '../model/fileUriPath';
import { callIdOfCallBlock, isResultBlock, callIdOfResultBlock } from '../model/callIds';
import { bareToolName, commandOfInput, pathOfInput } from '../model/toolNames';
import { promptText } from '../model/promptText';
import type { SearchableText } from '../../../texts/common/searchableText';
import type { TextKind } from '../../../texts/common/searchableText';
import { searchableDetails } from './threadDetails';
import { textsInValue } from './valueTexts';

/**
 * Returns all searchable texts of a thread in reading order, with the ids of entries that `mapThread` creates. Checks
 * data without a schema for speed, because thousands of documents are indexed. `messages` must be well-formed.
 */
export function searchableTextsOfThread(document: JsonRecord, messages: readonly unknown[]): readonly SearchableText[] {
  return new TextCollector().collect(document, messages);
}

class TextCollector {
  private readonly texts: SearchableText[] = [];
  private readonly entryIdByCall = new Map<string, string>();

  collect(document: JsonRecord, messages: readonly unknown[]): readonly SearchableText[] {
    this.add('', 'details', searchableDetails(document).join('\n'));
    const keys = messageKeys(messages);
    for (const [index, message] of messages.entries())
      if (isRecord(message)) this.addMessage(message, keys[index] ?? '');
    return this.texts;
  }

  private addMessage(message: JsonRecord, key: string): void {
    const { role, content, state } = message;
    if (role !== 'user' && role !== 'assistant' && role !== 'info') {
      this.add(promptEntryId(key), 'note', textsInValue(message, 'note'));
      return;
    }
    if (role === 'user') {
      this.add(promptEntryId(key), 'prompt', promptText(content));
      this.add(promptEntryId(key), 'path', mentionedFiles(message).join('\n'));
    } else if (typeof content === 'string') {
      this.add(blockEntryId(key, 0), role === 'assistant' ? 'answer' : 'note', content);
    }
    const blocks = asList(content);
    for (let index = 0; index < blocks.length; index++) {
      const block = blocks[index];
      if (isRecord(block)) this.addBlock(block, blockEntryId(key, index), role);
    }
    if (isRecord(state) && state['type'] === 'error')
      this.add(turnEndEntryId(key), 'output', textsInValue(state['error']));
  }

  private addBlock(block: JsonRecord, id: string, role: 'user' | 'assistant' | 'info'): void {
    if (isResultBlock(block)) {
      const { run, content, result } = block;
      const entryId = this.entryIdByCall.get(callIdOfResultBlock(block)) ?? id;
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
        this.add(id, 'thinking', asNonEmptyText(block['thinking']) ?? asNonEmptyText(text) ?? '');
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
        this.add(id, 'command', commandOfInput(block['args']) ?? '');
        this.add(id, 'output', textsInValue(block['toolRun']));
        return;
      case 'image':
      case 'redacted_thinking':
        return;
      default:
        this.add(id, 'note', textsInValue(block, 'note'));
    }
  }

  private addCall(block: JsonRecord, id: string): void {
    const key = callIdOfCallBlock(block);
    if (key !== '') this.entryIdByCall.set(key, id);
    const input = block['input'] ?? block['normalizedInput'] ?? block['code'] ?? block['text'];
    const command = typeof block['code'] === 'string' ? block['code'] : commandOfInput(input);
    const path = pathOfInput(input);
    if (command !== undefined) this.add(id, 'command', command);
    if (path !== undefined) this.add(id, 'path', pathOrUriPath(path));
    const name = asNonEmptyText(block['name']) ?? asNonEmptyText(block['normalizedName']) ?? '';
    const rest = isRecord(input) ? withoutShownKeys(input) : command === undefined ? input : undefined;
    this.add(id, 'call', [bareToolName(name), textsInValue(rest)].join('\n').trim());
  }

  private add(entryId: string, kind: TextKind, text: string): void {
    if (text.trim() !== '') this.texts.push({ entryId, kind, text });
  }
}

function summaryText(summary: unknown): string {
  return asNonEmptyText(summary) ?? (isRecord(summary) ? asNonEmptyText(summary['summary']) : undefined) ?? '';
}

const shownKeys: ReadonlySet<string> = new Set('cmd,command,args,path,absolutePath,file_path,filePath'.split(','));

function withoutShownKeys(input: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(input).filter(([key]) => !shownKeys.has(key)));
}

/** Returns the paths of the files and images that are attached to a prompt. */
function mentionedFiles({ content, fileMentions, discoveredGuidanceFiles }: JsonRecord): readonly string[] {
  const mentions = [
    ...(isRecord(fileMentions) ? asList(fileMentions['files']) : []),
    ...asList(discoveredGuidanceFiles),
  ];
  const files = mentions.flatMap((file) => (isRecord(file) ? (asNonEmptyText(file['uri']) ?? []) : []));
  const images = asList(content).flatMap((block) =>
    isRecord(block) && block['type'] === 'image' ? (asNonEmptyText(block['sourcePath']) ?? []) : [],
  );
  return [...files, ...images].map(pathOrUriPath);
}
