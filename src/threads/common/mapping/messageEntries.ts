import type { Entry } from '../../../transcript/common/entries';
import { blockId, promptId } from '../model/entryIds';
import { isRecord, textOf, timeOf } from '../model/jsonValues';
import { promptText } from '../model/promptText';
import { rawJson } from '../model/rawJson';
import { Block, Message, type BlockOf } from '../model/threadSchema';
import { attachmentsOf } from './parts/attachments';
import { stateType } from '../model/threadState';
import { endOfMessage, openCall } from './ends';
import { imageAttachment, imagePart } from './parts/images';
import { baseOf, plainText, rawEntry, type Mapped, type MessageContext } from './parts/mapped';
import { isResultBlock } from '../model/callIds';
import { isShownRole, type Results } from './results';
import { toolEntries } from './parts/callEntries';
import { runOutcome, toolRun } from './parts/toolRun';

/** What one message shows, in the order of its blocks. Results of tools are shown where the tool was called. */
export function messageEntries(raw: unknown, results: Results, context: MessageContext): readonly Mapped[] {
  const message = Message.safeParse(raw).data;
  if (!message || !isShownRole(message.role)) {
    const label = message ? `Message of the unknown role “${message.role}”` : 'Message of an unknown form';
    return [rawEntry(baseOf(context, promptId(context.key)), label, raw, rawJson(raw))];
  }
  return new MessageReader(message, raw, results, context).read();
}

class MessageReader {
  private readonly blocks: readonly unknown[];
  private hasPrompt = false;

  constructor(
    private readonly message: Message,
    private readonly raw: unknown,
    private readonly results: Results,
    private readonly context: MessageContext,
  ) {
    const { content } = message;
    this.blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  }

  read(): readonly Mapped[] {
    const entries = this.blocks.flatMap((block, index) => this.block(block, index));
    const end = endOfMessage(this.message, this.context, entries.length > 0);
    if (!end && entries.length === 0 && this.message.content === undefined) return this.withoutContent();
    return end ? [...entries, { entry: end, raw: this.raw }] : entries;
  }

  /** Whatever else it has may be what was said. */
  private withoutContent(): readonly Mapped[] {
    const others = isRecord(this.raw) ? Object.keys(this.raw).filter((key) => !Object.hasOwn(Message.shape, key)) : [];
    if (others.every((key) => key === 'messageId' || key === 'protocolMessageID')) return [];
    const base = baseOf(this.context, promptId(this.context.key));
    return [rawEntry(base, 'Message without content', this.raw, rawJson(this.raw))];
  }

  private block(raw: unknown, index: number): readonly Mapped[] {
    if (isResultBlock(raw)) return this.result(raw, index);
    const block = Block.safeParse(raw).data;
    if (!block) {
      const type = isRecord(raw) ? textOf(raw['type']) : undefined;
      const label = type === undefined ? 'Block of an unknown form' : `Block “${type}”`;
      return [rawEntry(this.base(index), label, raw, rawJson(raw))];
    }
    switch (block.type) {
      case 'text':
        return block.hidden === true ? [] : this.text(block, raw, index);
      case 'thinking':
        return this.entry(index, raw, { kind: 'thinking', ...this.thinking(block, index) });
      case 'redacted_thinking':
        return this.entry(index, raw, { kind: 'thinking', text: 'The provider has redacted this thinking.' });
      case 'image':
        return this.image(block, raw, index);
      case 'tool_use':
      case 'server_tool_use':
        return this.call(block, raw, index);
      case 'program':
        return this.program(block, raw, index);
      case 'summary':
        return this.summary(block, raw, index);
      case 'manual_bash_invocation':
        return this.manualBash(block, raw, index);
    }
  }

  private text(block: BlockOf<'text'>, raw: unknown, index: number): readonly Mapped[] {
    const { text } = block;
    if (this.message.role === 'user') return this.prompt();
    if (this.message.role === 'info') return this.entry(index, raw, { kind: 'notice', level: 'info', text });
    if (text === '' && !this.isStreaming(index)) return [];
    return this.entry(index, raw, { kind: 'answer', text, ...(this.isStreaming(index) ? { streaming: true } : {}) });
  }

  /** All blocks of text and all images of a message are one prompt, in the place of the first of them. */
  private prompt(): readonly Mapped[] {
    if (this.hasPrompt) return [];
    this.hasPrompt = true;
    const images = this.blocks.flatMap((raw) => {
      const block = Block.safeParse(raw).data;
      const part = block?.type === 'image' ? imagePart(block.source) : undefined;
      const path = block?.type === 'image' ? block.sourcePath : undefined;
      return (part && imageAttachment(part, path)) ?? [];
    });
    const attachments = [...images, ...attachmentsOf(this.message)];
    const base = baseOf(this.context, promptId(this.context.key));
    const text = promptText(this.message.content);
    const entry: Entry = { kind: 'prompt', ...base, text, ...(attachments.length > 0 ? { attachments } : {}) };
    return [{ entry, raw: this.raw }];
  }

  private image(block: BlockOf<'image'>, raw: unknown, index: number): readonly Mapped[] {
    const part = imagePart(block.source, block.sourcePath);
    if (!part) return [rawEntry(this.base(index), 'Image of an unknown form', raw, rawJson(raw))];
    const prompt = this.message.role === 'user' ? this.prompt() : [];
    const isAttached = this.message.role === 'user' && part.type === 'image';
    return isAttached ? prompt : [...prompt, ...this.entry(index, raw, { kind: 'media', part })];
  }

  private thinking({ thinking, text, startTime, finalTime }: BlockOf<'thinking'>, index: number): ThinkingContent {
    const [start, end] = [timeOf(startTime), timeOf(finalTime)];
    return {
      text: textOf(thinking) ?? textOf(text) ?? 'The provider keeps this thinking to itself.',
      ...(this.isStreaming(index) ? { streaming: true } : {}),
      ...(start !== undefined && end !== undefined && end >= start ? { durationMs: end - start } : {}),
    };
  }

  private call(block: BlockOf<'tool_use' | 'server_tool_use'>, raw: unknown, index: number): readonly Mapped[] {
    const results = this.results.of(raw);
    const isWhole = block.complete !== false;
    const run = toolRun(results.at(-1), openCall(this.message, this.context, isWhole));
    const input = block.input ?? block.normalizedInput ?? unnamedInput(raw);
    return toolEntries(
      {
        base: this.base(index),
        name: block.name ?? block.normalizedName ?? 'Unnamed tool',
        knownName: block.normalizedName,
        input: isWhole ? input : (block.inputIncomplete ?? input),
        partialInput: isWhole || block.inputIncomplete !== undefined ? undefined : textOf(block.inputPartialJSON?.json),
        raw: [raw, ...results],
      },
      run,
    );
  }

  private program(block: BlockOf<'program'>, raw: unknown, index: number): readonly Mapped[] {
    const results = this.results.of(raw);
    const run = toolRun(results.at(-1), openCall(this.message, this.context));
    const input = block.code === undefined ? undefined : { code: block.code };
    return toolEntries({ base: this.base(index), name: 'program', input, raw: [raw, ...results] }, run);
  }

  private summary({ summary }: BlockOf<'summary'>, raw: unknown, index: number): readonly Mapped[] {
    const text = textOf(summary) ?? (isRecord(summary) ? textOf(summary['summary']) : undefined);
    if (text === undefined) return [rawEntry(this.base(index), 'Summary', raw, rawJson(raw))];
    return this.entry(index, raw, { kind: 'summary', text });
  }

  private manualBash(block: BlockOf<'manual_bash_invocation'>, raw: unknown, index: number): readonly Mapped[] {
    const outcome = runOutcome(block.toolRun, openCall(this.message, this.context));
    const who = block.hidden === true ? 'Run by the user, not shown to the agent.' : 'Run by the user.';
    const remarks = [...outcome.remarks, plainText(who)];
    const input = block.args ?? {};
    const name = block.hidden === true ? '$$' : '$';
    return toolEntries({ base: this.base(index), name, knownName: 'Bash', input, raw: [raw] }, { ...outcome, remarks });
  }

  /** A result whose call is nowhere in the thread. */
  private result(raw: unknown, index: number): readonly Mapped[] {
    if (this.results.isJoined(raw)) return [];
    return [rawEntry(this.base(index), 'Result of a call that is not in the thread', raw, rawJson(raw))];
  }

  private isStreaming(index: number): boolean {
    const isLast = index === this.blocks.length - 1;
    return isLast && this.context.unfinished === 'running' && stateType(this.message.state) === 'streaming';
  }

  private entry(index: number, raw: unknown, content: Content): readonly Mapped[] {
    return [{ entry: { ...this.base(index), ...content }, raw }];
  }

  private base(index: number): ReturnType<typeof baseOf> {
    return baseOf(this.context, blockId(this.context.key, index));
  }
}

/** Parts of a call that say how it is stored, not what was asked for. */
const callFrame: ReadonlySet<string> = new Set(
  'type,id,name,normalizedName,complete,inputIncomplete,inputPartialJSON,startTime,finalTime,metadata'.split(','),
);

/** What a call without an input has instead of one. */
function unnamedInput(raw: unknown): unknown {
  if (!isRecord(raw)) return undefined;
  const others = Object.entries(raw).filter(
    ([key, value]) => !callFrame.has(key) && value !== undefined && value !== null,
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
