import type * as vscode from 'vscode';
import type { RunningFeature } from '../../base/common/feature';
import type { ReviewSource } from '../../changes/common/review/reviewSource';
import type { Draft, DraftAttachment } from '../common/chatView';
import type { AgentReviews } from '../common/findings/agentReviews';
import type { LineAuthorViews } from './authorship/lineAuthorViews';
import type { ConversationsPages } from './list/conversationsPages';
import type { AgentFollower } from './follow/agentFollower';

export interface RunningChatFeature extends RunningFeature {
  /** Fills the view when it is shown for the first time, or again after it was closed. */
  showIn(view: vscode.WebviewView): void;
  /** Fills a restored tab after the window was reloaded. */
  restore(panel: vscode.WebviewPanel, state: unknown): void;
  /** Returns the text of a virtual document; `scheme` is one of `textSchemes`. */
  readDocument(scheme: string, query: string): Promise<string>;
  /** Shows a conversation in the chat. Reports to the user if it can't be opened. Never rejects. */
  showConversation(sessionId: string): Promise<void>;
  /** The pages with all conversations. */
  readonly conversations: Pick<ConversationsPages, 'fillView' | 'restoreTab'>;
  /** Lets the user choose the agent of new conversations. Resolves to false if none was chosen that can be used. */
  pickAgent(): Promise<boolean>;
  /** Sends an attachment to a conversation at once. @throws ChatError, BackendError */
  send(attachment: DraftAttachment, sessionId: string): Promise<void>;
  /**
   * Attaches something to the conversation that has changed one of these files (absolute paths) and shows it; else to the
   * displayed conversation, else to a new one.
   */
  attach(attachment: DraftAttachment, paths: readonly string[]): Promise<void>;
  /** Shows a new conversation with a draft. `sends`: also sends it, unless the user has typed something for it. */
  startWith(draft: Draft, sends: boolean): Promise<void>;
  /** Returns the id of the agent of new conversations. Undefined if there is no agent. @throws Error if that takes too long */
  chosenAgent(): Promise<string | undefined>;
  /** Shows the findings in what an agent has said, if it reviews changes. */
  takeAnswer: AgentReviews['takeAnswer'];
  refresh(): Promise<void>;
  /** Asks, once for each conversation of another folder, whether to continue it in this window. */
  confirmContinueHere(sessionId: string): Promise<boolean>;
  readonly follower: AgentFollower;
  readonly lineAuthors: Pick<LineAuthorViews, 'hoverOf'>;
  /** The changes of agents, which the user can keep or undo. */
  readonly review: ReviewSource;
  /** Shows a notification if a restore of files was interrupted. @throws CheckpointError */
  notifyOfInterruptedRestore(): Promise<void>;
}
