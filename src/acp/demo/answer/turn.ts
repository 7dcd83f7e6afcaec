import { raceSignal } from '../../../base/common/async';
import type { PlanStep } from '../v1/history';
import type { Prompt } from './prompt';

/**
 * What a skill may do while it answers one prompt, whatever dialect the client speaks. Everything rejects once the turn
 * is cancelled.
 */
export interface Turn {
  readonly prompt: Prompt;
  /** Absolute: what relative paths are relative to. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Tell the user by which rule the prompt was understood. */
  readonly isVerbose: boolean;
  /** How long `say` waits before each word; 0 for not at all. */
  readonly paceMs: number;

  /** Markdown. */
  say(text: string): Promise<void>;
  think(text: string): Promise<void>;
  plan(entries: readonly PlanStep[]): Promise<void>;
  /** The text as the editor has it. @throws Error with what to tell the user */
  readFile(path: string): Promise<string>;
  /** Shows the change, asks where that is the rule, and writes it. */
  proposeEdit(edit: ProposedEdit): Promise<EditOutcome>;
  /** Runs a command where the user sees it. */
  runCommand(argv: readonly [string, ...string[]]): Promise<CommandOutcome>;
  /** Rejects when the turn is cancelled while it waits. */
  sleep(ms: number): Promise<void>;
}

export interface ProposedEdit {
  readonly title: string;
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  /** 1-based. */
  readonly line: number;
}

/** `proposed`: the client decides what becomes of it after the turn. */
export type EditOutcome =
  | { readonly kind: 'written' | 'rejected' | 'proposed' | 'shownOnly' }
  | { readonly kind: 'failed'; readonly reason: string };

export type CommandOutcome =
  | { readonly kind: 'exited'; readonly exitCode: number | undefined; readonly signal: string | undefined }
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'failed'; readonly reason: string };

/** The user has stopped the turn. */
export class TurnCancelled extends Error {
  override readonly name = 'TurnCancelled';
  constructor() {
    super('The turn was cancelled');
  }
}

/** Settles as `work` does, but never later than the turn is cancelled. @throws TurnCancelled */
export function unlessCancelled<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return raceSignal(work, signal, () => new TurnCancelled());
}

/** @throws TurnCancelled */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await unlessCancelled(signal, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms))));
  } finally {
    clearTimeout(timer);
  }
}
