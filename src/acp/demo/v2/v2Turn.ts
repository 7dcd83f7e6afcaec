import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  RequestPermissionOutcome,
  type AgentContext,
  type RequestPermissionRequest,
  type SessionUpdate,
  type ToolCallContent,
} from '@agentclientprotocol/sdk/experimental/v2';
import type { Prompt } from '../answer/prompt';
import type { CommandOutcome } from '../answer/turn';
import { readTextInside, writeTextInside } from '../diskFiles';
import type { PlanStep } from '../session/history';
import type { DemoSession } from '../session/sessions';
import { allowOnce, rejectOnce, SessionTurn, type PermissionQuestion } from '../session/sessionTurn';
import type { ToolCallStart } from '../session/sessionToolCall';
import { diffContent, sendSessionUpdate, V2ToolCall } from './v2ToolCall';

interface V2TurnDeps {
  readonly client: AgentContext;
  readonly session: DemoSession;
  readonly prompt: Prompt;
  readonly signal: AbortSignal;
}

const maxOutputBytes = 256 * 1024;
/** A turn of an ACP v2 session. The agent accesses files and runs commands itself, on its own machine. */
export class V2Turn extends SessionTurn<ToolCallContent, V2ToolCall> {
  private messageId = randomUUID();

  constructor(private readonly deps: V2TurnDeps) {
    super(deps.session, deps.prompt, deps.signal);
  }

  /** Runs a command in a terminal of the agent, after the user has allowed it. */
  async runCommand(argv: readonly [string, ...string[]]): Promise<CommandOutcome> {
    const { cwd } = this;
    const command = argv.join(' ');
    const terminalId = randomUUID();
    const content = [{ type: 'terminal' as const, terminalId }];
    const call = this.createCall({ title: command, kind: 'execute', rawInput: { command: argv, cwd }, content });
    return await this.trackCall(call, async () => {
      const subject = { type: 'command' as const, command, cwd, toolCallId: call.id, terminalId };
      const chosen = await this.ask({ title: `Run ${command}`, subject, options: [allowOnce, rejectOnce] });
      if (chosen !== 'allow') {
        await call.fail('The user rejected the command.');
        return { kind: 'failed', reason: 'you denied it.' };
      }
      await call.reportProgress();
      await this.sendUpdate({ sessionUpdate: 'terminal_update', terminalId, command, cwd });
      const { exitCode, signal, output, error } = await this.spawnInTerminal(argv, terminalId);
      await this.sendUpdate({ sessionUpdate: 'terminal_update', terminalId, exitStatus: { exitCode, signal } });
      if (error !== undefined) {
        await call.fail(error);
        return { kind: 'failed', reason: error };
      }
      await call.end(exitCode === 0 ? 'completed' : 'failed', { exitCode, signal }, [{ type: 'text', text: output }]);
      return { kind: 'exited', exitCode: exitCode ?? undefined, signal: signal ?? undefined };
    });
  }

  protected async sendText(text: string): Promise<void> {
    const { messageId } = this;
    await this.sendUpdate({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } });
  }

  protected async sendThought(text: string): Promise<void> {
    const content = [{ type: 'text' as const, text }];
    await this.sendUpdate({ sessionUpdate: 'agent_thought', messageId: randomUUID(), content });
  }

  protected async sendPlan(entries: PlanStep[]): Promise<void> {
    await this.sendUpdate({ sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'demo', entries } });
  }

  protected createCall(about: ToolCallStart<ToolCallContent>): V2ToolCall {
    const { client, session } = this.deps;
    // Text after the call belongs to another message.
    this.messageId = randomUUID();
    return new V2ToolCall(session, about, (update) => sendSessionUpdate(client, session, update));
  }

  protected diffContent(path: string, oldText: string | null, newText: string): ToolCallContent {
    return diffContent(path, oldText, newText);
  }

  protected async askPermission(
    call: V2ToolCall,
    { title, options, command }: PermissionQuestion,
  ): Promise<string | undefined> {
    const subject =
      command === undefined
        ? { type: 'tool_call' as const, toolCall: call.startUpdate }
        : { type: 'command' as const, command, cwd: this.cwd, toolCallId: call.id };
    return await this.ask({ title, subject, options: [...options] });
  }

  protected async readText(path: string): Promise<string> {
    return await readTextInside(this.folders, path);
  }

  protected async writeText(path: string, text: string): Promise<void> {
    await writeTextInside(this.folders, path, text);
  }

  /** Resolves when the program has ended. A cancelled turn kills it. @throws TurnCancelled */
  private async spawnInTerminal([program, ...args]: readonly [string, ...string[]], terminalId: string) {
    const child = spawn(program, args, { cwd: this.cwd, stdio: ['ignore', 'pipe', 'pipe'], signal: this.signal });
    let output = Buffer.alloc(0);
    let sending = Promise.resolve();
    for (const pipe of [child.stdout, child.stderr]) {
      pipe.on('data', (chunk: Buffer) => {
        output = Buffer.concat([output, chunk]).subarray(-maxOutputBytes);
        const update = { sessionUpdate: 'terminal_output_chunk' as const, terminalId, data: chunk.toString('base64') };
        sending = sending.then(() => this.sendUpdate(update)).catch(() => undefined);
      });
    }
    const ended = new Promise<{ exitCode: number | null; signal: string | null; error?: string }>((resolve) => {
      child.on('error', (error) => resolve({ exitCode: null, signal: null, error: error.message }));
      child.on('close', (exitCode, signal) => resolve({ exitCode, signal }));
    });
    const exit = await ended;
    await sending;
    this.throwIfCancelled();
    return { ...exit, output: output.toString('utf8') };
  }

  /** Returns the chosen option; undefined if the request was cancelled. @throws TurnCancelled */
  private async ask(request: Omit<RequestPermissionRequest, 'sessionId'>): Promise<string | undefined> {
    const { client, session } = this.deps;
    const sessionUpdate = 'state_update' as const;
    await this.sendUpdate({ sessionUpdate, state: 'requires_action' });
    const answer = client.request(
      'session/request_permission',
      { sessionId: session.id, ...request },
      { cancellationSignal: this.signal },
    );
    const { outcome } = await this.untilCancelled(answer);
    await this.sendUpdate({ sessionUpdate, state: 'running' });
    return RequestPermissionOutcome.isSelected(outcome) ? outcome.optionId : undefined;
  }

  private async sendUpdate(update: SessionUpdate): Promise<void> {
    this.throwIfCancelled();
    await sendSessionUpdate(this.deps.client, this.session, update);
  }
}
