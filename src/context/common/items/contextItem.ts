/** A 0-based position. `character` counts UTF-16 units, as in VS Code. */
export interface ItemPosition {
  readonly line: number;
  readonly character: number;
}

export interface ItemRange {
  readonly start: ItemPosition;
  /** The exclusive end of the range. */
  readonly end: ItemPosition;
}

interface ItemHover {
  /**
   * Markdown, which is preferred where it can be rendered. It is untrusted: render it without HTML and command links.
   */
  readonly markdown?: string;
  readonly text?: string;
}

/** An item as returned by a provider. Sizes and types are validated, the range is not. */
export interface ProvidedItem {
  readonly title: string;
  /** A link with the scheme `http`, `https`, `mailto` or `file`. */
  readonly url?: string;
  readonly hover?: ItemHover;
  readonly aiContent?: string;
  /** Whether the item should open `url` rather than show its hover. */
  readonly prefersLink?: boolean;
  /** Without a range, the item is about the whole file. */
  readonly range?: ItemRange;
}

export interface ProviderRef {
  readonly id: string;
  /** Display name. */
  readonly title: string;
}

/** An item whose range, if any, lies within its document. */
export interface ContextItem extends ProvidedItem {
  readonly provider: ProviderRef;
}
