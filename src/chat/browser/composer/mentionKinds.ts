import type { DraftAttachment } from '../../common/chatView';

/** A kind of mention; `@file:main` searches only files. */
export interface MentionKind {
  readonly kind: DraftAttachment['kind'];
  readonly word: string;
  readonly title: string;
}

const kinds: readonly MentionKind[] = [
  { kind: 'file', word: 'file', title: 'Files' },
  { kind: 'folder', word: 'folder', title: 'Folders' },
  { kind: 'selection', word: 'selection', title: 'Selection' },
  { kind: 'problems', word: 'problems', title: 'Problems' },
  { kind: 'editors', word: 'editors', title: 'Open editors' },
  { kind: 'git', word: 'git', title: 'Git changes' },
  { kind: 'context', word: 'context', title: 'Context items' },
];

export interface Wanted {
  readonly kind: MentionKind | undefined;
  readonly query: string;
}

/** Parses the text after `@`. */
export function wantedOf(typed: string): Wanted {
  const at = typed.indexOf(':');
  const kind = at < 0 ? undefined : kinds.find(({ word }) => word === typed.slice(0, at).toLowerCase());
  return kind ? { kind, query: typed.slice(at + 1) } : { kind: undefined, query: typed };
}

/** Returns the kinds whose word starts with the text. */
export function kindsFor(typed: string): readonly MentionKind[] {
  const wanted = typed.toLowerCase();
  return kinds.filter(({ word }) => word.startsWith(wanted));
}
