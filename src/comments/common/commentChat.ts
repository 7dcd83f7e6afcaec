/** How comments get to an agent: the chat implements it. */
export interface CommentChat {
  /**
   * Puts comments as one attachment into the composer and focuses it: of the conversation that has changed one of these files,
   * else of the displayed one, else of a new one. `paths` are absolute.
   */
  attach(attachment: CommentAttachment, paths: readonly string[]): Promise<void>;
  /** Sends comments to a conversation at once. @throws ChatError, BackendError */
  send(attachment: CommentAttachment, conversation: string): Promise<void>;
}

/** An attachment that stands for comments until its prompt is sent; see `attachmentOf`. */
export interface CommentAttachment {
  readonly kind: 'comments';
  readonly id: string;
  readonly title: string;
}

/** What an agent has said in a turn. */
export interface TurnAnswer {
  readonly conversation: string;
  /** Name of the agent. */
  readonly agent: string;
  /** Markdown, which is not trusted. */
  readonly text: string;
}

/** What an agent that reviews changes has found. */
export interface ReviewFindings {
  /** Name of the agent. */
  readonly agent: string;
  /** Id of its conversation. */
  readonly conversation: string;
  readonly findings: readonly {
    /** Absolute path. */
    readonly path: string;
    /** The text of the file that was reviewed, and its 0-based lines; `end` is the line after the last one. */
    readonly reviewedText: string;
    readonly lines: { readonly start: number; readonly end: number };
    /** Not trusted. */
    readonly text: string;
  }[];
}

const idStart = 'comments:';

/**
 * The id names the threads, so that a stored draft still knows them after a reload. `nonce` tells it from other attachments of the
 * same threads: letters, digits and `-`.
 */
export function attachmentOf(threadIds: readonly string[], nonce: string): CommentAttachment {
  const title = threadIds.length === 1 ? '1 comment' : `${threadIds.length} comments`;
  return { kind: 'comments', id: `${idStart}${nonce}:${threadIds.join(',')}`, title };
}

/** Ids of the threads of an attachment. */
export function threadsOfAttachment(id: string): readonly string[] {
  return id.startsWith(idStart) ? (id.split(':')[2] ?? '').split(',') : [];
}
