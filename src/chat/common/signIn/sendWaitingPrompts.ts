import type { Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { isDeleted, type ChatStore } from '../chatStore';
import type { ChatSession } from '../conversation/chatSession';
import { isQueuedForSignIn } from './signInWait';

interface SendingPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
  readonly store: Pick<ChatStore, 'elsewhere' | 'heads'>;
  /** Opens a conversation. */
  readonly open: (id: string) => Promise<ChatSession | undefined>;
}

/** Sends prompts that have waited for a sign-in since before their window was closed. Never rejects. */
export async function sendPromptsWaitingForSignIn(backendId: string, ports: SendingPorts): Promise<void> {
  const { clock, log, open, store } = ports;
  const waiting = store.heads.filter(
    (head) =>
      head.backendId === backendId &&
      !isDeleted(head) &&
      !store.elsewhere(head) &&
      isQueuedForSignIn(head, true, clock.now()),
  );
  for (const { id } of waiting) {
    try {
      const chat = await open(id);
      if (chat?.signInWait.isInQueue) await chat.sendFirstQueuedPrompt();
    } catch (error) {
      log.info(`A waiting prompt was not sent: ${messageOf(error)}`);
    }
  }
}
