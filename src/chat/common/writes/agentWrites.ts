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
  /** Id of the state of the file, if `text` is that of a text and the state is known, too. */
  readonly state?: FileTextId;
}

export type NewAgentWrite = Omit<AgentWrite, 'at'>;

/** What another window has told about a file. Ids of announcements are unique among all windows. */
export type ToldWrite =
  /** It is about to write the file. */
  | { readonly kind: 'announced'; readonly id: string; readonly write: AgentWrite }
  /** It has written the file, as announced with the id if there is one. */
  | { readonly kind: 'made'; readonly id?: string | undefined; readonly write: AgentWrite }
  /** It has not written what it has announced. */
  | { readonly kind: 'withdrawn'; readonly id: string }
  /** It is unknown whether it has written what it has announced, for example because it has ended. `left`: what it may have left. */
  | { readonly kind: 'lost'; readonly id: string; readonly left?: AgentWrite };

/** What the conversations of all windows have written, on disk. */
export interface AgentWrites {
  /** Adds a write. It is saved in the background; a failure is logged. */
  add(write: NewAgentWrite): void;
  /**
   * Tells other windows of writes before they are made. Resolves when they can read it, or if that fails, which is logged. Each
   * must be ended. Never rejects.
   */
  announce(writes: readonly NewAgentWrite[]): Promise<readonly AnnouncedWrite[]>;
  /**
   * Returns the writes of all windows since a time, in milliseconds since the epoch, oldest first. Announced ones count as
   * written, unless they were withdrawn. Never rejects.
   */
  since(at: number): Promise<readonly AgentWrite[]>;
  /**
   * Calls `onTold` for what other windows have told since the last call of this window, oldest first. The first call only begins,
   * with what is about to be written. Reads run one after the other. All who call before a read begins share it, and the `onTold`
   * of the first is called; a read that has begun is not for later calls. Never rejects.
   */
  readOtherWindows(onTold: (told: ToldWrite) => void): Promise<void>;
}

export interface AnnouncedWrite {
  /** `written` is what the file has now, and `left` what it has if it is unknown whether that was written. Other windows are told in the background. */
  end(written: NewAgentWrite | 'nothing' | { readonly left: NewAgentWrite }): void;
}
