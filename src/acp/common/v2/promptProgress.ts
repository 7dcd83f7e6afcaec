import type { StateUpdate } from './v2Schema';

/**
 * Progress of a prompt. An agent accepts the prompt, reports it as a message, works, and becomes idle. The answer and the
 * updates can arrive in any order. Work can also have begun before the prompt, and end without it.
 */
export interface PromptProgress {
  /** Id of the prompt's message; undefined until the agent has accepted the prompt. */
  readonly acceptedId: string | undefined;
  /** User messages that the agent has reported since the prompt was sent, each with the next report that it was idle. */
  readonly reportedMessages: ReadonlyMap<string, StateUpdate | undefined>;
  readonly isWorking: boolean;
  readonly hasWorked: boolean;
  /** The last report that the agent was idle, if it can end the prompt without the prompt's message. */
  readonly idle: StateUpdate | undefined;
  readonly isCancelled: boolean;
}

export type PromptProgressInput =
  | { readonly kind: 'accepted'; readonly messageId: string }
  | { readonly kind: 'reported'; readonly messageId: string }
  | { readonly kind: 'state'; readonly update: StateUpdate }
  | { readonly kind: 'cancelled' };

const maxReportedMessages = 64;

export const initialPromptProgress: PromptProgress = {
  acceptedId: undefined,
  reportedMessages: new Map(),
  isWorking: false,
  hasWorked: false,
  idle: undefined,
  isCancelled: false,
};

export function nextProgress(progress: PromptProgress, input: PromptProgressInput): PromptProgress {
  switch (input.kind) {
    case 'accepted':
      return { ...progress, acceptedId: input.messageId };
    case 'cancelled':
      return { ...progress, isCancelled: true };
    case 'reported': {
      const { reportedMessages } = progress;
      if (reportedMessages.has(input.messageId) || reportedMessages.size >= maxReportedMessages) return progress;
      return { ...progress, reportedMessages: new Map([...reportedMessages, [input.messageId, undefined]]) };
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
      const reportedMessages = new Map([...progress.reportedMessages].map(([id, end]) => [id, end ?? update]));
      // If the agent has not worked, only a report with a reason can refer to this prompt, and only after it was
      // accepted.
      const isAbout = progress.hasWorked || (progress.acceptedId !== undefined && update.stopReason !== undefined);
      return { ...progress, reportedMessages, isWorking: false, ...(isAbout ? { idle: update } : {}) };
    }
    default:
      return progress;
  }
}

const cancelled: StateUpdate = { state: 'idle', stopReason: 'cancelled' };

/** Returns the report that ended the work on the prompt. Undefined if there is none yet. */
export function findPromptEndReport({
  acceptedId,
  reportedMessages,
  isCancelled,
  isWorking,
  idle,
}: PromptProgress): StateUpdate | undefined {
  if (acceptedId === undefined) return undefined;
  const end = reportedMessages.has(acceptedId) ? reportedMessages.get(acceptedId) : idle;
  // An idle agent has nothing to cancel, so it sends no report.
  return end ?? (isCancelled && !isWorking ? cancelled : undefined);
}
