import { canonicalJson } from '../../../base/common/canonicalJson';
import type { ToolRequest } from '../../../permissions/common/requests/toolRequest';

/**
 * The commands of tool calls that the user has allowed in the current turn, each for one start. Some agents, such as Droid, ask about a
 * call and then have Backline start its command, about which the user would be asked again. `turn` is the signal of the turn: a
 * new turn begins without any.
 */
export class ApprovedCommands {
  private turn: AbortSignal | undefined;
  private keys: string[] = [];

  /** Call when the user has allowed a tool call once everything in it was shown. */
  add(turn: AbortSignal | undefined, request: ToolRequest): void {
    const key = keyOf(request);
    if (turn === undefined || key === undefined) return;
    if (this.turn !== turn) this.keys = [];
    this.turn = turn;
    this.keys.push(key);
  }

  /** Whether the user has allowed exactly this command, which may then be started once. */
  take(turn: AbortSignal | undefined, request: ToolRequest): boolean {
    const key = keyOf(request);
    const at =
      turn === undefined || turn.aborted || turn !== this.turn || key === undefined ? -1 : this.keys.indexOf(key);
    if (at === -1) return false;
    this.keys.splice(at, 1);
    return true;
  }
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
