import type { DraftAttachment } from '../../common/chatView';

/** A kind of mention that restricts the search. For example, `@file:main` finds only files. */
export interface MentionKind {
  readonly kind: DraftAttachment['kind'];
  readonly prefix: string;
  readonly title: string;
}

const mentionKinds: readonly MentionKind[] = [
  { kind: 'file', prefix: 'file', title: 'Files' },
  { kind: 'folder', prefix: 'folder', title: 'Folders' },
  { kind: 'selection', prefix: 'selection', title: 'Selection' },
  { kind: 'problems', prefix: 'problems', title: 'Problems' },
  { kind: 'editors', prefix: 'editors', title: 'Open editors' },
  { kind: 'git', prefix: 'git', title: 'Git changes' },
  { kind: 'context', prefix: 'context', title: 'Context items' },
];

export interface MentionQuery {
  readonly kind: MentionKind | undefined;
  readonly query: string;
}

export function parseMentionQuery(typed: string): MentionQuery {
  const at = typed.indexOf(':');
  const kind = at < 0 ? undefined : mentionKinds.find(({ prefix }) => prefix === typed.slice(0, at).toLowerCase());
  return kind ? { kind, query: typed.slice(at + 1) } : { kind: undefined, query: typed };
}

export function matchingMentionKinds(typed: string): readonly MentionKind[] {
  const wanted = typed.toLowerCase();
  return mentionKinds.filter(({ prefix }) => prefix.startsWith(wanted));
}
