import type { Position, Range } from '../../editor/common/editorPort';

/**
 * Queries to VS Code's language servers. Results may include files that agents must not see: the tools filter them.
 * Methods take the absolute path of a visible file and a 0-based position. They reject with `LanguageServerTimeoutError` on a
 * time-out, with the signal's reason, or with the language server's error.
 */
export interface LanguagePort {
  definitions(kind: DefinitionKind, at: FilePosition, signal: AbortSignal): Promise<readonly Place[]>;
  references(at: FilePosition, signal: AbortSignal): Promise<readonly Place[]>;
  implementations(at: FilePosition, signal: AbortSignal): Promise<readonly Place[]>;
  hovers(at: FilePosition, signal: AbortSignal): Promise<readonly string[]>;
  /** Returns the symbols of a file, in text order. */
  outline(path: string, signal: AbortSignal): Promise<readonly OutlineSymbol[]>;
  workspaceSymbols(query: string, signal: AbortSignal): Promise<readonly FoundSymbol[]>;
  callItemsAt(at: FilePosition, signal: AbortSignal): Promise<readonly HierarchyItem[]>;
  /** Returns the calls of an item, which must be a result of `callItemsAt` or `callsOf`. */
  callsOf(direction: CallDirection, item: HierarchyItem, signal: AbortSignal): Promise<readonly HierarchyCall[]>;
}

/** Maximum number of places, hovers or symbols in an answer. A longer answer is cut. */
export const maxPlaces = 200_000;

export type DefinitionKind = 'definition' | 'type' | 'declaration';
export type CallDirection = 'incoming' | 'outgoing';

export interface FilePosition {
  readonly path: string;
  readonly position: Position;
}

export interface Place {
  /** Absolute path; undefined if it is not a local file. */
  readonly path: string | undefined;
  /** Range of the name, if known. */
  readonly range: Range;
  /** Range of the whole definition. */
  readonly fullRange?: Range;
}

export interface OutlineSymbol {
  readonly name: string;
  /** The kind of the symbol, for example `function`. */
  readonly kind: string;
  readonly detail: string;
  readonly range: Range;
  readonly nameRange: Range;
  readonly children: readonly OutlineSymbol[];
}

export interface FoundSymbol extends Place {
  readonly name: string;
  readonly kind: string;
  /** Name of the containing symbol; empty if there is none. */
  readonly container: string;
}

export interface HierarchyItem extends Place {
  readonly name: string;
  readonly kind: string;
}

export interface HierarchyCall {
  readonly item: HierarchyItem;
  /** Ranges of the calls in the caller's file. */
  readonly callRanges: readonly Range[];
}

/** A language server did not answer in time. */
export class LanguageServerTimeoutError extends Error {
  override readonly name = 'LanguageServerTimeoutError';
}
