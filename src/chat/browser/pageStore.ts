import { Emitter } from '../../base/common/event';
import { withoutUndefined } from '../../base/common/withoutUndefined';
import type { ChatUpdate } from '../common/page/chatApi';
import type {
  BackendView,
  CommandView,
  ContextChipView,
  OptionView,
  SessionRow,
  SessionView,
  Unattended,
} from '../common/chatView';

/** A request that failed, for the user to read. */
interface Problem {
  readonly id: number;
  readonly message: string;
  readonly details: string | undefined;
}

export interface PageState {
  /** The host has told something. */
  readonly isReady: boolean;
  readonly session: SessionView | undefined;
  /** The first prompt of a conversation is on its way: the host shows it soon. */
  readonly isBeginning: boolean;
  readonly sessions: readonly SessionRow[];
  readonly backends: readonly BackendView[];
  readonly chosenBackend: string | undefined;
  /** Of a conversation that has not begun. */
  readonly newOptions: readonly OptionView[];
  /** What its agent has been seen to do without asking. */
  readonly seenUnattended: Unattended | undefined;
  readonly newCommands: readonly CommandView[];
  readonly chips: readonly ContextChipView[];
  /** Absolute. */
  readonly folders: readonly string[];
  /** Ids of attachments in the composer whose files are gone. */
  readonly missing: readonly string[];
  /** Newest last. */
  readonly history: readonly string[];
  readonly isUntrusted: boolean;
  readonly problems: readonly Problem[];
  readonly isListShown: boolean;
}

const mostProblems = 3;

/** What the page shows beside the transcript and the composer: the host's last word, and what is open. */
export class PageStore {
  private current: PageState = {
    isReady: false,
    session: undefined,
    isBeginning: false,
    sessions: [],
    backends: [],
    chosenBackend: undefined,
    newOptions: [],
    seenUnattended: undefined,
    newCommands: [],
    chips: [],
    folders: [],
    missing: [],
    history: [],
    isUntrusted: false,
    problems: [],
    isListShown: false,
  };
  private lastProblem = 0;
  private readonly emitter = new Emitter<void>(reportError);
  readonly onDidChange = this.emitter.event;

  get state(): PageState {
    return this.current;
  }

  apply(update: ChatUpdate): void {
    const { session, sessions, backends, chosenBackend, newOptions, seenUnattended, newCommands } = update;
    const { chips, folders, missing, history, untrusted: isUntrusted } = update;
    const isOnlyTranscript = Object.keys(update).every((part) => part === 'transcript');
    if (isOnlyTranscript && this.current.isReady) return;
    this.change({
      isReady: true,
      ...(session !== undefined && { session: session ?? undefined }),
      ...(session === null && { isBeginning: false }),
      ...(seenUnattended !== undefined && { seenUnattended: seenUnattended ?? undefined }),
      ...withoutUndefined({ sessions, backends, chosenBackend, newOptions, newCommands }),
      ...withoutUndefined({ chips, folders, missing, history, isUntrusted }),
    });
  }

  setBeginning(isBeginning: boolean): void {
    if (isBeginning !== this.current.isBeginning) this.change({ isBeginning });
  }

  showList(isListShown: boolean): void {
    if (isListShown !== this.current.isListShown) this.change({ isListShown });
  }

  /** The oldest go when there are many. */
  addProblem(message: string, details?: string): void {
    const others = this.current.problems.filter((problem) => problem.message !== message);
    this.change({ problems: [...others, { id: ++this.lastProblem, message, details }].slice(-mostProblems) });
  }

  dismissProblem(id: number): void {
    this.change({ problems: this.current.problems.filter((problem) => problem.id !== id) });
  }

  clearProblems(): void {
    if (this.current.problems.length > 0) this.change({ problems: [] });
  }

  private change(part: Partial<PageState>): void {
    this.current = { ...this.current, ...part };
    this.emitter.fire();
  }
}
