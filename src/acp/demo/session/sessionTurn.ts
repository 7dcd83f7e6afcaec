import { basename } from 'node:path';
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
import { addToHistory, type PlanStep } from './history';
import { demoSpeeds, type DemoSession } from './sessions';
import type { SessionToolCall, ToolCallStart } from './sessionToolCall';

export const allowOnce = { optionId: 'allow', name: 'Allow', kind: 'allow_once' } as const;
export const rejectOnce = { optionId: 'reject', name: 'Deny', kind: 'reject_once' } as const;

/** The answers to the approval of an edit. */
export const editOptions = [
  allowOnce,
  { optionId: 'allow-always', name: 'Allow All', kind: 'allow_always' } as const,
  rejectOnce,
  { optionId: 'reject-always', name: 'Deny All', kind: 'reject_always' } as const,
];

/** A turn of an ACP session. Each version has its own messages, and its own way to files and terminals. */
export abstract class SessionTurn<Content, Call extends SessionToolCall<Content>> implements Turn {
  constructor(
    protected readonly session: DemoSession,
    readonly prompt: Prompt,
    readonly signal: AbortSignal,
  ) {}

  get cwd(): string {
    return this.session.cwd;
  }

  get isVerbose(): boolean {
    return this.session.isVerbose;
  }

  get paceMs(): number {
    return demoSpeeds.find(({ value }) => value === this.session.pace)?.wordMs ?? 0;
  }

  async say(text: string): Promise<void> {
    const pieces = text.split(this.paceMs > 0 ? /(?<=\s)(?=\S)/ : /(?<=\n)/);
    for (const piece of pieces) {
      if (this.paceMs > 0) await this.sleep(this.paceMs);
      await this.sendText(piece);
      addToHistory(this.session.history, { type: 'agent', text: piece });
    }
  }

  async think(text: string): Promise<void> {
    await this.sendThought(text);
    addToHistory(this.session.history, { type: 'thought', text });
  }

  async plan(steps: readonly PlanStep[]): Promise<void> {
    const entries = steps.map((entry) => ({ ...entry }));
    await this.sendPlan(entries);
    addToHistory(this.session.history, { type: 'plan', entries });
  }

  async readFile(path: string): Promise<string> {
    const call = this.createCall({ title: `Read ${basename(path)}`, kind: 'read', path, rawInput: { path } });
    return await this.trackCall(call, async () => {
      const text = await this.untilCancelled(this.readText(path));
      const found = `${text.split('\n').length} lines`;
      await call.end('completed', { found }, [{ type: 'text', text: found }]);
      return text;
    });
  }

  async proposeEdit({ title, path, oldText, newText, line }: ProposedEdit): Promise<EditOutcome> {
    const content = [this.diffContent(path, oldText, newText)];
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

  abstract runCommand(argv: readonly [string, ...string[]]): Promise<CommandOutcome>;

  async askEditor({ input, kind, title, tool }: EditorQuestion): Promise<ToolAnswer> {
    const { editorTools } = this.session;
    if (!editorTools) return { kind: 'unsupported' };
    const call = this.createCall({ title, kind, rawInput: { tool, ...input } });
    return await this.trackCall(call, async () => {
      const answer = await this.untilCancelled(editorTools.call(tool, input, this.signal));
      if (answer.kind === 'failed') await call.fail(answer.reason);
      if (answer.kind === 'answered') await call.endWithText(answer.text);
      return answer;
    });
  }

  async sleep(ms: number): Promise<void> {
    await sleep(ms, this.signal);
  }

  protected abstract sendText(text: string): Promise<void>;
  protected abstract sendThought(text: string): Promise<void>;
  protected abstract sendPlan(entries: PlanStep[]): Promise<void>;
  protected abstract createCall(about: ToolCallStart<Content>): Call;
  protected abstract diffContent(path: string, oldText: string, newText: string): Content;
  /** Asks with `editOptions`. Resolves to the id of the chosen one; undefined if the request was cancelled. */
  protected abstract askToEdit(call: Call, title: string): Promise<string | undefined>;
  protected abstract readText(path: string): Promise<string>;
  protected abstract writeText(path: string, text: string): Promise<void>;

  protected async trackCall<T>(call: Call, work: () => Promise<T>): Promise<T> {
    this.checkRunning();
    await call.start();
    try {
      return await work();
    } catch (error) {
      if (error instanceof TurnCancelled) await call.cancel();
      else await call.fail(messageOf(error));
      throw error;
    }
  }

  protected untilCancelled<T>(work: Promise<T>): Promise<T> {
    return unlessCancelled(this.signal, work);
  }

  /** @throws TurnCancelled */
  protected checkRunning(): void {
    if (this.signal.aborted) throw new TurnCancelled();
  }

  /** Whether the mode, an earlier lasting answer or the user allows the edit. */
  private async mayEdit(call: Call, title: string): Promise<boolean> {
    const { session } = this;
    if (session.editRule !== 'ask') return session.editRule === 'allow';
    if (session.mode === 'auto-edit') return true;
    const chosen = await this.askToEdit(call, title);
    if (chosen === 'allow-always') session.editRule = 'allow';
    if (chosen === 'reject-always') session.editRule = 'reject';
    return chosen === 'allow' || chosen === 'allow-always';
  }

  /** Writes only if the file still has the text that the user saw. Returns the reason if it was not written. */
  private async writeIfUnchanged(path: string, oldText: string, newText: string): Promise<string | undefined> {
    try {
      if ((await this.untilCancelled(this.readText(path))) !== oldText)
        return 'The file has changed in the meantime. Send your prompt again.';
      await this.untilCancelled(this.writeText(path, newText));
      return undefined;
    } catch (error) {
      if (error instanceof TurnCancelled) throw error;
      return messageOf(error);
    }
  }
}
