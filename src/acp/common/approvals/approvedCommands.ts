import { canonicalJson } from '../../../base/common/canonicalJson';
import { hasKnownEffects } from '../../../permissions/common/policy/policyMembers';
import type { ToolRequest } from '../../../permissions/common/requests/toolRequest';

/**
 * The commands of tool calls that the user has allowed in the current turn, each for one start. Some agents, such as Droid, ask about a
 * call and then have Backline start its command, about which the user would be asked again. `turn` is the signal of the turn: a
 * new turn begins without any.
 */
export class ApprovedCommands {
  private turn: AbortSignal | undefined;
  private approved: { readonly callId: string | undefined; readonly key: string }[] = [];

  /** Call when the user has allowed a tool call once everything in it was shown. */
  add(turn: AbortSignal | undefined, callId: string | undefined, request: ToolRequest): void {
    const key = isOnlyCommand(request) ? keyOf(request) : undefined;
    if (turn === undefined || key === undefined) return;
    if (this.turn !== turn) this.approved = [];
    this.turn = turn;
    this.approved.push({ callId, key });
  }

  /** Whether the user has allowed exactly this command. Call once for each start, also if something else allows it. */
  take(turn: AbortSignal | undefined, request: ToolRequest): boolean {
    if (turn === undefined || turn.aborted || turn !== this.turn) return false;
    const key = keyOf(request);
    const at = this.approved.findIndex((one) => one.key === key);
    if (at !== -1) this.approved.splice(at, 1);
    return at !== -1;
  }

  /** Call when the agent's process is replaced: the new one was allowed nothing. */
  clear(): void {
    this.approved = [];
  }

  /** Call when calls have ended or are no longer what the user has allowed. */
  withdraw(isOver: (callId: string) => boolean): void {
    this.approved = this.approved.filter(({ callId }) => callId === undefined || !isOver(callId));
  }
}

/** Whether the call is nothing but its command. Other members could say that it runs elsewhere, or with restrictions. */
function isOnlyCommand(request: ToolRequest): boolean {
  return hasKnownEffects(request) && request.paths.every((path) => path === request.command?.cwd);
}

/**
 * What a command does: the line or the program with its arguments, the folder and the variables. A line is run by a shell in any case.
 * Undefined if the request has no command or it is unclear.
 */
function keyOf({ command, env, isUnresolved, kind }: ToolRequest): string | undefined {
  if (!command || isUnresolved || kind !== 'execute') return undefined;
  const { argv, cwd, isProgram = false } = command;
  return canonicalJson({ argv, cwd, env, isProgram });
}
