import {
  isBackendError,
  type BackendSession,
  type PromptAttachment,
  type PromptInput,
} from '../../../session/common/sessionBackend';
import type { Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { DraftAttachment } from '../chatView';

/** Finds what an attachment stands for when its prompt is sent. */
export interface AttachmentResolver {
  /** Empty when there is nothing any more. @throws EditorError */
  resolve(attachment: DraftAttachment, signal: AbortSignal): Promise<readonly PromptAttachment[]>;
}

interface ResolvedAttachments {
  readonly attachments: PromptAttachment[];
  /** Ids of those that cannot be sent. */
  readonly notSent: string[];
  /** Why not; each a sentence. */
  readonly problems: string[];
}

const retryMs = 50;
const maxTries = 40;

export async function resolveAttachments(
  resolver: AttachmentResolver,
  drafts: readonly DraftAttachment[],
  signal: AbortSignal,
): Promise<ResolvedAttachments> {
  const attachments: PromptAttachment[] = [];
  const notSent: string[] = [];
  const problems: string[] = [];
  for (const draft of drafts) {
    if (draft.image) {
      attachments.push({ type: 'image', ...draft.image });
      continue;
    }
    try {
      const found = await resolver.resolve(draft, signal);
      attachments.push(...found);
      if (found.length > 0) continue;
      problems.push(`"${draft.title}" was not sent: it is empty now.`);
    } catch (error) {
      signal.throwIfAborted();
      problems.push(`"${draft.title}" was not sent: ${messageOf(error)}`);
    }
    notSent.push(draft.id);
  }
  return { attachments, notSent, problems };
}

/** A session tells the end of its turn a moment before it takes the next prompt. @throws BackendError */
export async function promptWhenFree(
  session: BackendSession,
  input: PromptInput,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await session.prompt(input);
      return;
    } catch (error) {
      if (!isBackendError(error) || error.code !== 'busy' || tries === maxTries) throw error;
      await pause(clock, retryMs);
      signal.throwIfAborted();
    }
  }
}

export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(delayMs, resolve);
  });
}
