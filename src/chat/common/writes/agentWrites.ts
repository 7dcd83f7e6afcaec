import type { FileTextId } from '../changes/fileTexts';

/** A text of a file that a conversation has written, or that an undo or a restore in it has left. */
export interface AgentWrite {
  /** When it was recorded, in milliseconds since the epoch. */
  readonly at: number;
  /** Id of the conversation. */
  readonly conversation: string;
  /** Absolute path of the file. */
  readonly path: string;
  /** Id of the text, or of the state of a file without text. Null if there is no file. */
  readonly text: FileTextId;
}

export type NewAgentWrite = Omit<AgentWrite, 'at'>;

/** What the conversations of all windows have written, on disk. */
export interface AgentWrites {
  /** Adds a write. It is saved in the background; a failure is logged. */
  add(write: NewAgentWrite): void;
  /** Returns the writes of all windows since a time, in milliseconds since the epoch, oldest first. Never rejects. */
  since(at: number): Promise<readonly AgentWrite[]>;
  /**
   * Calls `onWrite` for each write of other windows since the last call of this window, oldest first. The first call only
   * begins. Calls run one after the other. Never rejects.
   */
  readOtherWindows(onWrite: (write: AgentWrite) => void): Promise<void>;
}
