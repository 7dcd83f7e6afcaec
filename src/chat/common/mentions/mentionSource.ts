import type { PromptAttachment } from '../../../session/common/sessionBackend';
import type { DraftAttachment, MentionRow } from '../chatView';

/** A source of rows for the `@` list: files, the selection, problems and others. */
export interface MentionSource {
  readonly kind: DraftAttachment['kind'];
  /** Finds rows, the best match first. Ids are unique within the source and stay the same after a reload. */
  search(query: string, signal: AbortSignal): Promise<readonly MentionRow[]>;
  /** Whether more results for the query are still being collected. */
  isSearching?(query: string): boolean;
  /** Waits for more results. Resolves to whether the caller should search again. Never rejects. */
  waitForMore?(query: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Returns the content that is sent to the backend of a conversation, given by its id. Empty if there is nothing left to send.
   * @throws EditorError
   */
  resolve(attachment: DraftAttachment, signal: AbortSignal, conversation: string): Promise<readonly PromptAttachment[]>;
  /** Called when the backend has accepted the prompt with the attachment, and when that prompt was withdrawn later. */
  noteOutcome?(attachment: DraftAttachment, conversation: string, outcome: 'accepted' | 'withdrawn'): Promise<void>;
}
