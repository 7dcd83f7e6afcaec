import type { Position, Range } from '../../editor/common/editorPort';

/**
 * What language servers know, by VS Code. Whatever it gives has not been checked: the tools keep to themselves what agents
 * may not see. All methods take the absolute path of a file that agents may see, and a 0-based position in its text.
 *
 * A method rejects with `LateAnswerError` when there is no answer in time, with the signal's reason when that fires, and with
 * the error of a language server that fails.
 */
export interface LanguagePort {
  definitions(kind: DefinitionKind, at: FilePosition, signal: AbortSignal): Promise<readonly Place[]>;
  references(at: FilePosition, signal: AbortSignal): Promise<readonly Place[]>;
  implementations(at: FilePosition, signal: AbortSignal): Promise<readonly Place[]>;
  /** Markdown, or plain text. */
  hovers(at: FilePosition, signal: AbortSignal): Promise<readonly string[]>;
  /** In the order of the text. */
  outline(path: string, signal: AbortSignal): Promise<readonly OutlineSymbol[]>;
  workspaceSymbols(query: string, signal: AbortSignal): Promise<readonly FoundSymbol[]>;
  callable(at: FilePosition, signal: AbortSignal): Promise<readonly CallItem[]>;
  /** `item` is one that `callable` or `calls` gave. */
  calls(direction: CallDirection, item: CallItem, signal: AbortSignal): Promise<readonly Call[]>;
}

export type DefinitionKind = 'definition' | 'type' | 'declaration';
export type CallDirection = 'incoming' | 'outgoing';

export interface FilePosition {
  readonly path: string;
  readonly position: Position;
}

export interface Place {
  /** Absolute; undefined for what is no file of this machine. */
  readonly path: string | undefined;
  /** Of the name, where that is known. */
  readonly range: Range;
  /** Of all that is defined there. */
  readonly full?: Range;
}

export interface OutlineSymbol {
  readonly name: string;
  /** For example `function`. */
  readonly kind: string;
  readonly detail: string;
  readonly range: Range;
  readonly nameRange: Range;
  readonly children: readonly OutlineSymbol[];
}

export interface FoundSymbol extends Place {
  readonly name: string;
  readonly kind: string;
  /** Empty when it is in none. */
  readonly container: string;
}

export interface CallItem extends Place {
  readonly name: string;
  readonly kind: string;
}

export interface Call {
  readonly item: CallItem;
  /** Where it calls: in the caller's file. */
  readonly ranges: readonly Range[];
}

/** Somebody who was asked has not answered in time. */
export class LateAnswerError extends Error {
  override readonly name = 'LateAnswerError';
}
