import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import {
  RequestPermissionOutcome,
  type AgentContext,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/experimental/v2';
import { messageOf } from '../../../base/common/errors';
import type { Prompt } from '../answer/prompt';
import {
  sleep,
  TurnCancelled,
  unlessCancelled,
  type CommandOutcome,
  type EditOutcome,
  type EditorQuestion,
  type ProposedEdit,
  type ToolAnswer,
  type Turn,
} from '../answer/turn';
import { readTextInside, writeTextInside } from '../diskFiles';
import { addToHistory, type PlanStep } from '../session/history';
import { demoPaces, type DemoSession } from '../session/sessions';
import { diffContent, sendUpdate, textContent, V2ToolCall } from './v2ToolCall';

interface V2TurnDeps {
  readonly client: AgentContext;
  readonly session: DemoSession;
  readonly prompt: Prompt;
  readonly signal: AbortSignal;
}

const maxOutputBytes = 256 * 1024;
const allow = { optionId: 'allow', name: 'Allow', kind: 'allow_once' } as const;
const reject = { optionId: 'reject', name: 'Deny', kind: 'reject_once' } as const;

/** A turn of an ACP v2 session. Files and commands are the agent's own: it works on the disk of its machine. */
export class V2Turn implements Turn {
  readonly prompt: Prompt;
  readonly signal: AbortSignal;
  private messageId = randomUUID();

  constructor(private readonly options: V2TurnDeps) {
    this.prompt = options.prompt;
    this.signal = options.signal;
  }

  get cwd(): string {
    return this.options.session.cwd;
  }

  get isVerbose(): boolean {
    return this.options.session.isVerbose;
  }

  get paceMs(): number {
    return demoPaces.find(({ value }) => value === this.options.session.pace)?.wordMs ?? 0;
  }

  async say(text: string): Promise<void> {
    const { messageId } = this;
    for (const piece of text.split(this.paceMs > 0 ? /(?<=\s)(?=\S)/ : /(?<=\n)/)) {
      if (this.paceMs > 0) await this.sleep(this.paceMs);
      const content = { type: 'text' as const, text: piece };
      await this.tell({ sessionUpdate: 'agent_message_chunk', messageId, content });
      addToHistory(this.options.session.history, { type: 'agent', text: piece });
    }
  }

  async think(text: string): Promise<void> {
    const content = [{ type: 'text' as const, text }];
    await this.tell({ sessionUpdate: 'agent_thought', messageId: randomUUID(), content });
    addToHistory(this.options.session.history, { type: 'thought', text });
  }

  async plan(steps: readonly PlanStep[]): Promise<void> {
    const entries = steps.map((entry) => ({ ...entry }));
    await this.tell({ sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'demo', entries } });
    addToHistory(this.options.session.history, { type: 'plan', entries });
  }

  async readFile(path: string): Promise<string> {
    const call = this.createCall({ title: `Read ${basename(path)}`, kind: 'read', path, rawInput: { path } });
    return await this.trackCall(call, async () => {
      const text = await this.readDisk(path);
      const found = `${text.split('\n').length} lines`;
      await call.end('completed', { found }, [{ type: 'text', text: found }]);
      return text;
    });
  }

  async proposeEdit({ title, path, oldText, newText, line }: ProposedEdit): Promise<EditOutcome> {
    const content = [diffContent(path, oldText, newText)];
    const call = this.createCall({ title, kind: 'edit', path, line, rawInput: { path, title }, content });
    const stored = [{ type: 'diff' as const, path, oldText, newText }];
    return await this.trackCall(call, async () => {
      if (!(await this.mayEdit(call, title))) {
        await call.end('failed', { error: 'The user rejected the edit' }, stored);
        return { kind: 'rejected' };
      }
      await call.reportProgress();
      const reason = await this.writeIfUnchanged(path, oldText, newText);
      if (reason === undefined) {
        await call.end('completed', { written: path }, stored);
        return { kind: 'written' };
      }
      await call.fail(reason);
      return { kind: 'failed', reason };
    });
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
      const chosen = await this.ask({ title: `Run ${command}`, subject, options: [allow, reject] });
      if (chosen !== 'allow') {
        await call.fail('The user rejected the command.');
        return { kind: 'failed', reason: 'you said no.' };
      }
      await call.reportProgress();
      await this.tell({ sessionUpdate: 'terminal_update', terminalId, command, cwd });
      const { exitCode, signal, output, error } = await this.spawnInTerminal(argv, terminalId);
      await this.tell({ sessionUpdate: 'terminal_update', terminalId, exitStatus: { exitCode, signal } });
      if (error !== undefined) {
        await call.fail(error);
        return { kind: 'failed', reason: error };
      }
      await call.end(exitCode === 0 ? 'completed' : 'failed', { exitCode, signal }, [{ type: 'text', text: output }]);
      return { kind: 'exited', exitCode: exitCode ?? undefined, signal: signal ?? undefined };
    });
  }

  async askEditor({ input, kind, title, tool }: EditorQuestion): Promise<ToolAnswer> {
    const { editorTools } = this.options.session;
    if (!editorTools) return { kind: 'unsupported' };
    const call = this.createCall({ title, kind, rawInput: { tool, ...input } });
    return await this.trackCall(call, async () => {
      const answer = await this.untilCancelled(editorTools.call(tool, input, this.signal));
      if (answer.kind === 'failed') await call.fail(answer.reason);
      if (answer.kind === 'answered') {
        await call.reportProgress([textContent(answer.text)]);
        await call.end('completed', undefined, [{ type: 'text', text: answer.text }]);
      }
      return answer;
    });
  }

  async sleep(ms: number): Promise<void> {
    await sleep(ms, this.signal);
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
        sending = sending.then(() => this.tell(update)).catch(() => undefined);
      });
    }
    const ended = new Promise<{ exitCode: number | null; signal: string | null; error?: string }>((resolve) => {
      child.on('error', (error) => resolve({ exitCode: null, signal: null, error: error.message }));
      child.on('close', (exitCode, signal) => resolve({ exitCode, signal }));
    });
    const exit = await ended;
    await sending;
    if (this.signal.aborted) throw new TurnCancelled();
    return { ...exit, output: output.toString('utf8') };
  }

  /** Whether the mode, an earlier lasting answer or the user allows the edit. */
  private async mayEdit(call: V2ToolCall, title: string): Promise<boolean> {
    const { session } = this.options;
    if (session.editRule !== 'ask') return session.editRule === 'allow';
    if (session.mode === 'auto-edit') return true;
    const options = [
      allow,
      { optionId: 'allow-always', name: 'Allow All', kind: 'allow_always' } as const,
      reject,
      { optionId: 'reject-always', name: 'Deny All', kind: 'reject_always' } as const,
    ];
    const chosen = await this.ask({ title, subject: { type: 'tool_call', toolCall: call.description }, options });
    if (chosen === 'allow-always') session.editRule = 'allow';
    if (chosen === 'reject-always') session.editRule = 'reject';
    return chosen === 'allow' || chosen === 'allow-always';
  }

  /** Returns the chosen option; undefined if the request was cancelled. @throws TurnCancelled */
  private async ask(request: Omit<RequestPermissionRequest, 'sessionId'>): Promise<string | undefined> {
    const { client, session } = this.options;
    const sessionUpdate = 'state_update' as const;
    await this.tell({ sessionUpdate, state: 'requires_action' });
    const answer = client.request(
      'session/request_permission',
      { sessionId: session.id, ...request },
      { cancellationSignal: this.signal },
    );
    const { outcome } = await this.untilCancelled(answer);
    await this.tell({ sessionUpdate, state: 'running' });
    return RequestPermissionOutcome.isSelected(outcome) ? outcome.optionId : undefined;
  }

  private async readDisk(path: string): Promise<string> {
    return await this.untilCancelled(readTextInside(this.folders, path));
  }

  /** Writes only if the file still has the text that the user saw. Returns the reason of a failure. */
  private async writeIfUnchanged(path: string, oldText: string, newText: string): Promise<string | undefined> {
    try {
      if ((await this.readDisk(path)) !== oldText) return 'The file has changed meanwhile. Ask me again.';
      await this.untilCancelled(writeTextInside(this.folders, path, newText));
      return undefined;
    } catch (error) {
      if (error instanceof TurnCancelled) throw error;
      return messageOf(error);
    }
  }

  private get folders(): readonly string[] {
    const { additionalDirectories, cwd } = this.options.session;
    return [cwd, ...additionalDirectories];
  }

  private createCall(about: ConstructorParameters<typeof V2ToolCall>[2]): V2ToolCall {
    return new V2ToolCall(this.options.client, this.options.session, about);
  }

  private async trackCall<T>(call: V2ToolCall, work: () => Promise<T>): Promise<T> {
    if (this.signal.aborted) throw new TurnCancelled();
    await call.start();
    // What is said after the call is another message.
    this.messageId = randomUUID();
    try {
      return await work();
    } catch (error) {
      if (error instanceof TurnCancelled) await call.fail('Cancelled', 'cancelled');
      else await call.fail(messageOf(error));
      throw error;
    }
  }

  private untilCancelled<T>(work: Promise<T>): Promise<T> {
    return unlessCancelled(this.signal, work);
  }

  private async tell(update: SessionUpdate): Promise<void> {
    if (this.signal.aborted) throw new TurnCancelled();
    await sendUpdate(this.options.client, this.options.session, update);
  }
}
