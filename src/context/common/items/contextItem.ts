/** A 0-based position. `character` counts UTF-16 units, as in VS Code. */
export interface ItemPosition {
  readonly line: number;
  readonly character: number;
}

export interface ItemRange {
  readonly start: ItemPosition;
  /** The end of the range, exclusive. */
  readonly end: ItemPosition;
}

interface ItemHover {
  /** Markdown, preferred where it can be rendered. Untrusted: render it without HTML and command links. */
  readonly markdown?: string;
  readonly text?: string;
}

/** An item from a provider. Its sizes and types are validated, but its range is not. */
export interface ProvidedItem {
  readonly title: string;
  /** A link with the scheme `http`, `https`, `mailto` or `file`. */
  readonly url?: string;
  readonly hover?: ItemHover;
  readonly aiContent?: string;
  /** Whether clicking the item opens `url`. Otherwise, it shows the hover. */
  readonly prefersLink?: boolean;
  /** The range. If missing, the item is about the whole file. */
  readonly range?: ItemRange;
}

export interface ProviderRef {
  readonly id: string;
  /** Display name of the provider. */
  readonly title: string;
}

/** An item. If it has a range, the range is inside its document. */
export interface ContextItem extends ProvidedItem {
  readonly provider: ProviderRef;
}
