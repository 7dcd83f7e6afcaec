/**
 * Shows markdown while it comes. Blocks that are complete are never touched again; only the last one is rendered anew, and
 * of that only the nodes that differ change. What depends on text that comes later (reference links) is put right at the end.
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

/** In UTF-16 units: a block that is longer while it still grows is no longer parsed before the end. */
const maxOpen = 128 * 1024;
const defaultSlowMs = 6;
/** How many times as long as a slow rendering the rest after it is. */
const restFactor = 3;

/** The container is the stream's alone. Dispose it when the container goes. */
export class MarkdownStream implements Disposable {
  /** Complete blocks; the nodes up to `lastDone` show them. */
  private done = '';
  private lastDone: ChildNode | null = null;
  private open = '';
  /** Up to where complete blocks were looked for in `open`. */
  private lookedTo = 0;
  private env: Env = {};
  /** The block of code that is open. */
  private code: GrowingCode | undefined;
  /** Where text goes as it is, in what is shown plain. */
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

  /** Replaces the text; one that begins with the text so far is appended to it. */
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

  /** Nothing more comes: the nodes are those of the whole text. Appending later goes on from here. */
  finish(): void {
    this.listen();
    this.stopWaiting();
    if (this.hasCarriageReturn) this.open += '\n';
    this.hasCarriageReturn = false;
    const whole = this.done + this.open;
    this.leaveCode();
    // What was shown block by block is better than the same text in plain.
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
   * All blocks but the last are complete, and that one too when nothing can change it. Judged by whole lines only: the start
   * of a line says little of what it will be.
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
    // The open block's nodes are part of what is to be there: they are not thrown away and made again.
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

  /** There a longer text is only more code; in plain text all is. */
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

  /** False when the text may be more than that. */
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

  /** Line endings as the parser sees them; one that is cut in two waits for its other half. */
  private withoutCarriageReturns(text: string): string {
    const whole = this.hasCarriageReturn ? `\r${text}` : text;
    this.hasCarriageReturn = whole.endsWith('\r');
    return normalized(this.hasCarriageReturn ? whole.slice(0, -1) : whole);
  }
}

/** Characters that can be seen. */
const plainText = /^[\P{C}\n]+$/u;

/** The offset of a line, 0-based. */
function lineStart(text: string, line: number): number {
  let at = 0;
  for (let left = line; left > 0; left--) at = text.indexOf('\n', at) + 1;
  return at;
}
