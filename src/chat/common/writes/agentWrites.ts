import type { FileTextId } from '../changes/fileTexts';

/** A text of a file that a conversation has written, or that a restore in it has left. */
export interface AgentWrite {
  /** When it was recorded, in milliseconds since the epoch. */
  readonly at: number;
  /** Id of the conversation. */
  readonly conversation: string;
  /** Absolute path of the file. */
  readonly path: string;
  /** Id of the text, or of the state of a file without text. */
  readonly text: FileTextId;
  readonly isOfThisWindow: boolean;
}

export type NewAgentWrite = Omit<AgentWrite, 'at' | 'isOfThisWindow'>;

/** What the conversations of all windows have written, on disk. */
export interface AgentWrites {
  /** Adds a write. It is saved in the background; a failure is logged. */
  add(write: NewAgentWrite): void;
  /** Returns the writes since a time, in milliseconds since the epoch, also those of other windows. Never rejects. */
  since(at: number): Promise<readonly AgentWrite[]>;
}
