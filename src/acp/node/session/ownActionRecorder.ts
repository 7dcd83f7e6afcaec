import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { ToolCallRecord, ToolCallResult } from '../../../session/common/toolCaller';
import { formatCommand } from '../../../base/common/visibleText';
import { relativeDisplayPath } from '../../common/approvals/toolRequests';
import type { SessionEventMapper } from '../../common/session/sessionEventMapper';
import type { TerminalState } from '../../common/session/terminalStates';

interface OwnActionRecorderDeps {
  readonly mapper: SessionEventMapper;
  readonly emit: (events: readonly SessionEvent[]) => void;
  /** Absolute path of the session's folder. */
  readonly cwd: string;
}

/** Records what Backline does for the agent of one session, so that the user sees it even if the agent says nothing. */
export class OwnActionRecorder {
  private readonly actionIdByTerminal = new Map<string, string>();

  constructor(private readonly deps: OwnActionRecorderDeps) {}

  /** It is shown with its first output, because most agents report the command right after it was started. */
  startCommand(terminalId: string, { argv, cwd }: { readonly argv: readonly string[]; readonly cwd: string }): void {
    const id = this.deps.mapper.addOwnAction({
      kind: 'execute',
      title: formatCommand(argv),
      input: { command: argv.length === 1 ? argv[0] : argv, cwd },
      subject: { type: 'command', terminalId, command: argv.join(' ') },
      status: 'in_progress',
    });
    this.actionIdByTerminal.set(terminalId, id);
  }

  updateCommand(terminalId: string, { exit }: TerminalState): void {
    const { emit, mapper } = this.deps;
    const id = this.actionIdByTerminal.get(terminalId);
    if (!exit || id === undefined) {
      emit(mapper.mapUnreportedActions());
      return;
    }
    this.actionIdByTerminal.delete(terminalId);
    emit(mapper.endOwnAction(id, { status: exit.code === 0 ? 'completed' : 'failed' }));
  }

  recordWrite(path: string): void {
    const { cwd, emit, mapper } = this.deps;
    mapper.addOwnAction({
      kind: 'edit',
      title: `Write ${relativeDisplayPath(path, cwd)}`,
      input: { path },
      subject: { type: 'write', path },
      status: 'completed',
    });
    emit(mapper.mapUnreportedActions());
  }

  startToolCall({ input, server, title, tool }: ToolCallRecord): (result: ToolCallResult) => void {
    const { emit, mapper } = this.deps;
    const subject = { type: 'tool', server, tool } as const;
    const id = mapper.addOwnAction({ kind: 'other', title, input, subject, status: 'in_progress' });
    emit(mapper.mapUnreportedActions());
    return ({ isError, text }) =>
      emit(mapper.endOwnAction(id, { status: isError ? 'failed' : 'completed', output: text }));
  }
}
