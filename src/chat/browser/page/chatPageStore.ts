import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { PageState } from '../../../webview/browser/page/pageState';
import type { EnterDuringTurn } from '../../../platform/common/settings';
import type { ReasonTarget } from '../../common/approvals/reasonText';
import type { ChatUpdate } from '../../common/page/chatApi';
import type {
  BackendView,
  CommandView,
  NoticeView,
  ContextChipView,
  MentionRow,
  OptionView,
  StandingView,
  ConversationRow,
  ConversationView,
  QueuedPrompt,
  UnattendedAction,
} from '../../common/chatView';

interface RequestProblem {
  readonly id: number;
  readonly message: string;
  readonly details: string | undefined;
}

interface ChatPageState {
  /** Whether the first update has arrived. */
  readonly isReady: boolean;
  readonly session: ConversationView | undefined;
  /** Whether the first prompt of a conversation was sent but is not in the transcript yet. */
  readonly isStartingConversation: boolean;
  /** Whether a prompt from this page is on its way to the host. */
  readonly isSending: boolean;
  /** Prompts from this page that shall join the turn, and that the host does not show yet. */
  readonly joining: readonly QueuedPrompt[];
  readonly enterDuringTurn: EnterDuringTurn;
  readonly sessions: readonly ConversationRow[];
  readonly backends: readonly BackendView[];
  readonly chosenBackend: string | undefined;
  readonly newOptions: readonly OptionView[];
  /** What the agent was observed to do without approval. */
  readonly seenUnattended: UnattendedAction | undefined;
  readonly newCommands: readonly CommandView[];
  readonly standing: StandingView;
  readonly contextChips: readonly ContextChipView[];
  /** The selection, or the active file, which the user can add to the prompt. */
  readonly offeredContext: MentionRow | undefined;
  /** Absolute paths of the workspace folders. */
  readonly folders: readonly string[];
  /** Ids of attachments in the composer for files that no longer exist. */
  readonly deletedAttachmentIds: readonly string[];
  readonly promptHistory: readonly string[];
  readonly notices: readonly NoticeView[];
  /** How many comments were not sent. */
  readonly draftComments: number;
  /** The changes of the conversation, and those that are reviewed. Undefined if none is. */
  readonly reviewed: { readonly reviewed: number; readonly total: number } | undefined;
  readonly isUntrusted: boolean;
  readonly problems: readonly RequestProblem[];
  readonly isSessionListShown: boolean;
  /** The approval in view, if it can be denied with the composer's content as the reason. */
  readonly reasonTarget: ReasonTarget | undefined;
}

const maxProblems = 3;

/** The state of the page except for the transcript and the composer: data from the host, and open panels. */
export class ChatPageStore extends PageState<ChatPageState> {
  private lastProblemId = 0;

  constructor() {
    super({
      isReady: false,
      session: undefined,
      isStartingConversation: false,
      isSending: false,
      joining: [],
      enterDuringTurn: 'steer',
      sessions: [],
      backends: [],
      chosenBackend: undefined,
      newOptions: [],
      seenUnattended: undefined,
      newCommands: [],
      standing: { presets: [] },
      contextChips: [],
      offeredContext: undefined,
      folders: [],
      deletedAttachmentIds: [],
      promptHistory: [],
      notices: [],
      draftComments: 0,
      reviewed: undefined,
      isUntrusted: false,
      problems: [],
      isSessionListShown: false,
      reasonTarget: undefined,
    });
  }

  apply(update: ChatUpdate): void {
    const { session, sessions, backends, chosenBackend, newOptions, seenUnattended, newCommands } = update;
    const {
      chips,
      enterDuringTurn,
      offered,
      standing,
      folders,
      missing,
      history,
      notices,
      untrusted: isUntrusted,
    } = update;
    const isOnlyTranscript = Object.keys(update).every((part) => part === 'transcript' || part === 'heardAt');
    if (isOnlyTranscript && this.state.isReady) return;
    this.update({
      isReady: true,
      ...(session !== undefined && { session: session ?? undefined, joining: this.joiningWith(session) }),
      ...(session === null && { isStartingConversation: false }),
      ...(seenUnattended !== undefined && { seenUnattended: seenUnattended ?? undefined }),
      ...(update.reviewed !== undefined && { reviewed: update.reviewed ?? undefined }),
      ...(offered !== undefined && { offeredContext: offered ?? undefined }),
      ...withoutUndefined({ sessions, backends, chosenBackend, newOptions, newCommands }),
      ...withoutUndefined({ contextChips: chips, deletedAttachmentIds: missing, promptHistory: history }),
      ...withoutUndefined({
        draftComments: update.draftComments,
        enterDuringTurn,
        folders,
        notices,
        isUntrusted,
        standing,
      }),
    });
  }

  addJoining(prompt: QueuedPrompt): void {
    this.update({ joining: [...this.state.joining, prompt] });
  }

  removeJoining(id: string): void {
    const joining = this.state.joining.filter((prompt) => prompt.id !== id);
    if (joining.length < this.state.joining.length) this.update({ joining });
  }

  /** The prompts that are still not shown when the host has reported this conversation. */
  private joiningWith(session: ConversationView | null): readonly QueuedPrompt[] {
    if (session?.id !== this.state.session?.id) return [];
    const shown = new Set(session?.queue.map(({ id }) => id));
    return this.state.joining.filter(({ id }) => !shown.has(id));
  }

  /** Adds an error. The oldest errors are dropped when there are too many. */
  addProblem(message: string, details?: string): void {
    const others = this.state.problems.filter((problem) => problem.message !== message);
    this.update({ problems: [...others, { id: ++this.lastProblemId, message, details }].slice(-maxProblems) });
  }

  dismissProblem(id: number): void {
    this.update({ problems: this.state.problems.filter((problem) => problem.id !== id) });
  }

  clearProblems(): void {
    if (this.state.problems.length > 0) this.update({ problems: [] });
  }
}
