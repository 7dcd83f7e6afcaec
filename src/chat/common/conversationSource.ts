import type { Event } from '../../base/common/event';
import type { ConversationRow } from './chatView';
import type { ExportFormat } from './chatPorts';

/** Conversations that Backline does not store itself, such as the threads of Amp. The list shows them as its rows. */
export interface ConversationSource {
  /** The `source` of its rows. Their ids are unique among all rows. */
  readonly id: string;
  readonly onDidChange: Event<void>;
  /** Resolves to all rows, newest first. Never rejects. */
  rows(): Promise<readonly ConversationRow[]>;
  /** Finds conversations by their text, best first. `snippet` of a row is set. Never rejects. */
  search(query: string, signal: AbortSignal): Promise<readonly ConversationRow[]>;
  /** @throws an error for the user */
  open(rowId: string): Promise<void>;
  /** Exports the conversation to a file that the user chooses. @throws an error for the user */
  export?(rowId: string, format: ExportFormat): Promise<void>;
}
