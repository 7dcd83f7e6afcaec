import { raceSignal } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import { fileNameOf } from '../../../base/common/text/fileNameOf';
import { isInside } from '../../../editor/common/boundary';
import type { SaveBeforePrompt } from '../../../platform/common/settings';
import { BackendError } from '../../../session/common/sessionBackend';
import type { Draft } from '../chatView';

/** A workspace file with unsaved text that agents may access. */
export interface UnsavedFile {
  /** Absolute path of the file. */
  readonly path: string;
  /** Whether a visible editor shows the file. */
  readonly isVisible: boolean;
}

export interface SaveQuestion {
  readonly paths: readonly string[];
  /** Why the files could not be saved. */
  readonly problem?: string;
}

export type SaveAnswer = 'save' | 'alwaysSave' | 'send';

/** The unsaved files of the window, and the questions about them. */
export interface UnsavedFiles {
  /** The setting `backline.chat.saveBeforePrompt`. */
  readonly saveBeforePrompt: SaveBeforePrompt;
  /** Returns the files with unsaved text. Omits files that were never saved. */
  listFiles(): Promise<readonly UnsavedFile[]>;
  /** Saves a file. @throws EditorError `saveFailed` */
  saveFile(path: string): Promise<void>;
  /**
   * Asks the user what to do. Returns `save` as soon as the files are saved in another way, and undefined if the user
   * dismisses the question. The caller may stop waiting when `signal` fires.
   */
  ask(question: SaveQuestion, signal: AbortSignal): Promise<SaveAnswer | undefined>;
  /** Changes the setting, so that files are always saved before a prompt. */
  setAlwaysSave(): Promise<void>;
}

/**
 * Saves files before the prompts of one conversation. Agents see unsaved text only through the editor port. Their own
 * tools and shell commands read the disk, and it is unknown which of them an agent will use, so this applies to every
 * agent.
 */
export class PromptSaves {
  /** The user's decisions in this conversation, by path. */
  private readonly decisionByPath = new Map<string, 'save' | 'send'>();
  private isWaitingForAnswer = false;

  constructor(
    private readonly files: UnsavedFiles,
    /** Called when `isAsking` has changed. */
    private readonly onDidChange: () => void,
  ) {}

  /** Whether a question is waiting for the user. */
  get isAsking(): boolean {
    return this.isWaitingForAnswer;
  }

  /** Resolves when the prompt can be sent. @throws BackendError `cancelled` if the user dismisses it, or on abort */
  async beforePrompt(prompt: Draft, signal: AbortSignal): Promise<void> {
    const { files } = this;
    if (files.saveBeforePrompt === 'never') return;
    const paths = likelyRead(prompt, await files.listFiles());
    if (files.saveBeforePrompt === 'ask' && paths.some((path) => !this.decisionByPath.has(path))) {
      await this.ask({ paths }, signal);
    }
    const isAlways = files.saveBeforePrompt === 'always';
    await this.save(isAlways ? paths : paths.filter((path) => this.decisionByPath.get(path) === 'save'), signal);
  }

  private async save(paths: readonly string[], signal: AbortSignal): Promise<void> {
    const failures: { readonly path: string; readonly reason: string }[] = [];
    for (const path of paths) {
      signal.throwIfAborted();
      await this.files.saveFile(path).catch((error: unknown) => failures.push({ path, reason: messageOf(error) }));
    }
    const [first] = failures;
    if (!first) return;
    const failed = failures.map(({ path }) => path);
    await this.ask({ paths: failed, problem: first.reason }, signal);
    await this.save(
      failed.filter((path) => this.decisionByPath.get(path) === 'save'),
      signal,
    );
  }

  private async ask(question: SaveQuestion, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.setWaiting(true);
    try {
      const notSent = (): Error => new BackendError('cancelled', 'The prompt was not sent.');
      const answer = await raceSignal(this.files.ask(question, signal), signal, notSent);
      if (answer === undefined) {
        const message = 'The prompt was not sent. Save the files, or choose Send Without Saving.';
        throw new BackendError('cancelled', message);
      }
      for (const path of question.paths) this.decisionByPath.set(path, answer === 'send' ? 'send' : 'save');
      if (answer === 'alwaysSave') await this.files.setAlwaysSave();
    } finally {
      this.setWaiting(false);
    }
  }

  private setWaiting(isWaiting: boolean): void {
    this.isWaitingForAnswer = isWaiting;
    this.onDidChange();
  }
}

/** Returns the files that the prompt mentions or that are visible. If there are none, returns all files. */
function likelyRead({ attachments, text }: Draft, files: readonly UnsavedFile[]): string[] {
  const attached = attachments.flatMap(({ path }) => path ?? []);
  const likely = files.filter(({ isVisible, path }) => {
    const name = fileNameOf(path);
    return isVisible || text.includes(name) || attached.some((place) => isInside(path, place, false));
  });
  return (likely.length > 0 ? likely : files).map(({ path }) => path);
}
