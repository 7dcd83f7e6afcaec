import type { PartCapabilities } from '../session/agentMessages';
import type { SessionEventMapper } from '../session/sessionEventMapper';
import type { TerminalState } from '../session/terminalStates';

interface AgentTerminal {
  /** Keeps the beginning of a character whose end is in the next chunk. */
  decoder: InstanceType<typeof TextDecoder>;
  view: TerminalState;
}

interface TerminalPatch {
  readonly terminalId: string;
  readonly output?: { readonly data: string } | null | undefined;
  readonly capabilities?: PartCapabilities | undefined;
  readonly exitStatus?:
    { readonly exitCode?: number | null | undefined; readonly signal?: string | null | undefined } | null | undefined;
}

const maxTerminals = 64;
/** Maximum length of the output kept for each terminal, in UTF-16 units. */
const maxOutputLength = 128 * 1024;

/** The terminals that an agent runs itself. Their output arrives as bytes, and a chunk can end within a character. */
export class V2Terminals {
  private readonly terminalById = new Map<string, AgentTerminal>();

  constructor(private readonly mapper: SessionEventMapper) {}

  update({ capabilities, terminalId, output, exitStatus }: TerminalPatch): void {
    const terminal = this.terminalOf(terminalId);
    if (output !== undefined) {
      terminal.decoder = new TextDecoder();
      terminal.view = { ...terminal.view, output: '', truncated: false };
      if (output) this.addOutput(terminal, output.data);
    }
    if (exitStatus !== undefined) {
      const { output: shown, truncated } = terminal.view;
      const exit = exitStatus && { code: exitStatus.exitCode ?? null, signal: exitStatus.signal ?? null };
      terminal.view = { output: shown, truncated, ...(exit ? { exit } : {}) };
    }
    this.mapper.setAgentTerminal(terminalId, terminal.view, capabilities?.cancel);
  }

  append(terminalId: string, data: string): void {
    const terminal = this.terminalOf(terminalId);
    this.addOutput(terminal, data);
    this.mapper.setAgentTerminal(terminalId, terminal.view);
  }

  private addOutput(terminal: AgentTerminal, data: string): void {
    const { view, decoder } = terminal;
    const output = view.output + decoder.decode(bytesOf(data), { stream: true });
    const excess = output.length - maxOutputLength;
    terminal.view = excess > 0 ? { ...view, output: output.slice(excess), truncated: true } : { ...view, output };
  }

  private terminalOf(id: string): AgentTerminal {
    const known = this.terminalById.get(id);
    if (known) return known;
    const terminal = { decoder: new TextDecoder(), view: { output: '', truncated: false } };
    this.terminalById.set(id, terminal);
    const [oldest] = this.terminalById.keys();
    if (this.terminalById.size > maxTerminals && oldest !== undefined) this.terminalById.delete(oldest);
    return terminal;
  }
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
