import { canonicalJson } from '../../../base/common/canonicalJson';
import type { DiffTexts } from '../chatPorts';
import type { ApprovalView } from '../chatView';

/**
 * Returns a text that is the same in two windows if they show the same approval with the same whole `diffs`. What changes
 * while it waits, such as the remaining time, is left out. Undefined if the approval cannot be compared.
 */
export function shownApproval(view: ApprovalView, diffs: readonly (DiffTexts | undefined)[]): string | undefined {
  const request = { ...view, entryId: undefined, expiresInMs: undefined, state: undefined };
  return canonicalJson({ request, diffs: diffs.map((diff) => diff ?? null) });
}
