import { createTwoFilesPatch, OMIT_HEADERS } from 'diff';
import { fenced } from '../answer/fenced';
import { pathOfWord, type Prompt } from '../answer/prompt';
import type { PlanStep } from '../v1/history';
import {
  sleep,
  TurnCancelled,
  type CommandOutcome,
  type EditOutcome,
  type ProposedEdit,
  type Turn,
} from '../answer/turn';

interface DraftTurnOptions {
  /** As the client sent it; `File: path` on a line of its own is a file that comes along. */
  readonly text: string;
  /** Absolute. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly say: (text: string) => Promise<void>;
  readonly readFile: (path: string) => Promise<string>;
}

/** A turn in the draft, which knows text and the reading of files, and nothing else. */
export class DraftTurn implements Turn {
  readonly prompt: Prompt;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly isVerbose = false;
  readonly paceMs = 0;

  constructor(private readonly options: DraftTurnOptions) {
    this.prompt = promptOf(options.text, options.cwd);
    this.cwd = options.cwd;
    this.signal = options.signal;
  }

  async say(text: string): Promise<void> {
    for (const line of text.split(/(?<=\n)/)) {
      if (this.signal.aborted) throw new TurnCancelled();
      await this.options.say(line);
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
    return await this.options.readFile(path);
  }

  /** As a diff in the answer: the draft has no method to write a file, but a client may offer to apply the diff. */
  async proposeEdit({ title, path, oldText, newText }: ProposedEdit): Promise<EditOutcome> {
    await this.say(`${title}:\n\n${fenced('diff', unifiedDiff(path, oldText, newText))}\n`);
    return { kind: 'proposed' };
  }

  runCommand(): Promise<CommandOutcome> {
    return Promise.resolve({ kind: 'unsupported' });
  }

  async sleep(ms: number): Promise<void> {
    await sleep(ms, this.signal);
  }
}

function promptOf(text: string, cwd: string): Prompt {
  const file = /^File: (.+?)(?: \(lines? [^)]*\))?$/gm;
  const files = [...text.matchAll(file)].map((match) => ({ path: pathOfWord(match[1] ?? '', cwd) }));
  return { text: text.replace(file, '').trim(), files, notes: [] };
}

/** The name stands as it is: readers of such a diff need not know how Git quotes names. */
function unifiedDiff(path: string, oldText: string, newText: string): string {
  const options = { context: 3, headerOptions: OMIT_HEADERS, stripTrailingCr: true };
  const hunks = createTwoFilesPatch(path, path, oldText, newText, undefined, undefined, options);
  return `--- ${path}\n+++ ${path}\n${hunks}`;
}
