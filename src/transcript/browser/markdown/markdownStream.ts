/**
 * Renders Markdown while it is streamed. Complete blocks stay unchanged. The last block is rendered again, but only
 * nodes that differ are replaced. References to definitions that come later are resolved at the end.
 */
import type { Env } from 'markdown-it';
import type { Disposable } from '../../../base/common/disposable';
import { isBlockComplete, lastLineMayGrowKey } from './parser/blockRules';
import { listenForLinkAndCodeActions } from './linkAndCodeActions';
import { completeMarkdown, findOpenFence } from './parser/completeMarkdown';
import { maxPlainPieceUnits } from './decorate';
import { StreamingCode } from './code/streamingCode';
import { growingTextEnv } from './math/formulaParser';
import { maxMarkdownUnits, renderBlocks, renderText, parseBlocks, renderPlainText } from './parser/markdownParser';
import { morphChildren } from './morph';
import { codeIn, normalizeLineEndings, replaceCode, type MarkdownOptions } from './renderMarkdown';

/**
 * Maximum size of an open block that is parsed while it grows, in UTF-16 units. Larger blocks are parsed at the end.
 */
const maxOpenUnits = 128 * 1024;
const defaultSlowMs = 6;
/** After a slow rendering, the pause is its duration multiplied by this factor. */
const pauseFactor = 3;

/** Renders streamed Markdown. The stream owns the container's content; dispose both together. */
export class MarkdownStream implements Disposable {
  /** Text of the complete blocks. It is shown by all nodes up to `lastCompleteNode`. */
  private completeText = '';
  private lastCompleteNode: ChildNode | null = null;
  private openText = '';
  /** Offset in `openText` up to which the text was searched for complete blocks. */
  private searchedEnd = 0;
  private parserEnv = growingTextEnv();
  private openCodeBlock: StreamingCode | undefined;
  private plainTextNode: Text | undefined;
  private actionListener: Disposable | undefined;
  private pauseTimer: ReturnType<typeof setTimeout> | undefined;
  private pauseMs = 0;
  private endsWithCarriageReturn = false;

  constructor(
    private readonly container: HTMLElement,
    private readonly options: MarkdownOptions,
  ) {}

  append(text: string): void {
    const added = this.normalizeChunk(text);
    if (added === '') return;
    this.startListening();
    this.openText += added;
    if (this.pauseTimer !== undefined) return;
    if (this.isTooLongToParse ? this.tryAppendPlainText(added) : this.openCodeBlock?.showLongerText(this.openText))
      return;
    if (this.pauseMs > 0) this.pauseTimer = setTimeout(() => this.render(), this.pauseMs);
    else this.render();
  }

  /** Replaces the text. If the new text starts with the current one, only appends the rest. */
  setText(text: string): void {
    const whole = normalizeLineEndings(text);
    const current = this.completeText + this.openText;
    if (whole.startsWith(current)) {
      this.append(whole.slice(current.length));
      return;
    }
    this.reset();
    this.append(whole);
    if (whole === '') this.container.replaceChildren();
  }

  /** Highlights the code of streaming text, which was plain until now. Complete blocks without code stay untouched. */
  highlightShownCode(): void {
    const { completeText, container, lastCompleteNode } = this;
    const nodes = [...container.children];
    const complete = nodes.slice(0, nodes.findIndex((node) => node === lastCompleteNode) + 1);
    replaceCode(complete.flatMap(codeIn), renderText(completeText, { ...this.parserEnv }, this.options.actions));
    this.render();
  }

  /** Changes the nodes to those of the complete text. More text can still be appended later. */
  finish(): void {
    this.startListening();
    this.cancelPause();
    if (this.endsWithCarriageReturn) this.openText += '\n';
    this.endsWithCarriageReturn = false;
    const whole = this.completeText + this.openText;
    this.finishOpenCodeBlock();
    // A long text is not parsed again as a whole. Its complete blocks stay as they are, and only the rest is formatted.
    const isTooLong = whole.length > maxMarkdownUnits && this.lastCompleteNode !== null;
    if (isTooLong)
      this.replaceOpenNodes(
        renderText(this.openText, { references: { ...this.parserEnv.references } }, this.options.actions),
      );
    else morphChildren(this.container, this.container.firstChild, renderText(whole, {}, this.options.actions));
    this.reset();
    this.openText = whole;
  }

  dispose(): void {
    this.cancelPause();
    this.actionListener?.dispose();
    this.actionListener = undefined;
  }

  private startListening(): void {
    this.actionListener ??= listenForLinkAndCodeActions(this.container, this.options.actions);
  }

  private render(): void {
    const startMs = performance.now();
    this.cancelPause();
    this.finishBlocks();
    const env = { ...this.openEnv, [lastLineMayGrowKey]: true };
    if (this.isTooLongToParse) this.replaceOpenNodes(renderPlainText(this.openText, this.options.actions));
    else this.replaceOpenNodes(renderText(completeMarkdown(this.openText), env, this.options.actions));
    this.rememberAppendableNode();
    const tookMs = performance.now() - startMs;
    this.pauseMs = tookMs > (this.options.slowRenderingMs ?? defaultSlowMs) ? tookMs * pauseFactor : 0;
  }

  /**
   * Finishes all blocks except the last. Also finishes the last if following text cannot change it. Only complete lines
   * count, because the meaning of an incomplete line is not known yet.
   */
  private finishBlocks(): void {
    const end = this.openText.lastIndexOf('\n') + 1;
    if (end <= this.searchedEnd || this.openText.length > maxMarkdownUnits) return;
    this.searchedEnd = end;
    const lines = this.openText.slice(0, end - 1).split('\n');
    const blocks = parseBlocks(this.openText.slice(0, end), this.parserEnv);
    const last = blocks.at(-1);
    const isLastOpen = last !== undefined && !isBlockComplete(last, lines);
    if (isLastOpen) blocks.pop();
    if (!last || blocks.length === 0) return;
    const cut = lineStart(this.openText, isLastOpen ? last.firstLine : last.endLine);
    const nodes = renderBlocks(blocks, this.parserEnv, this.options.actions);
    const count = nodes.childNodes.length;
    // The open block is rendered, too, so that `morphChildren` can keep its existing nodes.
    const rest = this.openText.slice(cut);
    if (isLastOpen) nodes.append(renderText(rest, this.openEnv, this.options.actions));
    this.replaceOpenNodes(nodes);
    for (let at = 0; at < count; at++) this.lastCompleteNode = this.firstOpenNode();
    this.completeText += this.openText.slice(0, cut);
    this.openText = rest;
    this.searchedEnd = rest.lastIndexOf('\n') + 1;
  }

  private replaceOpenNodes(nodes: DocumentFragment): void {
    this.finishOpenCodeBlock();
    this.plainTextNode = undefined;
    morphChildren(this.container, this.firstOpenNode(), nodes);
  }

  private firstOpenNode(): ChildNode | null {
    return this.lastCompleteNode ? this.lastCompleteNode.nextSibling : this.container.firstChild;
  }

  /** Finds the node to which more code or plain text can be appended. */
  private rememberAppendableNode(): void {
    const block = this.container.lastElementChild;
    const code = block?.querySelector('code');
    if (!code || !(block instanceof HTMLElement)) return;
    if (this.isTooLongToParse) {
      const last = code.lastElementChild?.lastChild;
      this.plainTextNode = last instanceof Text ? last : undefined;
    } else {
      const fence = findOpenFence(this.openText);
      if (!fence?.isTopLevel || !this.openText.trimStart().startsWith(fence.marker)) return;
      this.openCodeBlock = new StreamingCode(code, (block.dataset['language'] ?? '').toLowerCase(), this.openText);
    }
  }

  /** Appends plain text to the last node. Returns false if the text may contain markup. */
  private tryAppendPlainText(added: string): boolean {
    const { plainTextNode } = this;
    if (!plainTextNode || !visibleText.test(added) || plainTextNode.length + added.length > maxPlainPieceUnits)
      return false;
    plainTextNode.appendData(added);
    return true;
  }

  private finishOpenCodeBlock(): void {
    this.openCodeBlock?.finish();
    this.openCodeBlock = undefined;
  }

  /** For text that is rendered again: what it defines is not kept. */
  private get openEnv(): Env {
    return growingTextEnv({ references: { ...this.parserEnv.references } });
  }

  private get isTooLongToParse(): boolean {
    return this.openText.length > maxOpenUnits;
  }

  private reset(): void {
    this.cancelPause();
    this.completeText = '';
    this.lastCompleteNode = null;
    this.openText = '';
    this.searchedEnd = 0;
    this.parserEnv = growingTextEnv();
    this.finishOpenCodeBlock();
    this.plainTextNode = undefined;
  }

  private cancelPause(): void {
    clearTimeout(this.pauseTimer);
    this.pauseTimer = undefined;
  }

  /** Normalizes line endings. Keeps a `\r` at the end back, because a `\n` may follow. */
  private normalizeChunk(text: string): string {
    const whole = this.endsWithCarriageReturn ? `\r${text}` : text;
    this.endsWithCarriageReturn = whole.endsWith('\r');
    return normalizeLineEndings(this.endsWithCarriageReturn ? whole.slice(0, -1) : whole);
  }
}

const visibleText = /^[\P{C}\n]+$/u;

function lineStart(text: string, line: number): number {
  let at = 0;
  for (let left = line; left > 0; left--) at = text.indexOf('\n', at) + 1;
  return at;
}
