/** What a conversation begins with: a prompt that the user can edit, and texts that are attached to it. */
export interface StartingPoint {
  readonly prompt: string;
  readonly texts: readonly { readonly title: string; readonly text: string }[];
}

export interface StartOptions {
  /** Whether the user chooses the agent first. */
  readonly picksAgent: boolean;
  /** Whether the prompt is sent at once, unless the user has typed something for the next conversation. */
  readonly sends: boolean;
}

/** Shows a new conversation in the chat. */
export interface ChatStarter {
  start(point: StartingPoint, options: StartOptions): Promise<void>;
}

/** Asks an agent in a session that no conversation shows, and that can only read. */
export interface BackgroundAgent {
  /** Resolves to the answer, or to undefined if the user chooses no agent. `folder`: absolute path of the working folder. */
  ask(question: {
    readonly prompt: string;
    readonly folder: string;
    readonly picksAgent: boolean;
    readonly signal: AbortSignal;
  }): Promise<string | undefined>;
}
