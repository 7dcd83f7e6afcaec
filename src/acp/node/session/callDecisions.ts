import type { RequestPermissionOutcome } from '@agentclientprotocol/sdk';
import type { EditorPort } from '../../../editor/common/editorPort';
import { AllowedCalls, CallChanges } from '../../common/approvals/callChanges';
import { outcomeOfFirstOption } from '../../common/approvals/permissionChoices';
import { requestedCallOf, type RequestedCall } from '../../common/approvals/requestedCall';
import { toToolRequest } from '../../common/approvals/toolRequests';
import type { PermissionRequest } from '../../common/session/agentMessages';
import type { SessionEventMapper } from '../../common/session/sessionEventMapper';
import type { PermissionService } from './permissionService';

interface CallDecisionDeps {
  readonly agentId: string;
  readonly agentTitle: string;
  /** Absolute path of the session's folder. */
  readonly cwd: string;
  readonly editor: Pick<EditorPort, 'protectionOf' | 'realPathOf'>;
  readonly mapper: SessionEventMapper;
  readonly permissions: PermissionService;
  readonly warn: (message: string) => void;
  /** Aborted when the turn is cancelled. Undefined between turns. */
  readonly turnSignal: () => AbortSignal | undefined;
  readonly isEnded: () => boolean;
}

/** How often a request may change while it waits for its answer. */
const maxChanges = 20;

/**
 * Decides about the calls for which an agent asks, until an answer was given for the call as it is. If the agent changes
 * the call meanwhile, the approval is replaced by a new one, and rules and policy judge the call again.
 */
export class CallDecisions {
  private readonly changes: CallChanges;
  private readonly allowed: AllowedCalls;
  /** Resolves when the user was asked about all earlier requests, so that the oldest is shown first. */
  private earlier: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: CallDecisionDeps) {
    const describeCall = (callId: string) => deps.mapper.describeCall(callId);
    this.changes = new CallChanges(describeCall);
    this.allowed = new AllowedCalls(describeCall);
  }

  /** Call after each message of the agent that can change a call. */
  checkForChanges(): void {
    this.changes.check();
    const { agentTitle, mapper, permissions, warn } = this.deps;
    const changed = this.allowed.takeChanged();
    for (const { allowed, now } of changed)
      warn(`${agentTitle} has changed a tool call after it was allowed. Allowed: ${allowed}. Now: ${now}.`);
    const isOver = (id: string) =>
      changed.some((one) => one.callId === id) || mapper.describeCall(id)?.hasEnded === true;
    permissions.approvedCommands.withdraw(isOver);
  }

  /** Call at the end of a turn. */
  endTurn(): void {
    this.allowed.clear();
  }

  async decide(request: PermissionRequest, signal: AbortSignal): Promise<RequestPermissionOutcome> {
    const { agentTitle, mapper, permissions, warn } = this.deps;
    for (let count = 0; count <= maxChanges; count++) {
      const call = this.isStopped ? undefined : requestedCallOf(request, mapper);
      if (!call) return { outcome: 'cancelled' };
      const watch = this.changes.watch(call.id);
      try {
        const outcome = await this.decideOnce(request, call, AbortSignal.any([signal, watch.signal]), count > 0);
        if (watch.signal.aborted) permissions.approvedCommands.withdraw((id) => id === call.id);
        if (watch.signal.aborted && !signal.aborted && !isDenial(request, outcome)) continue;
        if (outcome.outcome === 'selected' && !isDenial(request, outcome)) this.allowed.add(call.id);
        return outcome;
      } finally {
        watch.dispose();
      }
    }
    warn(`${agentTitle} changed a request again and again, so it was denied.`);
    return outcomeOfFirstOption(request, 'reject_once');
  }

  private get isStopped(): boolean {
    return this.deps.isEnded() || this.deps.turnSignal()?.aborted === true;
  }

  private async decideOnce(request: PermissionRequest, call: RequestedCall, signal: AbortSignal, hasChanged: boolean) {
    const { agentId, cwd, editor, permissions, turnSignal } = this.deps;
    const { earlier } = this;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.earlier = promise;
    let decision: Promise<RequestPermissionOutcome>;
    try {
      const toolRequested = await toToolRequest(call, {
        agent: agentId,
        cwd,
        resolve: (path) => editor.realPathOf(path),
        protectionOf: (path) => editor.protectionOf(path),
      });
      await earlier;
      // The turn may have been cancelled in the meantime, and all requests with it.
      const turn = turnSignal();
      decision = permissions.decideToolCall(request, call, toolRequested, {
        signal: turn ? AbortSignal.any([signal, turn]) : signal,
        hasChanged,
      });
    } finally {
      resolve(undefined);
    }
    return await decision;
  }
}

function isDenial({ options }: PermissionRequest, outcome: RequestPermissionOutcome): boolean {
  if (outcome.outcome !== 'selected') return false;
  return options.some(({ kind, optionId }) => optionId === outcome.optionId && kind.startsWith('reject'));
}
