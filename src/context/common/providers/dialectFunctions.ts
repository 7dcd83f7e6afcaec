import type { ProviderAbilities } from './contextProvider';
import type { Dialect } from './contextSchema';

// Without zod, because the program of the workers uses it.

/** The dialect of a JavaScript provider, determined by its functions. Undefined if it has none of them. */
export function dialectOfFunctions(has: (name: string) => boolean): Dialect | undefined {
  if (has('meta')) return 'C';
  if (!has('capabilities')) return undefined;
  return has('annotations') || has('mentions') ? 'B' : 'A';
}

/** The abilities of a JavaScript provider, by its functions. In dialect A, `items` is about documents. */
export function abilitiesOfFunctions(dialect: Dialect, has: (name: string) => boolean): ProviderAbilities {
  if (dialect === 'A') return { annotations: true, mentions: false, items: false };
  return { annotations: has('annotations'), mentions: has('mentions'), items: has('items') };
}

export function handshakeMethod(dialect: Dialect): 'capabilities' | 'meta' {
  return dialect === 'C' ? 'meta' : 'capabilities';
}

/** The name of the method that returns the items of a document. In B and C, `items` returns the items of a mention. */
export function itemsMethod(dialect: Dialect): 'items' | 'annotations' {
  return dialect === 'A' ? 'items' : 'annotations';
}
