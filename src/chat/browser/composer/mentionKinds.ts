import type { DraftAttachment } from '../../common/chatView';

/** What `@` finds can be narrowed to one kind by its word and a colon: `@file:main`. */
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

/** What the text behind `@` asks for. */
export function wantedOf(typed: string): Wanted {
  const at = typed.indexOf(':');
  const kind = at < 0 ? undefined : kinds.find(({ word }) => word === typed.slice(0, at).toLowerCase());
  return kind ? { kind, query: typed.slice(at + 1) } : { kind: undefined, query: typed };
}

/** The kinds that could be meant by what is typed: all by nothing. */
export function kindsFor(typed: string): readonly MentionKind[] {
  const wanted = typed.toLowerCase();
  return kinds.filter(({ word }) => word.startsWith(wanted));
}
