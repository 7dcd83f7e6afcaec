import type {
  AgentContext,
  ClientCapabilities,
  RequestPermissionRequest,
  TerminalHandle,
  ToolCallContent,
} from '@agentclientprotocol/sdk';
import { messageOf } from '../../../base/common/errors';
import type { Prompt } from '../answer/prompt';
import { TurnCancelled, type CommandOutcome } from '../answer/turn';
import type { PlanStep } from '../session/history';
import type { DemoSession } from '../session/sessions';
import { SessionTurn, type PermissionQuestion } from '../session/sessionTurn';
import type { ToolCallStart } from '../session/sessionToolCall';
import { ClientFiles } from './clientFiles';
import { sendSessionUpdate, V1ToolCall } from './v1ToolCall';

interface V1TurnDeps {
  readonly client: AgentContext;
  readonly session: DemoSession;
  readonly clientCapabilities: ClientCapabilities;
  readonly prompt: Prompt;
  readonly signal: AbortSignal;
}

const outputByteLimit = 256 * 1024;

/**
 * A turn of an ACP v1 session. Reports progress in `session/update`. The client reads and writes files and runs
 * commands.
 */
export class V1Turn extends SessionTurn<ToolCallContent, V1ToolCall> {
  private readonly files: ClientFiles;

  constructor(private readonly deps: V1TurnDeps) {
    super(deps.session, deps.prompt, deps.signal);
    this.files = new ClientFiles(deps.client, deps.session, deps.clientCapabilities.fs);
  }

  async runCommand([command, ...args]: readonly [string, ...string[]]): Promise<CommandOutcome> {
    const { client, session, clientCapabilities } = this.deps;
    if (clientCapabilities.terminal !== true) return { kind: 'unsupported' };
    const { cwd } = session;
    const title = [command, ...args].join(' ');
    const call = this.createCall({ title, kind: 'execute', rawInput: { command, args, cwd } });
    return await this.trackCall(call, async () => {
      const created = client.createTerminal({ sessionId: session.id, command, args, cwd, outputByteLimit });
      let terminal: TerminalHandle;
      try {
        terminal = await this.untilCancelled(created);
      } catch (error) {
        if (error instanceof TurnCancelled) {
          // If the terminal is created after the turn was stopped, it must still be released.
          void created.then(releaseTerminal, () => undefined);
          throw error;
        }
        await call.fail(messageOf(error));
        return { kind: 'failed', reason: messageOf(error) };
      }
      try {
        return await this.waitForTerminal(call, terminal);
      } finally {
        void releaseTerminal(terminal);
      }
    });
  }

  protected async sendText(text: string): Promise<void> {
    await this.sendUpdate({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  }

  protected async sendThought(text: string): Promise<void> {
    await this.sendUpdate({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } });
  }

  protected async sendPlan(entries: PlanStep[]): Promise<void> {
    await this.sendUpdate({ sessionUpdate: 'plan', entries });
  }

  protected createCall(about: ToolCallStart<ToolCallContent>): V1ToolCall {
    const { client, session } = this.deps;
    return new V1ToolCall(session, about, (update) => sendSessionUpdate(client, session, update));
  }

  protected diffContent(path: string, oldText: string | null, newText: string): ToolCallContent {
    return { type: 'diff', path, oldText, newText };
  }

  protected async askPermission(call: V1ToolCall, { options }: PermissionQuestion): Promise<string | undefined> {
    const { client, session } = this.deps;
    const { id: sessionId } = session;
    const params: RequestPermissionRequest = {
      sessionId,
      toolCall: call.startUpdate,
      options: [...options],
    };
    const { outcome } = await this.untilCancelled(client.request('session/request_permission', params));
    return outcome.outcome === 'cancelled' ? undefined : outcome.optionId;
  }

  protected async readText(path: string): Promise<string> {
    return await this.files.read(path);
  }

  protected async writeText(path: string, text: string): Promise<void> {
    await this.files.write(path, text);
  }

  private async waitForTerminal(call: V1ToolCall, terminal: TerminalHandle): Promise<CommandOutcome> {
    await call.reportProgress([{ type: 'terminal', terminalId: terminal.id }]);
    const exit = await this.untilCancelled(terminal.waitForExit());
    const { output } = await this.untilCancelled(terminal.currentOutput());
    const exitCode = exit.exitCode ?? undefined;
    const signal = exit.signal ?? undefined;
    // The client shows the live terminal. The history stores only its text.
    await call.end(exitCode === 0 ? 'completed' : 'failed', { exitCode, signal }, [{ type: 'text', text: output }]);
    return { kind: 'exited', exitCode, signal };
  }

  private async sendUpdate(update: Parameters<typeof sendSessionUpdate>[2]): Promise<void> {
    this.throwIfCancelled();
    await sendSessionUpdate(this.deps.client, this.session, update);
  }
}

/**
 * Releases a terminal, which also ends its command. Ignores errors: the client releases all terminals when the session
 * ends.
 */
async function releaseTerminal(terminal: TerminalHandle): Promise<void> {
  await terminal.release().catch(() => undefined);
}
