import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { BackendState } from '../../../session/common/sessionBackend';
import type { Activity, ConversationView } from '../chatView';
import type { LiveConversation } from '../windows/liveConversation';
import type { TurnStep } from '../transcript/turnStep';
import type { TurnPhase } from './turnPhase';

export interface ActivityFacts {
  readonly status: ConversationView['status'];
  readonly phase: TurnPhase['kind'];
  readonly backend: BackendState | undefined;
  /** Whether the agent works without a prompt of this window. */
  readonly isActing: boolean;
  readonly isAskingToSave: boolean;
  readonly isSavingCheckpoint: boolean;
  readonly pendingApprovals: number;
  /** What the agent is doing in its turn, as far as its events tell. */
  readonly step: TurnStep | undefined;
  /** The backend's own description of what it does. */
  readonly statusText: string | undefined;
  /** When the turn began, in milliseconds since the epoch. */
  readonly turnStartedAt: number | undefined;
}

/**
 * Returns what a conversation is doing. What the user must do comes first, then what is known best. Undefined if nothing
 * is going on, or if a banner already says it.
 */
export function activityOf(facts: ActivityFacts): Activity | undefined {
  switch (facts.status) {
    case 'starting':
      return facts.isAskingToSave ? { kind: 'askingToSave' } : startOf(facts);
    case 'stopping':
      return { kind: 'stopping' };
    case 'idle':
      return facts.isActing ? workOf(facts) : undefined;
    case 'busy':
      return workOf(facts);
    case 'reconnecting':
    case 'readonly':
    case 'signIn':
    case 'failed':
      return undefined;
  }
}

/** Returns the state for lists and marks. Undefined if nothing is going on, so that the stored state applies. */
export function activeRowState(
  { activity, status }: Pick<ConversationView, 'activity' | 'status'>,
  pendingApprovals: number,
): LiveConversation['state'] | undefined {
  if (status === 'signIn' || activity?.kind === 'waiting' || activity?.kind === 'askingToSave') return 'waiting';
  // The connection may come back with the same approvals.
  if (status === 'reconnecting') return pendingApprovals > 0 ? 'waiting' : 'busy';
  return activity ? 'busy' : undefined;
}

function workOf({ pendingApprovals, statusText: title, step, turnStartedAt: since }: ActivityFacts): Activity {
  if (pendingApprovals > 0) return { kind: 'waiting', count: pendingApprovals };
  return step ? withoutUndefined(step) : { kind: 'working', ...withoutUndefined({ title, since }) };
}

function startOf({ backend, isSavingCheckpoint, phase, turnStartedAt: since }: ActivityFacts): Activity {
  if (backend?.kind === 'starting') return { kind: 'starting', title: backend.message, ...withoutUndefined({ since }) };
  if (isSavingCheckpoint) return { kind: 'savingCheckpoint', ...withoutUndefined({ since }) };
  return { kind: phase === 'connecting' ? 'connecting' : 'working', ...withoutUndefined({ since }) };
}
