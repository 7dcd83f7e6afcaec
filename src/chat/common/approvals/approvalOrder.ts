import type { ApprovalView } from '../chatView';

type PendingApproval = Pick<ApprovalView, 'id' | 'asks' | 'expiresInMs'>;

/**
 * Sorts pending approvals: those with a deadline come first, sorted by deadline. The others are sorted by agent and
 * then by the order of requests.
 */
export function orderApprovals<Open extends PendingApproval>(approvals: readonly Open[]): Open[] {
  const agents = [...new Set(approvals.map(({ asks }) => asks))];
  return approvals.toSorted((one, other) => {
    const [first, second] = [one.expiresInMs, other.expiresInMs];
    if (first !== undefined && second !== undefined) return first - second;
    if (first !== undefined || second !== undefined) return first === undefined ? 1 : -1;
    return agents.indexOf(one.asks) - agents.indexOf(other.asks);
  });
}

/** Returns the approval to show: the current one while pending, or one with a deadline, or of the same agent. */
export function approvalToShow<Open extends PendingApproval>(
  ordered: readonly Open[],
  inView: Pick<PendingApproval, 'id' | 'asks'> | undefined,
): Open | undefined {
  return (
    ordered.find(({ id }) => id === inView?.id) ??
    ordered.find(({ expiresInMs }) => expiresInMs !== undefined) ??
    ordered.find(({ asks }) => asks === inView?.asks) ??
    ordered[0]
  );
}
