import { raceSignal } from '../../../base/common/async';
import type { PlanStep } from '../session/history';
import type { Prompt } from './prompt';

/** What a skill can do to answer a prompt, in all dialects. All methods reject once the turn is cancelled. */
export interface Turn {
  readonly prompt: Prompt;
  /** Base folder of relative paths, as an absolute path. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly isVerbose: boolean;
  /** Delay before each word of `say`, in milliseconds; 0 for none. */
  readonly paceMs: number;

  /** Whether another prompt was added to the turn. It is answered next. */
  readonly hasAddedPrompt: boolean;

  /** Adds Markdown to the answer. */
  say(text: string): Promise<void>;
  think(text: string): Promise<void>;
  plan(entries: readonly PlanStep[]): Promise<void>;
  /** Reads a file through the editor, including unsaved changes. @throws Error with a message for the user */
  readFile(path: string): Promise<string>;
  /** Shows the change, asks for approval if required, and writes the file. */
  proposeEdit(edit: ProposedEdit): Promise<EditOutcome>;
  runCommand(argv: readonly [string, ...string[]]): Promise<CommandOutcome>;
  /** Asks for approval, then runs a command line in a shell of the agent, without the editor. */
  runShell(command: string): Promise<ShellOutcome>;
  /** Shows the change, asks for approval if required, and writes the file or a new one on disk, without the editor. */
  writeOnDisk(path: string, text: string): Promise<DiskWriteOutcome>;
  /** Calls a tool of the editor, and shows the call. */
  callEditorTool(call: EditorToolCall): Promise<ToolAnswer>;
  sleep(ms: number): Promise<void>;
}

export interface EditorToolCall {
  readonly title: string;
  readonly tool: string;
  /** How the call is shown. */
  readonly kind: 'search' | 'read' | 'edit';
  readonly input: Readonly<Record<string, string>>;
}

export type ToolAnswer =
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'unsupported' };

export interface ProposedEdit {
  readonly title: string;
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  /** Line number, 1-based. */
  readonly line: number;
}

export type EditOutcome =
  { readonly kind: 'written' | 'rejected' | 'shownOnly' } | { readonly kind: 'failed'; readonly reason: string };

export type CommandOutcome =
  | { readonly kind: 'exited'; readonly exitCode: number | undefined; readonly signal: string | undefined }
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'failed'; readonly reason: string };

export type ShellOutcome =
  CommandOutcome | { readonly kind: 'rejected' } | { readonly kind: 'timedOut'; readonly timeoutMs: number };

export type DiskWriteOutcome =
  | { readonly kind: 'written' | 'unchanged' | 'rejected' | 'unsupported' }
  | { readonly kind: 'failed'; readonly reason: string };

export class TurnCancelled extends Error {
  override readonly name = 'TurnCancelled';
  constructor() {
    super('The turn was cancelled');
  }
}

/** Settles like `work`, or rejects as soon as the turn is cancelled. @throws TurnCancelled */
export function unlessCancelled<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return raceSignal(work, signal, () => new TurnCancelled());
}

/** Waits for `ms` milliseconds. @throws TurnCancelled */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await unlessCancelled(signal, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms))));
  } finally {
    clearTimeout(timer);
  }
}
