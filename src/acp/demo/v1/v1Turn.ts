import { basename } from 'node:path';
import type { AgentContext, ClientCapabilities, SessionUpdate, TerminalHandle } from '@agentclientprotocol/sdk';
import { messageOf } from '../../../base/common/errors';
import { ClientFiles } from './clientFiles';
import { addToHistory, type PlanStep } from '../session/history';
import type { Prompt } from '../answer/prompt';
import { demoPaces, type DemoSession } from '../session/sessions';
import { DemoToolCall, sendUpdate, textContent } from './toolCall';
import {
  sleep,
  TurnCancelled,
  unlessCancelled,
  type CommandOutcome,
  type EditOutcome,
  type ProposedEdit,
  type EditorQuestion,
  type ToolAnswer,
  type Turn,
} from '../answer/turn';

interface V1TurnDeps {
  readonly client: AgentContext;
  readonly session: DemoSession;
  readonly capabilities: ClientCapabilities;
  readonly prompt: Prompt;
  readonly signal: AbortSignal;
}

const outputByteLimit = 256 * 1024;

/** A turn of an ACP v1 session. Reports progress by session/update, and the client carries out its actions. */
export class V1Turn implements Turn {
  readonly prompt: Prompt;
  readonly signal: AbortSignal;
  private readonly files: ClientFiles;

  constructor(private readonly options: V1TurnDeps) {
    this.prompt = options.prompt;
    this.signal = options.signal;
    this.files = new ClientFiles(options.client, options.session, options.capabilities.fs);
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
    const pieces = text.split(this.paceMs > 0 ? /(?<=\s)(?=\S)/ : /(?<=\n)/);
    for (const piece of pieces) {
      if (this.paceMs > 0) await this.sleep(this.paceMs);
      await this.sendUpdate({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: piece } });
      addToHistory(this.options.session.history, { type: 'agent', text: piece });
    }
  }

  async think(text: string): Promise<void> {
    await this.sendUpdate({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } });
    addToHistory(this.options.session.history, { type: 'thought', text });
  }

  async plan(entries: readonly PlanStep[]): Promise<void> {
    await this.sendUpdate({ sessionUpdate: 'plan', entries: entries.map((entry) => ({ ...entry })) });
    addToHistory(this.options.session.history, { type: 'plan', entries: entries.map((entry) => ({ ...entry })) });
  }

  async readFile(path: string): Promise<string> {
    const call = this.createToolCall({ title: `Read ${basename(path)}`, kind: 'read', path, rawInput: { path } });
    return await this.trackCall(call, async () => {
      const text = await this.untilCancelled(this.files.read(path));
      const found = `${text.split('\n').length} lines`;
      await call.end('completed', { found }, [{ type: 'text', text: found }]);
      return text;
    });
  }

  async proposeEdit({ title, path, oldText, newText, line }: ProposedEdit): Promise<EditOutcome> {
    const diff = { type: 'diff' as const, path, oldText, newText };
    const call = this.createToolCall({ title, kind: 'edit', path, line, rawInput: { path, title }, content: [diff] });
    return await this.trackCall(call, async () => {
      if (!(await this.mayEdit(call))) {
        await call.end('failed', { error: 'The user rejected the edit' }, [diff]);
        return { kind: 'rejected' };
      }
      await call.reportProgress();
      const reason = await this.writeIfUnchanged(path, oldText, newText);
      if (reason === undefined) {
        await call.end('completed', { written: path }, [diff]);
        return { kind: 'written' };
      }
      await call.fail(reason);
      return { kind: 'failed', reason };
    });
  }

  async runCommand([command, ...args]: readonly [string, ...string[]]): Promise<CommandOutcome> {
    const { client, session, capabilities } = this.options;
    if (capabilities.terminal !== true) return { kind: 'unsupported' };
    const { cwd } = session;
    const title = [command, ...args].join(' ');
    const call = this.createToolCall({ title, kind: 'execute', rawInput: { command, args, cwd } });
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

  async askEditor({ input, kind, title, tool }: EditorQuestion): Promise<ToolAnswer> {
    const { editorTools } = this.options.session;
    if (!editorTools) return { kind: 'unsupported' };
    const call = this.createToolCall({ title, kind, rawInput: { tool, ...input } });
    return await this.trackCall(call, async () => {
      const answer = await this.untilCancelled(editorTools.call(tool, input, this.signal));
      if (answer.kind === 'failed') await call.fail(answer.reason);
      if (answer.kind === 'answered') {
        const content = [{ type: 'text' as const, text: answer.text }];
        await call.end('completed', undefined, content, [textContent(answer.text)]);
      }
      return answer;
    });
  }

  async sleep(ms: number): Promise<void> {
    await sleep(ms, this.signal);
  }

  private async waitForTerminal(call: DemoToolCall, terminal: TerminalHandle): Promise<CommandOutcome> {
    await call.reportProgress([{ type: 'terminal', terminalId: terminal.id }]);
    const exit = await this.untilCancelled(terminal.waitForExit());
    const { output } = await this.untilCancelled(terminal.currentOutput());
    const exitCode = exit.exitCode ?? undefined;
    const signal = exit.signal ?? undefined;
    // The client shows the live terminal. The history stores only its text.
    await call.end(exitCode === 0 ? 'completed' : 'failed', { exitCode, signal }, [{ type: 'text', text: output }]);
    return { kind: 'exited', exitCode, signal };
  }

  /** Whether the edit is allowed by the mode, an earlier lasting answer or the user. */
  private async mayEdit(call: DemoToolCall): Promise<boolean> {
    const { client, session } = this.options;
    if (session.editRule !== 'ask') return session.editRule === 'allow';
    if (session.mode === 'auto-edit') return true;
    const request = client.request('session/request_permission', {
      sessionId: session.id,
      toolCall: call.description,
      options: [
        { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
        { optionId: 'allow-always', name: 'Allow All', kind: 'allow_always' },
        { optionId: 'reject', name: 'Deny', kind: 'reject_once' },
        { optionId: 'reject-always', name: 'Deny All', kind: 'reject_always' },
      ],
    });
    const { outcome } = await this.untilCancelled(request);
    if (outcome.outcome === 'cancelled') return false;
    if (outcome.optionId === 'allow-always') session.editRule = 'allow';
    if (outcome.optionId === 'reject-always') session.editRule = 'reject';
    return outcome.optionId === 'allow' || outcome.optionId === 'allow-always';
  }

  /** Writes only if the file still has the text that the user saw. Returns the reason if it was not written. */
  private async writeIfUnchanged(path: string, oldText: string, newText: string): Promise<string | undefined> {
    try {
      if ((await this.untilCancelled(this.files.read(path))) !== oldText)
        return 'The file has changed in the meantime. Send your prompt again.';
      await this.untilCancelled(this.files.write(path, newText));
      return undefined;
    } catch (error) {
      if (error instanceof TurnCancelled) throw error;
      return messageOf(error);
    }
  }

  private createToolCall(about: ConstructorParameters<typeof DemoToolCall>[2]): DemoToolCall {
    return new DemoToolCall(this.options.client, this.options.session, about);
  }

  private async trackCall<T>(call: DemoToolCall, work: () => Promise<T>): Promise<T> {
    if (this.signal.aborted) throw new TurnCancelled();
    await call.start();
    try {
      return await work();
    } catch (error) {
      await call.fail(error instanceof TurnCancelled ? 'Cancelled' : messageOf(error));
      throw error;
    }
  }

  private untilCancelled<T>(work: Promise<T>): Promise<T> {
    return unlessCancelled(this.signal, work);
  }

  private async sendUpdate(update: SessionUpdate): Promise<void> {
    if (this.signal.aborted) throw new TurnCancelled();
    await sendUpdate(this.options.client, this.options.session, update);
  }
}

/**
 * Releases a terminal, which also ends a running command. Ignores errors, because the client releases its terminals
 * when the session ends.
 */
async function releaseTerminal(terminal: TerminalHandle): Promise<void> {
  await terminal.release().catch(() => undefined);
}
