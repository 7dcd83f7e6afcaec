import { BoundedMap } from '../../../base/common/boundedMap';
import type { TerminalStates } from '../session/terminalStates';
import type { ToolCallState } from './toolCallState';

/** What ends when the user stops a call, by the ids of this session's events. */
export type StopTarget =
  | { readonly kind: 'call'; readonly callId: string }
  /** A terminal of the agent. */
  | { readonly kind: 'terminal'; readonly terminalId: string }
  /** A terminal that Backline runs. */
  | { readonly kind: 'ownTerminal'; readonly terminalId: string };

const maxTerminals = 256;

/** Knows which calls of a session a user can stop: what the agent has said that it can stop, and what Backline itself runs. */
export class StoppableParts {
  /** Terminals of the agent that it says it can stop. */
  private readonly agentTerminals = new BoundedMap<string, true>({ maxEntries: maxTerminals });

  constructor(private readonly terminals: Pick<TerminalStates, 'get' | 'isOwn'>) {}

  setAgentTerminal(terminalId: string, canCancel: boolean): void {
    if (canCancel) this.agentTerminals.set(terminalId, true);
    else this.agentTerminals.delete(terminalId);
  }

  /** Undefined if the call cannot be stopped. */
  targetOf(call: ToolCallState): StopTarget | undefined {
    if (call.hasEnded) return undefined;
    if (call.canCancel) return { kind: 'call', callId: call.id };
    for (const item of call.content) {
      if (item.type !== 'terminal') continue;
      const { terminalId } = item;
      if (this.terminals.get(terminalId).exit) continue;
      if (this.terminals.isOwn(terminalId)) return { kind: 'ownTerminal', terminalId };
      if (this.agentTerminals.has(terminalId)) return { kind: 'terminal', terminalId };
    }
    return undefined;
  }
}
