import type { SessionStatus } from '../../common/apiSchema';
import type { TurnReconciler } from '../../common/turnReconciler';
import type { SessionApprovals } from './sessionApprovals';
import { sessionMessages } from './sessionMessages';

/** Makes good what the stream did not tell. The result is why the session is over, when it is. */
export function applyStatus(
  status: SessionStatus,
  reconciler: TurnReconciler,
  approvals: SessionApprovals,
): string | undefined {
  const { pending_approval: pending } = status;
  switch (status.status) {
    case 'idle':
      approvals.clear();
      reconciler.approvalsGone();
      return undefined;
    case 'processing':
      approvals.clear();
      reconciler.approvalsGone();
      reconciler.adoptTurn();
      return undefined;
    case 'awaiting_approval':
      reconciler.adoptTurn();
      // What cannot be read says nothing about what is shown.
      if (pending === undefined || pending === 'unreadable' || !pending.options?.length) approvals.unclear();
      else approvals.rebuild(pending, status);
      return undefined;
    case 'error':
      if (reconciler.isTurnOpen) {
        reconciler.fail(sessionMessages.failed);
      }
      return 'error';
    case 'stopped':
      return 'stopped';
  }
}
