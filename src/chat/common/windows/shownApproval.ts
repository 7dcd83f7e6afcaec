import { canonicalJson } from '../../../base/common/canonicalJson';
import type { ApprovalView } from '../chatView';

/**
 * Returns a text that is the same in two windows if they show the same approval. What changes while it waits, such as the
 * remaining time, is left out. Undefined if the approval cannot be compared.
 */
export function shownApproval(view: ApprovalView): string | undefined {
  return canonicalJson({ ...view, entryId: undefined, expiresInMs: undefined, state: undefined });
}
