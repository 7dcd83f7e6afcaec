import { basename } from 'node:path';
import { messageOf } from '../../../base/common/errors';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { systemClock } from '../../../base/node/systemClock';
import type { Prompt } from '../answer/prompt';
import {
  sleep,
  TurnCancelled,
  unlessCancelled,
  type CommandOutcome,
  type DiskWriteOutcome,
  type EditOutcome,
  type EditorToolCall,
  type ProposedEdit,
  type ShellOutcome,
  type ToolAnswer,
  type Turn,
} from '../answer/turn';
import { fencedBlock } from '../answer/fenced';
import { createTextInside, readTextIfPresent, writeTextInside } from '../diskFiles';
import { addToHistory, type PlanStep } from './history';
import { runInOwnShell } from './ownShell';
import { demoSpeeds, type DemoSession } from './sessions';
import type { SessionToolCall, ToolCallStart } from './sessionToolCall';

export const allowOnce = { optionId: 'allow', name: 'Allow', kind: 'allow_once' } as const;
export const rejectOnce = { optionId: 'reject', name: 'Deny', kind: 'reject_once' } as const;

/** The options for the approval of an edit. */
const editOptions = [
  allowOnce,
  { optionId: 'allow-always', name: 'Allow All', kind: 'allow_always' } as const,
  rejectOnce,
  { optionId: 'reject-always', name: 'Deny All', kind: 'reject_always' } as const,
];

/** A permission request for a tool call. `command` is set if the call runs a command. */
export interface PermissionQuestion {
  readonly title: string;
  readonly options: readonly (typeof editOptions)[number][];
  readonly command?: string;
}

/** `oldText` is null if the file is new. */
interface DiskEdit extends Pick<ProposedEdit, 'title' | 'path' | 'newText'> {
  readonly oldText: string | null;
  readonly line?: number;
}

type WriteOutcome = { readonly kind: 'written' | 'rejected' } | { readonly kind: 'failed'; readonly reason: string };

interface TextFiles {
  readonly read: () => Promise<string | null>;
  readonly write: () => Promise<void>;
}

const shellTimeoutMs = 120_000;
const maxShellOutputBytes = 64 * 1024;

/**
 * A turn of an ACP session. Each version of ACP has its own messages, and accesses files and terminals in its own way.
 */
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

  get hasAddedPrompt(): boolean {
    return (this.session.addedPrompts?.length ?? 0) > 0;
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

  async proposeEdit(edit: ProposedEdit): Promise<EditOutcome> {
    const { path, newText } = edit;
    return await this.edit(edit, {
      read: () => this.readText(path),
      write: () => this.writeText(path, newText),
    });
  }

  async writeOnDisk(path: string, newText: string): Promise<DiskWriteOutcome> {
    const { folders } = this;
    const read = () => readTextIfPresent(folders, path);
    try {
      const oldText = await this.untilCancelled(read());
      if (oldText === newText) return { kind: 'unchanged' };
      const write = () =>
        oldText === null ? createTextInside(folders, path, newText) : writeTextInside(folders, path, newText);
      const title = `${oldText === null ? 'Create' : 'Write'} ${basename(path)}`;
      return await this.edit({ title, path, oldText, newText }, { read, write });
    } catch (error) {
      if (error instanceof TurnCancelled) throw error;
      return { kind: 'failed', reason: messageOf(error) };
    }
  }

  async runShell(command: string): Promise<ShellOutcome> {
    const { cwd } = this;
    const [title = ''] = command.split('\n', 1);
    const call = this.createCall({ title, kind: 'execute', rawInput: { command, cwd } });
    return await this.trackCall(call, async () => {
      const question = { title: 'Run in my own shell', command, options: [allowOnce, rejectOnce] };
      if ((await this.askPermission(call, question)) !== 'allow') {
        await call.fail('The user rejected the command.');
        return { kind: 'rejected' };
      }
      await call.reportProgress();
      const limits = { timeoutMs: shellTimeoutMs, maxOutputBytes: maxShellOutputBytes };
      const end = await runInOwnShell({ command, cwd, ...limits }, systemClock, this.signal);
      this.throwIfCancelled();
      const output = end.output === '' ? '(no output)' : fencedBlock('text', end.output);
      if (end.kind === 'timedOut') {
        await call.endWithText(output, 'failed', { error: 'The command took too long and was ended.' });
        return { kind: 'timedOut', timeoutMs: shellTimeoutMs };
      }
      const { exitCode, signal } = end;
      await call.endWithText(output, exitCode === 0 ? 'completed' : 'failed', { exitCode, signal });
      return { kind: 'exited', exitCode: exitCode ?? undefined, signal: signal ?? undefined };
    });
  }

  private async edit({ title, path, oldText, newText, line }: DiskEdit, files: TextFiles): Promise<WriteOutcome> {
    const content = [this.diffContent(path, oldText, newText)];
    const call = this.createCall({
      title,
      kind: 'edit',
      path,
      rawInput: { path, title },
      content,
      ...withoutUndefined({ line }),
    });
    const stored = [{ type: 'diff' as const, path, oldText, newText }];
    return await this.trackCall(call, async () => {
      if (!(await this.mayEdit(call, title))) {
        await call.end('failed', { error: 'The user rejected the edit' }, stored);
        return { kind: 'rejected' };
      }
      await call.reportProgress();
      const reason = await this.writeIfUnchanged(oldText, files);
      if (reason === undefined) {
        await call.end('completed', { written: path }, stored);
        return { kind: 'written' };
      }
      await call.fail(reason);
      return { kind: 'failed', reason };
    });
  }

  abstract runCommand(argv: readonly [string, ...string[]]): Promise<CommandOutcome>;

  async callEditorTool({ input, kind, title, tool }: EditorToolCall): Promise<ToolAnswer> {
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
  /** `oldText` is null if the file is new. */
  protected abstract diffContent(path: string, oldText: string | null, newText: string): Content;
  /** Resolves to the id of the chosen option; undefined if the request was cancelled. */
  protected abstract askPermission(call: Call, question: PermissionQuestion): Promise<string | undefined>;
  protected abstract readText(path: string): Promise<string>;
  protected abstract writeText(path: string, text: string): Promise<void>;

  protected async trackCall<T>(call: Call, work: () => Promise<T>): Promise<T> {
    this.throwIfCancelled();
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
  protected throwIfCancelled(): void {
    if (this.signal.aborted) throw new TurnCancelled();
  }

  protected get folders(): readonly string[] {
    return [this.session.cwd, ...this.session.additionalDirectories];
  }

  /** Whether the mode, an earlier lasting answer or the user allows the edit. */
  private async mayEdit(call: Call, title: string): Promise<boolean> {
    const { session } = this;
    if (session.editRule !== 'ask') return session.editRule === 'allow';
    if (session.mode === 'auto-edit') return true;
    const chosen = await this.askPermission(call, { title, options: editOptions });
    if (chosen === 'allow-always') session.editRule = 'allow';
    if (chosen === 'reject-always') session.editRule = 'reject';
    return chosen === 'allow' || chosen === 'allow-always';
  }

  /** Writes only if the file still has the text that the user saw. Returns the reason if it was not written. */
  private async writeIfUnchanged(oldText: string | null, { read, write }: TextFiles): Promise<string | undefined> {
    try {
      if ((await this.untilCancelled(read())) !== oldText)
        return 'The file has changed in the meantime. Send your prompt again.';
      await this.untilCancelled(write());
      return undefined;
    } catch (error) {
      if (error instanceof TurnCancelled) throw error;
      return messageOf(error);
    }
  }
}
