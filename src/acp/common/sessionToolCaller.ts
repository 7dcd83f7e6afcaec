import type { ObservedWrites } from '../../editor/common/writeObserver';
import type {
  ToolCaller,
  ToolCallRecord,
  ToolCallResult,
  ToolChange,
  ToolCommand,
  ToolPermissionResult,
} from '../../session/common/toolCaller';

interface CallingSession {
  readonly permissions: Pick<ToolCaller, 'mayChangeFiles' | 'mayRun'>;
  readonly writes: ObservedWrites;
  readonly actions: { startToolCall(call: ToolCallRecord): (result: ToolCallResult) => void };
  /** Returns the signal of the current turn. */
  readonly stopSignal: () => AbortSignal | undefined;
}

/**
 * Identifies a session in its calls of the window's tools. It is created before the session, because the agent needs
 * the address of the tools to create the session.
 */
export class SessionToolCaller implements ToolCaller {
  private readonly lifetimeController = new AbortController();
  private session: CallingSession | undefined;

  get endSignal(): AbortSignal {
    return this.lifetimeController.signal;
  }

  get stopSignal(): AbortSignal | undefined {
    return this.session?.stopSignal();
  }

  attach(session: CallingSession): void {
    this.session = session;
  }

  end(): void {
    this.lifetimeController.abort();
    this.session = undefined;
  }

  async mayChangeFiles(change: ToolChange, signal: AbortSignal): Promise<ToolPermissionResult> {
    return (await this.session?.permissions.mayChangeFiles(change, signal)) ?? this.refusalWithoutSession();
  }

  async mayRun(command: ToolCommand, signal: AbortSignal): Promise<ToolPermissionResult> {
    return (await this.session?.permissions.mayRun(command, signal)) ?? this.refusalWithoutSession();
  }

  async recordWrites<T>(paths: readonly string[], write: () => Promise<T>): Promise<T> {
    if (!this.session) throw new Error('The session has ended, so nothing was changed.');
    return await this.session.writes.run(paths, write);
  }

  recordCall(call: ToolCallRecord): (result: ToolCallResult) => void {
    return this.session?.actions.startToolCall(call) ?? (() => undefined);
  }

  private refusalWithoutSession(): ToolPermissionResult {
    const reason = this.endSignal.aborted
      ? 'This session has ended. Tell the user to continue in a new one.'
      : 'This session has not started yet. Try again during a turn.';
    return { isGranted: false, reason };
  }
}
