/** What providers say of a file, whichever dialect they said it in. */

/** 0-based; `character` counts UTF-16 units, as VS Code does. */
export interface ItemPosition {
  readonly line: number;
  readonly character: number;
}

export interface ItemRange {
  readonly start: ItemPosition;
  /** Exclusive. */
  readonly end: ItemPosition;
}

interface ItemHover {
  /** Preferred where it can be rendered. Untrusted: to be shown without html and command links. */
  readonly markdown?: string;
  readonly text?: string;
}

/** An item as its provider gave it: sizes and types are checked, the range is not yet. */
export interface ProvidedItem {
  readonly title: string;
  /** `http`, `https`, `mailto` or `file`. */
  readonly url?: string;
  readonly hover?: ItemHover;
  readonly aiContent?: string;
  /** Opening `url` says more than the hover does. */
  readonly prefersLink?: boolean;
  /** Where the item is; without it the item is about the whole file. */
  readonly range?: ItemRange;
}

export interface ProviderRef {
  readonly id: string;
  /** How users know it. */
  readonly title: string;
}

/** An item whose range, if it has one, is inside of the document it was asked for. */
export interface ContextItem extends ProvidedItem {
  readonly provider: ProviderRef;
}
