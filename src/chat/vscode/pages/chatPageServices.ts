import type { Clock } from '../../../base/common/async';
import type { Event } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import type { EnterDuringTurn } from '../../../platform/common/settings';
import type { KeyChordPrefixes } from '../../../webview/vscode/keyChordPrefixes';
import type { ReviewProgress } from '../../../changes/common/review/reviewedMarks';
import type { Chat, Chats, ForkAgent } from '../../common/chatPorts';
import type { Draft, DraftAttachment, MentionRow } from '../../common/chatView';
import type { MissingAttachments } from '../../common/mentions/missingAttachments';
import type { RepairKind } from '../../common/page/backendRepair';
import type { AgentReviews } from '../../common/findings/agentReviews';
import type { OfferedContext } from '../../common/mentions/offeredContext';
import type { Mentions } from '../../common/mentions/mentions';
import type { BackendChoice } from '../../common/page/backendChoice';
import type { PageNotices } from '../../common/marks/pageNotices';
import type { SharedDraft } from '../../common/conversation/sharedDraft';
import type { NewSessionOptions } from '../../common/page/newSessionOptions';
import type { InstructionFile } from '../../common/prompts/instructionFiles';
import type { Presets } from '../../common/prompts/presets';
import type { PromptFiles } from '../../common/prompts/promptFiles';
import type { PageChips } from '../../common/page/pageChips';
import type { ShownChats } from '../../common/marks/shownChats';
import type { CodeProposals } from '../review/codeProposals';
import type { AnswerTextActions } from '../answerTextActions';
import type { PlaceActions } from '../placeActions';
import type { PresetActions } from '../prompts/presetActions';
import type { RestoreActions } from '../review/restoreActions';
import type { ConversationActions } from '../review/conversationActions';
import type { TurnReviews } from '../review/turnReviews';
import type { DraftComments } from '../../common/page/feed/pageFeed';
import type { KeepActions } from '../review/keepActions';
import type { UndoActions } from '../review/undoActions';

/** The services that all chat pages of a window share. */
export interface ChatPageServices {
  readonly chats: Chats;
  readonly backends: BackendChoice;
  readonly mentions: Mentions;
  readonly attached: MissingAttachments;
  readonly offered: OfferedContext;
  readonly rowsForDrop: (uris: readonly string[]) => Promise<MentionRow[]>;
  readonly promptFiles: PromptFiles;
  readonly presets: Presets;
  readonly presetActions: PresetActions;
  readonly newDraft: SharedDraft;
  readonly shown: ShownChats;
  readonly editor: AnswerTextActions;
  readonly code: CodeProposals;
  readonly review: ConversationActions;
  /** Deletes conversations; see `DeletedConversations`. */
  readonly deletions: { delete(sessionIds: readonly string[]): Promise<boolean> };
  /** Side questions; see `Asides`. */
  readonly asides: {
    ask(about: Chat, subject: { readonly quote?: string; readonly selection?: MentionRow | undefined }): Promise<void>;
    keep(aside: Chat): Promise<void>;
  };
  readonly places: PlaceActions;
  readonly restore: RestoreActions;
  readonly turnReviews: TurnReviews;
  readonly undo: UndoActions;
  readonly keep: KeepActions;
  readonly agentReviews: Pick<AgentReviews, 'start'>;
  readonly reviewed: ReviewProgress;
  readonly draftComments: DraftComments;
  readonly sendComments: () => PromiseLike<unknown>;
  /** Lets the user pick an agent that can be used. Resolves to undefined if the user picks none. */
  readonly pickOtherAgent: (exceptId: string) => Promise<ForkAgent | undefined>;
  readonly repairBackend: (backendId: string, how?: RepairKind) => Promise<void>;
  /** Returns prompts that are useful in this workspace. Never rejects. */
  readonly starters: () => Promise<Draft[]>;
  /** Returns the files that a backend reads by itself; see `listInstructionFiles`. Never rejects. */
  readonly instructionFiles: (backendId: string) => Promise<InstructionFile[]>;
  readonly showAgents: () => PromiseLike<unknown>;
  readonly showLog: () => PromiseLike<unknown>;
  readonly manageTrust: () => PromiseLike<unknown>;
  readonly openFolder: () => PromiseLike<unknown>;
  readonly notices: PageNotices;
  readonly chips: PageChips;
  readonly keyChords: KeyChordPrefixes;
  readonly enterDuringTurn: { readonly value: EnterDuringTurn; readonly onDidChange: Event<void> };
  readonly newOptions: NewSessionOptions;
  /** Returns the absolute paths of the workspace folders. */
  readonly folders: () => readonly string[];
  /** Returns the text of an attachment of the kind `text`. @throws Error if it is no longer stored */
  readonly attachedTextOf: (attachment: DraftAttachment) => string;
  readonly folderOf: (draft: Draft) => string | undefined;
  /** Opens the HTML of an answer in the browser. @throws Error */
  readonly openView: (html: string) => Promise<void>;
  readonly openInTab: (sessionId: string) => Promise<unknown>;
  readonly isTrusted: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}
