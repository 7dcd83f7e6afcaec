import type {
  ToolCaller,
  ToolCallRecord,
  ToolCallResult,
  ToolChange,
  ToolCommand,
  ToolPermissionResult,
} from '../../src/session/common/toolCaller';

/** A caller that answers as the test says, and tells what it was asked and what it recorded. */
export class FakeToolCaller implements ToolCaller {
  private readonly lifetime = new AbortController();
  private turn = new AbortController();
  readonly changes: ToolChange[] = [];
  readonly commands: ToolCommand[] = [];
  /** Paths of successful writes. */
  readonly written: string[] = [];
  readonly recorded: (ToolCallRecord & ToolCallResult)[] = [];
  /** What the user answers, after doing something else meanwhile. */
  answer: (signal: AbortSignal) => Promise<ToolPermissionResult> = () => Promise.resolve({ isGranted: true });

  get endSignal(): AbortSignal {
    return this.lifetime.signal;
  }

  get stopSignal(): AbortSignal {
    return this.turn.signal;
  }

  /** Stops the turn. */
  stop(): void {
    this.turn.abort();
    this.turn = new AbortController();
  }

  end(): void {
    this.lifetime.abort();
  }

  async mayChangeFiles(change: ToolChange, signal: AbortSignal): Promise<ToolPermissionResult> {
    this.changes.push(change);
    return await this.answer(signal);
  }

  async mayRun(command: ToolCommand, signal: AbortSignal): Promise<ToolPermissionResult> {
    this.commands.push(command);
    return await this.answer(signal);
  }

  async recordWrites<T>(paths: readonly string[], write: () => Promise<T>): Promise<T> {
    const result = await write();
    this.written.push(...paths);
    return result;
  }

  recordCall(call: ToolCallRecord): (result: ToolCallResult) => void {
    return (result) => this.recorded.push({ ...call, ...result });
  }
}
