import type { DraftAttachment } from '../chatView';

/** Counts the comments that attachments stand for: the id names them behind the last colon, separated by commas. */
export function countAttachedComments(attachments: readonly Pick<DraftAttachment, 'id' | 'kind'>[]): number {
  return attachments
    .filter(({ kind }) => kind === 'comments')
    .reduce((sum, { id }) => sum + id.slice(id.lastIndexOf(':') + 1).split(',').length, 0);
}
