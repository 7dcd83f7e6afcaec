import { AmplifierApiError } from '../../common/apiErrors';
import type { SessionStatus } from '../../common/apiSchema';
import { defaultApprovalTimeoutSeconds } from '../../common/approvalGate';
import { BackendError } from '../../common/sessionBackend';
import type { TurnReconciler } from '../../common/turnReconciler';
import type { AmplifierClient } from './amplifierClient';

const goneCodes: ReadonlySet<string> = new Set(['NO_PENDING_APPROVAL', 'APPROVAL_TIMEOUT']);
const minRebuiltSeconds = 20;

/**
 * Sends the answer to one request and tells the session's account of it.
 * @throws BackendError `approvalResolved` when it was answered elsewhere or its time is up, and others as the server says
 */
export async function answerApproval(
  client: AmplifierClient,
  sessionId: string,
  reconciler: TurnReconciler,
  approvalId: string,
  option: string,
): Promise<void> {
  try {
    if (!reconciler.isDenial(approvalId, option)) await ensureStillWaiting(client, sessionId, reconciler, approvalId);
    await client.approve(sessionId, { decision: option });
    reconciler.approvalAnswered(approvalId, option);
  } catch (error) {
    if (!(error instanceof AmplifierApiError)) throw error;
    if (error.httpStatus !== 409 && !goneCodes.has(error.code)) throw error.toBackendError();
    reconciler.approvalExpired(approvalId, 'answered_elsewhere');
    const message = 'This was answered already, or its time is up.';
    throw new BackendError('approvalResolved', message, error.code, { cause: error });
  }
}

/** The API answers whatever waits now: an allowance must not go to another request than the user saw. */
async function ensureStillWaiting(
  client: AmplifierClient,
  sessionId: string,
  reconciler: TurnReconciler,
  approvalId: string,
): Promise<void> {
  const { status, pending_approval: pending } = await client.getSession(sessionId);
  if (pending ? reconciler.isSameApproval(approvalId, pending) : status === 'awaiting_approval') return;
  throw new AmplifierApiError('NO_PENDING_APPROVAL', 'Another request waits now', 400);
}

/** The status does not say when a request began; it cannot be later than the session's last activity. */
export function secondsLeft({ last_activity }: SessionStatus, nowMs: number): number {
  const sinceMs = nowMs - Date.parse(last_activity ?? '');
  const goneSeconds = sinceMs > 0 ? sinceMs / 1000 : 0;
  return Math.max(minRebuiltSeconds, defaultApprovalTimeoutSeconds - goneSeconds);
}
