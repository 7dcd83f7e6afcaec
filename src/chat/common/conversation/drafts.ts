import type { Draft, DraftAttachment } from '../chatView';

export const emptyDraft: Draft = { text: '', attachments: [] };

export function isEmptyDraft({ attachments, text }: Draft): boolean {
  return text.trim() === '' && attachments.length === 0;
}

export function isSameDraft(one: Draft, other: Draft): boolean {
  return one.text === other.text && one.attachments.length === other.attachments.length && hasAttachments(one, other);
}

/** Appends the second draft to the first, without duplicate attachments. */
export function joinDrafts(first: Draft, second: Draft): Draft {
  return {
    text: joinTexts(first.text, second.text),
    attachments: addAttachments(first.attachments, second.attachments),
  };
}

/** Places `added` in `draft` behind the lines of `after` if the draft begins with them, else before everything. */
export function insertDraft(draft: Draft, added: Draft, after = ''): Draft {
  const head = after.trimEnd();
  const rest = draft.text.slice(head.length);
  if (head === '' || !draft.text.startsWith(head) || !/^(\n|$)/.test(rest)) return joinDrafts(added, draft);
  const text = joinTexts(joinTexts(head, added.text), rest.slice(1));
  return { text, attachments: addAttachments(draft.attachments, added.attachments) };
}

export function addAttachments(
  there: readonly DraftAttachment[],
  added: readonly DraftAttachment[],
): DraftAttachment[] {
  // Comments are sent once: those that are attached later take the place of those that were attached before.
  const isReplaced = ({ kind }: DraftAttachment): boolean =>
    kind === 'comments' && added.some((attachment) => attachment.kind === kind);
  const kept = there.filter((attachment) => !isReplaced(attachment));
  const ids = new Set(kept.map(({ id }) => id));
  return [...kept, ...added.filter(({ id }) => !ids.has(id))];
}

export function withoutImageData(attachment: DraftAttachment): DraftAttachment {
  const named = { ...attachment };
  delete named.image;
  return named;
}

function joinTexts(first: string, second: string): string {
  if (first.trim() === '') return second;
  return second === '' ? first : `${first.trimEnd()}\n${second}`;
}

function hasAttachments({ attachments }: Draft, wanted: Draft): boolean {
  const ids = new Set(attachments.map(({ id }) => id));
  return wanted.attachments.every(({ id }) => ids.has(id));
}
