import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { ConversationRow } from './chatView';

/** Conversations that Backline does not store itself, such as the threads of Amp. The list shows them as its rows. */
export interface ConversationSource {
  /** The `source` of its rows. The ids of its rows begin with it and a colon. */
  readonly id: string;
  /** Fires when its rows may have changed. */
  readonly onDidChange: Event<void>;
  /** Keeps the rows up to date while the list is shown. The caller disposes the result when it is hidden. */
  show(): Disposable;
  /** Resolves to all rows that are known now, newest first. The first call may take long. Never rejects. */
  rows(): Promise<readonly ConversationRow[]>;
  /** Finds conversations by their title and text, best first. `entryId` is where the snippet is. Never rejects. */
  search(query: string): Promise<readonly { readonly row: ConversationRow; readonly entryId?: string }[]>;
  /** Shows a conversation, at an entry if it is set. Reports errors to the user itself. */
  open(rowId: string, entryId?: string): Promise<void>;
  /** Exports a conversation in a format and to a file that the user chooses. Reports errors to the user itself. */
  export(rowId: string): Promise<void>;
}
