import type { StateUpdate } from './v2Schema';

/**
 * How far a prompt has come. An agent accepts a prompt, tells it as a message, works, and becomes idle; the answer and the
 * updates come in any order. Work may also have begun before the prompt, and end without it.
 */
export interface PromptProgress {
  /** Id of the prompt's message; undefined until the agent has accepted the prompt. */
  readonly acceptedId: string | undefined;
  /** Messages of the user that were told since the prompt was sent, with the report that the agent was idle afterwards. */
  readonly toldMessages: ReadonlyMap<string, StateUpdate | undefined>;
  readonly isWorking: boolean;
  readonly hasWorked: boolean;
  /** The last report that the agent was idle, if it applies without the prompt's message. */
  readonly idle: StateUpdate | undefined;
  readonly isCancelled: boolean;
}

export type PromptInput =
  | { readonly kind: 'accepted'; readonly messageId: string }
  | { readonly kind: 'told'; readonly messageId: string }
  | { readonly kind: 'state'; readonly update: StateUpdate }
  | { readonly kind: 'cancelled' };

const maxToldMessages = 64;

export const sentPrompt: PromptProgress = {
  acceptedId: undefined,
  toldMessages: new Map(),
  isWorking: false,
  hasWorked: false,
  idle: undefined,
  isCancelled: false,
};

export function nextProgress(progress: PromptProgress, input: PromptInput): PromptProgress {
  switch (input.kind) {
    case 'accepted':
      return { ...progress, acceptedId: input.messageId };
    case 'cancelled':
      return { ...progress, isCancelled: true };
    case 'told': {
      const { toldMessages } = progress;
      if (toldMessages.has(input.messageId) || toldMessages.size >= maxToldMessages) return progress;
      return { ...progress, toldMessages: new Map([...toldMessages, [input.messageId, undefined]]) };
    }
    case 'state':
      return afterState(progress, input.update);
  }
}

function afterState(progress: PromptProgress, update: StateUpdate): PromptProgress {
  switch (update.state) {
    case 'running':
    case 'requires_action':
      return { ...progress, isWorking: true, hasWorked: true, idle: undefined };
    case 'idle': {
      const toldMessages = new Map([...progress.toldMessages].map(([id, end]) => [id, end ?? update]));
      // Without work and a message, only a report with a reason after the acceptance can be about this prompt.
      const isAbout = progress.hasWorked || (progress.acceptedId !== undefined && update.stopReason !== undefined);
      return { ...progress, toldMessages, isWorking: false, ...(isAbout ? { idle: update } : {}) };
    }
    default:
      return progress;
  }
}

const cancelled: StateUpdate = { state: 'idle', stopReason: 'cancelled' };

/** The report that ended the work on the prompt; undefined while there is none. */
export function endOfPrompt({
  acceptedId,
  toldMessages,
  isCancelled,
  isWorking,
  idle,
}: PromptProgress): StateUpdate | undefined {
  if (acceptedId === undefined) return undefined;
  const end = toldMessages.has(acceptedId) ? toldMessages.get(acceptedId) : idle;
  // An agent that does not work has nothing to cancel, and reports nothing.
  return end ?? (isCancelled && !isWorking ? cancelled : undefined);
}
