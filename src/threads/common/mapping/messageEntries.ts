import type { Entry } from '../../../transcript/common/entries';
import { blockEntryId, promptEntryId } from '../model/entryIds';
import { isRecord, asNonEmptyText, asTimeMs } from '../model/jsonValues';
import { promptText } from '../model/promptText';
import { displayJson } from '../model/displayJson';
import { Block, Message, type BlockOf } from '../model/threadSchema';
import { attachmentsOf } from './parts/attachments';
import { messageStateType } from '../model/threadState';
import { turnEndEntry, unfinishedCallStates } from './ends';
import { imageAttachment, imagePart } from './parts/images';
import { entryBase, plainTextPart, rawEntry, type EntryWithRawJson, type MessagePlace } from './parts/entryWithRawJson';
import { isResultBlock } from '../model/callIds';
import { isRoleShown, type ToolResults } from './toolResults';
import { toolEntries } from './parts/callEntries';
import { readRunOutsideResultBlock, readToolRun } from './parts/toolRun';

/** Maps a message to entries in the order of its blocks. The entry of a tool call contains its result. */
export function messageEntries(raw: unknown, results: ToolResults, place: MessagePlace): readonly EntryWithRawJson[] {
  const message = Message.safeParse(raw).data;
  if (!message || !isRoleShown(message.role)) {
    const label = message ? `Message with unknown role “${message.role}”` : 'Unknown message';
    return [rawEntry(entryBase(place, promptEntryId(place.key)), label, raw, displayJson(raw))];
  }
  return new MessageMapper(message, raw, results, place).map();
}

class MessageMapper {
  private readonly rawBlocks: readonly unknown[];
  private hasMappedPrompt = false;

  constructor(
    private readonly message: Message,
    private readonly rawMessage: unknown,
    private readonly toolResults: ToolResults,
    private readonly place: MessagePlace,
  ) {
    const { content } = message;
    this.rawBlocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  }

  map(): readonly EntryWithRawJson[] {
    const entries = this.rawBlocks.flatMap((block, index) => this.mapBlock(block, index));
    const end = turnEndEntry(this.message, this.place, entries.length > 0);
    if (!end && entries.length === 0 && this.message.content === undefined) return this.mapUnknownContent();
    return end ? [...entries, { entry: end, raw: this.rawMessage }] : entries;
  }

  /** Shows the JSON of a message with unknown fields, because they may be its content. */
  private mapUnknownContent(): readonly EntryWithRawJson[] {
    const unknownKeys = isRecord(this.rawMessage)
      ? Object.keys(this.rawMessage).filter((key) => !Object.hasOwn(Message.shape, key))
      : [];
    if (unknownKeys.every((key) => key === 'messageId' || key === 'protocolMessageID')) return [];
    const base = entryBase(this.place, promptEntryId(this.place.key));
    return [rawEntry(base, 'Message without content', this.rawMessage, displayJson(this.rawMessage))];
  }

  private mapBlock(raw: unknown, index: number): readonly EntryWithRawJson[] {
    if (isResultBlock(raw)) return this.mapResultWithoutCall(raw, index);
    const block = Block.safeParse(raw).data;
    if (!block) {
      const type = isRecord(raw) ? asNonEmptyText(raw['type']) : undefined;
      const label = type === undefined ? 'Unknown block' : `Block “${type}”`;
      return [rawEntry(this.entryBaseOfBlock(index), label, raw, displayJson(raw))];
    }
    switch (block.type) {
      case 'text':
        return block.hidden === true ? [] : this.mapText(block, raw, index);
      case 'thinking':
        return this.toEntry(index, raw, { kind: 'thinking', ...this.thinkingContent(block, index) });
      case 'redacted_thinking':
        return this.toEntry(index, raw, { kind: 'thinking', text: 'The provider redacted this thinking.' });
      case 'image':
        return this.mapImage(block, raw, index);
      case 'tool_use':
      case 'server_tool_use':
        return this.mapCall(block, raw, index);
      case 'program':
        return this.mapProgram(block, raw, index);
      case 'summary':
        return this.mapSummary(block, raw, index);
      case 'manual_bash_invocation':
        return this.mapManualBash(block, raw, index);
    }
  }

  private mapText(block: BlockOf<'text'>, raw: unknown, index: number): readonly EntryWithRawJson[] {
    const { text } = block;
    if (this.message.role === 'user') return this.mapPrompt();
    if (this.message.role === 'info') return this.toEntry(index, raw, { kind: 'notice', level: 'info', text });
    if (text === '' && !this.isStreaming(index)) return [];
    return this.toEntry(index, raw, { kind: 'answer', text, ...(this.isStreaming(index) ? { streaming: true } : {}) });
  }

  /** Joins all text and image blocks of a message to one prompt. It replaces the first of them. */
  private mapPrompt(): readonly EntryWithRawJson[] {
    if (this.hasMappedPrompt) return [];
    this.hasMappedPrompt = true;
    const images = this.rawBlocks.flatMap((raw) => {
      const block = Block.safeParse(raw).data;
      const part = block?.type === 'image' ? imagePart(block.source) : undefined;
      const path = block?.type === 'image' ? block.sourcePath : undefined;
      return (part && imageAttachment(part, path)) ?? [];
    });
    const attachments = [...images, ...attachmentsOf(this.message)];
    const base = entryBase(this.place, promptEntryId(this.place.key));
    const text = promptText(this.message.content);
    const entry: Entry = { kind: 'prompt', ...base, text, ...(attachments.length > 0 ? { attachments } : {}) };
    return [{ entry, raw: this.rawMessage }];
  }

  private mapImage(block: BlockOf<'image'>, raw: unknown, index: number): readonly EntryWithRawJson[] {
    const part = imagePart(block.source, block.sourcePath);
    if (!part) return [rawEntry(this.entryBaseOfBlock(index), 'Unknown image', raw, displayJson(raw))];
    const prompt = this.message.role === 'user' ? this.mapPrompt() : [];
    const isAttached = this.message.role === 'user' && part.type === 'image';
    return isAttached ? prompt : [...prompt, ...this.toEntry(index, raw, { kind: 'media', part })];
  }

  private thinkingContent(
    { thinking, text, startTime, finalTime }: BlockOf<'thinking'>,
    index: number,
  ): ThinkingContent {
    const [start, end] = [asTimeMs(startTime), asTimeMs(finalTime)];
    return {
      text: asNonEmptyText(thinking) ?? asNonEmptyText(text) ?? 'The provider does not share this thinking.',
      ...(this.isStreaming(index) ? { streaming: true } : {}),
      ...(start !== undefined && end !== undefined && end >= start ? { durationMs: end - start } : {}),
    };
  }

  private mapCall(
    block: BlockOf<'tool_use' | 'server_tool_use'>,
    raw: unknown,
    index: number,
  ): readonly EntryWithRawJson[] {
    const results = this.toolResults.ofCall(raw);
    const isComplete = block.complete !== false;
    const run = readToolRun(results.at(-1), unfinishedCallStates(this.message, this.place, isComplete));
    const input = block.input ?? block.normalizedInput ?? inputFromOtherKeys(raw);
    return toolEntries(
      {
        base: this.entryBaseOfBlock(index),
        name: block.name ?? block.normalizedName ?? 'Unnamed tool',
        knownName: block.normalizedName,
        input: isComplete ? input : (block.inputIncomplete ?? input),
        partialInput:
          isComplete || block.inputIncomplete !== undefined ? undefined : asNonEmptyText(block.inputPartialJSON?.json),
        raw: [raw, ...results],
      },
      run,
    );
  }

  private mapProgram(block: BlockOf<'program'>, raw: unknown, index: number): readonly EntryWithRawJson[] {
    const results = this.toolResults.ofCall(raw);
    const run = readToolRun(results.at(-1), unfinishedCallStates(this.message, this.place));
    const input = block.code === undefined ? undefined : { code: block.code };
    return toolEntries({ base: this.entryBaseOfBlock(index), name: 'program', input, raw: [raw, ...results] }, run);
  }

  private mapSummary({ summary }: BlockOf<'summary'>, raw: unknown, index: number): readonly EntryWithRawJson[] {
    const text = asNonEmptyText(summary) ?? (isRecord(summary) ? asNonEmptyText(summary['summary']) : undefined);
    if (text === undefined) return [rawEntry(this.entryBaseOfBlock(index), 'Summary', raw, displayJson(raw))];
    return this.toEntry(index, raw, { kind: 'summary', text });
  }

  private mapManualBash(
    block: BlockOf<'manual_bash_invocation'>,
    raw: unknown,
    index: number,
  ): readonly EntryWithRawJson[] {
    const outcome = readRunOutsideResultBlock(block.toolRun, unfinishedCallStates(this.message, this.place));
    const note = block.hidden === true ? 'Run by the user. Not shown to the agent.' : 'Run by the user.';
    const remarks = [...outcome.remarks, plainTextPart(note)];
    const input = block.args ?? {};
    const name = block.hidden === true ? '$$' : '$';
    return toolEntries(
      { base: this.entryBaseOfBlock(index), name, knownName: 'Bash', input, raw: [raw] },
      { ...outcome, remarks },
    );
  }

  /** Shows a result only if its call is not in the thread. */
  private mapResultWithoutCall(raw: unknown, index: number): readonly EntryWithRawJson[] {
    if (this.toolResults.hasCall(raw)) return [];
    return [rawEntry(this.entryBaseOfBlock(index), 'Result of a tool call outside this thread', raw, displayJson(raw))];
  }

  private isStreaming(index: number): boolean {
    const isLast = index === this.rawBlocks.length - 1;
    return isLast && this.place.unfinished === 'running' && messageStateType(this.message.state) === 'streaming';
  }

  private toEntry(index: number, raw: unknown, content: Content): readonly EntryWithRawJson[] {
    return [{ entry: { ...this.entryBaseOfBlock(index), ...content }, raw }];
  }

  private entryBaseOfBlock(index: number): ReturnType<typeof entryBase> {
    return entryBase(this.place, blockEntryId(this.place.key, index));
  }
}

/** Keys of a call that do not belong to its input. */
const callKeys: ReadonlySet<string> = new Set(
  'type,id,name,normalizedName,complete,inputIncomplete,inputPartialJSON,startTime,finalTime,metadata'.split(','),
);

/** Returns the unknown keys of a call as its input, for calls without `input`. */
function inputFromOtherKeys(raw: unknown): unknown {
  if (!isRecord(raw)) return undefined;
  const others = Object.entries(raw).filter(
    ([key, value]) => !callKeys.has(key) && value !== undefined && value !== null,
  );
  const [first] = others;
  return others.length === 1 && first?.[0] === 'text'
    ? first[1]
    : others.length > 0
      ? Object.fromEntries(others)
      : undefined;
}

type Without<Kind, Keys extends string> = Kind extends unknown ? Omit<Kind, Keys> : never;
type BaseKey = 'id' | 'turn' | 'at' | 'parent';
type Content = Without<Entry, BaseKey>;
type ThinkingContent = Omit<Extract<Entry, { kind: 'thinking' }>, BaseKey | 'kind'>;
