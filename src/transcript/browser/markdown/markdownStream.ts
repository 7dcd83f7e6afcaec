/**
 * Renders streaming Markdown. Complete blocks are not touched again; the last block is rendered again, and only nodes
 * that differ are changed. References to later definitions are resolved at the end.
 */
import type { Env } from 'markdown-it';
import type { Disposable } from '../../../base/common/disposable';
import { isClosed, unfinished } from './parser/blockRules';
import { listenForActions } from './code/codeActions';
import { closeUnfinished, openFence } from './parser/closeUnfinished';
import { plainPiece } from './decorate';
import { GrowingCode } from './code/growingCode';
import { maxParsed, nodesOf, nodesOfText, parseBlocks, plainNodesOf } from './parser/markdownParser';
import { morphChildren } from './morph';
import { normalized, type MarkdownOptions } from './renderMarkdown';

/** A block that grows beyond this size is not parsed until the end, in UTF-16 units. */
const maxOpen = 128 * 1024;
const defaultSlowMs = 6;
/** After a slow rendering, the pause is this multiple of its duration. */
const restFactor = 3;

/** The stream owns the content of the container. Dispose it with the container. */
export class MarkdownStream implements Disposable {
  /** Text of the complete blocks; the nodes up to `lastDone` show it. */
  private done = '';
  private lastDone: ChildNode | null = null;
  private open = '';
  /** Offset in `open` up to which complete blocks were searched. */
  private lookedTo = 0;
  private env: Env = {};
  /** The unfinished code block at the end. */
  private code: GrowingCode | undefined;
  /** Text node that receives further plain text. */
  private plainTail: Text | undefined;
  private listening: Disposable | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private restMs = 0;
  private hasCarriageReturn = false;

  constructor(
    private readonly container: HTMLElement,
    private readonly options: MarkdownOptions,
  ) {}

  append(text: string): void {
    const added = this.withoutCarriageReturns(text);
    if (added === '') return;
    this.listen();
    this.open += added;
    if (this.timer !== undefined) return;
    if (this.isPlain ? this.lengthenPlain(added) : this.code?.grow(this.open)) return;
    if (this.restMs > 0) this.timer = setTimeout(() => this.render(), this.restMs);
    else this.render();
  }

  /** Replaces the text. If it starts with the current text, appends the rest. */
  set(text: string): void {
    const whole = normalized(text);
    const current = this.done + this.open;
    if (whole.startsWith(current)) {
      this.append(whole.slice(current.length));
      return;
    }
    this.forget();
    this.append(whole);
    if (whole === '') this.container.replaceChildren();
  }

  /** Makes the nodes equal to those of the complete text. More text may still be appended. */
  finish(): void {
    this.listen();
    this.stopWaiting();
    if (this.hasCarriageReturn) this.open += '\n';
    this.hasCarriageReturn = false;
    const whole = this.done + this.open;
    this.leaveCode();
    // Text that was formatted block by block stays, rather than becoming plain.
    const isTooLong = whole.length > maxParsed && this.lastDone !== null;
    if (isTooLong) this.put(nodesOfText(this.open, { ...this.env }, this.options.actions));
    else morphChildren(this.container, this.container.firstChild, nodesOfText(whole, {}, this.options.actions));
    this.forget();
    this.open = whole;
  }

  dispose(): void {
    this.stopWaiting();
    this.listening?.dispose();
    this.listening = undefined;
  }

  private listen(): void {
    this.listening ??= listenForActions(this.container, this.options.actions);
  }

  private render(): void {
    const startMs = performance.now();
    this.stopWaiting();
    this.takeCompleteBlocks();
    const env = { references: { ...this.env.references }, [unfinished]: true };
    if (this.isPlain) this.put(plainNodesOf(this.open, this.options.actions));
    else this.put(nodesOfText(closeUnfinished(this.open), env, this.options.actions));
    this.findOpenCode();
    const tookMs = performance.now() - startMs;
    this.restMs = tookMs > (this.options.slowMs ?? defaultSlowMs) ? tookMs * restFactor : 0;
  }

  /**
   * Finishes all blocks but the last, and the last if nothing can change it. Only whole lines count, since the start of
   * a line may turn out otherwise.
   */
  private takeCompleteBlocks(): void {
    const end = this.open.lastIndexOf('\n') + 1;
    if (end <= this.lookedTo || this.open.length > maxParsed) return;
    this.lookedTo = end;
    const lines = this.open.slice(0, end - 1).split('\n');
    const blocks = parseBlocks(this.open.slice(0, end), this.env);
    const last = blocks.at(-1);
    const isLastOpen = last !== undefined && !isClosed(last, lines);
    if (isLastOpen) blocks.pop();
    if (!last || blocks.length === 0) return;
    const cut = lineStart(this.open, isLastOpen ? last.firstLine : last.endLine);
    const nodes = nodesOf(blocks, this.env, this.options.actions);
    const count = nodes.childNodes.length;
    // Includes the nodes of the open block, so that they are not recreated.
    const rest = this.open.slice(cut);
    if (isLastOpen) nodes.append(nodesOfText(rest, { references: { ...this.env.references } }, this.options.actions));
    this.put(nodes);
    for (let at = 0; at < count; at++) this.lastDone = this.firstOpen();
    this.done += this.open.slice(0, cut);
    this.open = rest;
    this.lookedTo = rest.lastIndexOf('\n') + 1;
  }

  private put(nodes: DocumentFragment): void {
    this.leaveCode();
    this.plainTail = undefined;
    morphChildren(this.container, this.firstOpen(), nodes);
  }

  private firstOpen(): ChildNode | null {
    return this.lastDone ? this.lastDone.nextSibling : this.container.firstChild;
  }

  /** Finds the node to which further code or plain text can be appended. */
  private findOpenCode(): void {
    const block = this.container.lastElementChild;
    const code = block?.querySelector('code');
    if (!code || !(block instanceof HTMLElement)) return;
    if (this.isPlain) {
      const last = code.lastElementChild?.lastChild;
      this.plainTail = last instanceof Text ? last : undefined;
    } else {
      const fence = openFence(this.open);
      if (!fence?.isTopLevel || !this.open.trimStart().startsWith(fence.marker)) return;
      this.code = new GrowingCode(code, (block.dataset['language'] ?? '').toLowerCase(), this.open);
    }
  }

  /** Returns false if the text may contain markup. */
  private lengthenPlain(added: string): boolean {
    const { plainTail } = this;
    if (!plainTail || !plainText.test(added) || plainTail.length + added.length > plainPiece) return false;
    plainTail.appendData(added);
    return true;
  }

  private leaveCode(): void {
    this.code?.leave();
    this.code = undefined;
  }

  private get isPlain(): boolean {
    return this.open.length > maxOpen;
  }

  private forget(): void {
    this.stopWaiting();
    this.done = '';
    this.lastDone = null;
    this.open = '';
    this.lookedTo = 0;
    this.env = {};
    this.leaveCode();
    this.plainTail = undefined;
  }

  private stopWaiting(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Normalizes line endings. A `\r` at the end waits for a possible ` `. */
  private withoutCarriageReturns(text: string): string {
    const whole = this.hasCarriageReturn ? `\r${text}` : text;
    this.hasCarriageReturn = whole.endsWith('\r');
    return normalized(this.hasCarriageReturn ? whole.slice(0, -1) : whole);
  }
}

/** Visible characters. */
const plainText = /^[\P{C}\n]+$/u;

/** Returns the offset of a 0-based line. */
function lineStart(text: string, line: number): number {
  let at = 0;
  for (let left = line; left > 0; left--) at = text.indexOf('\n', at) + 1;
  return at;
}
