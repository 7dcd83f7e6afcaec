import { createTwoFilesPatch, OMIT_HEADERS } from 'diff';
import { fencedBlock } from '../../../../src/acp/demo/answer/fenced';
import { resolvePromptPath, type Prompt } from '../../../../src/acp/demo/answer/prompt';
import type { PlanStep } from '../../../../src/acp/demo/session/history';
import {
  sleep,
  TurnCancelled,
  type CommandOutcome,
  type DiskWriteOutcome,
  type EditOutcome,
  type ProposedEdit,
  type ShellOutcome,
  type ToolAnswer,
  type Turn,
} from '../../../../src/acp/demo/answer/turn';

interface DraftTurnDeps {
  /** The text that the client sent. A line `File: path` attaches a file. */
  readonly text: string;
  /** Working directory, as an absolute path. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly say: (text: string) => Promise<void>;
  readonly readFile: (path: string) => Promise<string>;
}

/** A turn in the draft protocol, which supports only text and reading files. */
export class DraftTurn implements Turn {
  readonly prompt: Prompt;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly isVerbose = false;
  readonly paceMs = 0;
  readonly hasAddedPrompt = false;

  constructor(private readonly deps: DraftTurnDeps) {
    this.prompt = promptOf(deps.text, deps.cwd);
    this.cwd = deps.cwd;
    this.signal = deps.signal;
  }

  async say(text: string): Promise<void> {
    for (const line of text.split(/(?<=\n)/)) {
      if (this.signal.aborted) throw new TurnCancelled();
      await this.deps.say(line);
    }
  }

  think(): Promise<void> {
    return Promise.resolve();
  }

  async plan(entries: readonly PlanStep[]): Promise<void> {
    const current = entries.find(({ status }) => status === 'in_progress');
    if (current) await this.say(`- ${current.content}\n`);
  }

  async readFile(path: string): Promise<string> {
    return await this.deps.readFile(path);
  }

  /** Proposes the edit as a diff in the answer, which the client may offer to apply. */
  async proposeEdit({ title, path, oldText, newText }: ProposedEdit): Promise<EditOutcome> {
    await this.say(`${title}:\n\n${fencedBlock('diff', unifiedDiff(path, oldText, newText))}\n`);
    return { kind: 'shownOnly' };
  }

  runCommand(): Promise<CommandOutcome> {
    return Promise.resolve({ kind: 'unsupported' });
  }

  runShell(): Promise<ShellOutcome> {
    return Promise.resolve({ kind: 'unsupported' });
  }

  writeOnDisk(): Promise<DiskWriteOutcome> {
    return Promise.resolve({ kind: 'unsupported' });
  }

  callEditorTool(): Promise<ToolAnswer> {
    return Promise.resolve({ kind: 'unsupported' });
  }

  async sleep(ms: number): Promise<void> {
    await sleep(ms, this.signal);
  }
}

function promptOf(text: string, cwd: string): Prompt {
  const file = /^File: (.+?)(?: \(lines? [^)]*\))?$/gm;
  const files = [...text.matchAll(file)].map((match) => ({ path: resolvePromptPath(match[1] ?? '', cwd) }));
  return { text: text.replace(file, '').trim(), files, notes: [] };
}

/** Creates a diff. Unlike in Git's diffs, special characters in paths are not quoted. */
function unifiedDiff(path: string, oldText: string, newText: string): string {
  const options = { context: 3, headerOptions: OMIT_HEADERS, stripTrailingCr: true };
  const hunks = createTwoFilesPatch(path, path, oldText, newText, undefined, undefined, options);
  return `--- ${path}\n+++ ${path}\n${hunks}`;
}
