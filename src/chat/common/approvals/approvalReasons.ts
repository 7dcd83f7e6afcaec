/** Identifies an approval. Ids are unique only within one session, and a restarted agent reuses them. */
interface ApprovalKey {
  readonly sessionId: string;
  readonly id: string;
  readonly prompt: string;
}

/** The user's reason for denying an approval. It may be incomplete while the user types. */
export interface ApprovalReason extends ApprovalKey {
  readonly reason: string;
  /** Whether the reason was already sent. It is shown until the approval disappears. */
  readonly isSent?: boolean | undefined;
}

/** Maximum number of stored reasons. The oldest are dropped. */
const maxReasons = 20;

export function reasonFor(reasons: readonly ApprovalReason[], approval: ApprovalKey): string | undefined {
  return reasons.find((each) => isSame(each, approval))?.reason;
}

/** Sets or removes the reason for an approval. */
export function withReason(
  reasons: readonly ApprovalReason[],
  { id, prompt, sessionId }: ApprovalKey,
  reason: string | undefined,
): readonly ApprovalReason[] {
  const others = reasons.filter((each) => each.sessionId !== sessionId || each.id !== id);
  return reason === undefined ? others : [...others, { sessionId, id, prompt, reason }].slice(-maxReasons);
}

/** Marks the reason for an approval as sent. */
export function markReasonSent(reasons: readonly ApprovalReason[], approval: ApprovalKey): readonly ApprovalReason[] {
  return reasons.map((each) => (isSame(each, approval) ? { ...each, isSent: true } : each));
}

/** Removes reasons for approvals of this conversation that are no longer pending. */
export function withoutResolvedReasons(
  reasons: readonly ApprovalReason[],
  sessionId: string,
  pending: readonly Omit<ApprovalKey, 'sessionId'>[],
): readonly ApprovalReason[] {
  const remaining = reasons.filter(
    (each) => each.sessionId !== sessionId || pending.some(({ id, prompt }) => isSame(each, { sessionId, id, prompt })),
  );
  return remaining.length === reasons.length ? reasons : remaining;
}

function isSame(one: ApprovalKey, other: ApprovalKey): boolean {
  return one.sessionId === other.sessionId && one.id === other.id && one.prompt === other.prompt;
}
