import { Coalescer, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { ToolCallRecord, ToolCallResult } from '../../../session/common/toolCaller';
import { formatCommand } from '../../../base/common/text/visibleText';
import { maxReportWaitMs } from '../../common/actions/ownActions';
import { relativeDisplayPath } from '../../common/approvals/toolRequests';
import type { SessionEventMapper } from '../../common/session/sessionEventMapper';
import type { TerminalState } from '../../common/session/terminalStates';

interface OwnActionRecorderDeps {
  readonly clock: Clock;
  readonly mapper: SessionEventMapper;
  readonly emit: (events: readonly SessionEvent[]) => void;
  /** Absolute path of the session's folder. */
  readonly cwd: string;
}

/** Records what Backline does for the agent of one session, so that the user sees it even if the agent says nothing. */
export class OwnActionRecorder implements Disposable {
  private readonly actionIdByTerminal = new Map<string, string>();
  /** Shows what no call has turned out to be about. */
  private readonly delayedShow: Coalescer;

  constructor(private readonly deps: OwnActionRecorderDeps) {
    this.delayedShow = new Coalescer(deps.clock, maxReportWaitMs, () => this.showUnreported());
  }

  dispose(): void {
    this.delayedShow.dispose();
  }

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
    // What the agent has said about a terminal of this id, or says before the first output, is not true.
    this.deps.mapper.setClientTerminal(terminalId, { output: '', truncated: false });
    this.delayedShow.schedule();
  }

  updateCommand(terminalId: string, { exit }: TerminalState): void {
    const { emit, mapper } = this.deps;
    const id = this.actionIdByTerminal.get(terminalId);
    if (!exit || id === undefined) {
      this.showUnreported();
      return;
    }
    this.actionIdByTerminal.delete(terminalId);
    emit(mapper.endOwnAction(id, { status: exit.code === 0 ? 'completed' : 'failed' }));
  }

  recordWrite(path: string): void {
    const { cwd, mapper } = this.deps;
    mapper.addOwnAction({
      kind: 'edit',
      title: `Write ${relativeDisplayPath(path, cwd)}`,
      input: { path },
      subject: { type: 'write', path },
      status: 'completed',
    });
    this.showUnreported();
  }

  startToolCall({ input, server, title, tool }: ToolCallRecord): (result: ToolCallResult) => void {
    const { emit, mapper } = this.deps;
    const subject = { type: 'tool', server, tool } as const;
    const id = mapper.addOwnAction({ kind: 'other', title, input, subject, status: 'in_progress' });
    this.showUnreported();
    return ({ isError, text }) =>
      emit(mapper.endOwnAction(id, { status: isError ? 'failed' : 'completed', output: text }));
  }

  private showUnreported(): void {
    const { emit, mapper } = this.deps;
    emit(mapper.mapUnreportedActions());
    if (mapper.hasUnreportedActions) this.delayedShow.schedule();
  }
}
