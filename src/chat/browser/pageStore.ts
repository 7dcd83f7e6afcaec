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

/** A failed request, as the user reads it. */
interface Problem {
  readonly id: number;
  readonly message: string;
  readonly details: string | undefined;
}

export interface PageState {
  /** Whether the first update has arrived. */
  readonly isReady: boolean;
  readonly session: SessionView | undefined;
  /** Whether the first prompt of a conversation was sent but is not shown yet. */
  readonly isBeginning: boolean;
  readonly sessions: readonly SessionRow[];
  readonly backends: readonly BackendView[];
  readonly chosenBackend: string | undefined;
  /** Options of the next conversation. */
  readonly newOptions: readonly OptionView[];
  /** Actions that its agent was observed to take without asking. */
  readonly seenUnattended: Unattended | undefined;
  readonly newCommands: readonly CommandView[];
  readonly chips: readonly ContextChipView[];
  /** Absolute paths of the workspace folders. */
  readonly folders: readonly string[];
  /** Ids of attachments in the composer whose files no longer exist. */
  readonly missing: readonly string[];
  /** Sent prompts, oldest first. */
  readonly history: readonly string[];
  readonly isUntrusted: boolean;
  readonly problems: readonly Problem[];
  readonly isListShown: boolean;
}

const mostProblems = 3;

/** The state of the page except for the transcript and the composer: host data and open panels. */
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

  /** Adds an error; the oldest are dropped when there are too many. */
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
