import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { EditorPort } from '../../../editor/common/editorPort';
import {
  BackendError,
  isBackendError,
  isDoubtful,
  type BackendSession,
  type PromptAttachment,
  type PromptInput,
  type SteerResult,
} from '../../../session/common/sessionBackend';
import type { TurnResult } from '../../common/session/agentMessages';
import { isAuthRequired } from '../connection/agentErrors';
import type { AgentClient } from '../connection/agentClient';
import type { AgentRequestRunner } from '../connection/agentRequestRunner';
import type { AgentUpdates } from './agentUpdates';
import { toPromptBlocks } from './promptBlocks';
import type { SessionBinding } from './sessionBinding';
import type { SessionConfig } from './sessionConfig';
import { askToSteer } from './steering';

interface PromptSenderDeps {
  readonly agent: AgentRequestRunner;
  readonly binding: SessionBinding;
  readonly config: Pick<SessionConfig, 'ensureAsksIfReadOnly' | 'isReadOnly'>;
  readonly editor: EditorPort;
  readonly log: Logger;
  readonly notify: (level: 'info' | 'warning', message: string) => void;
  /** The session, for the requests. */
  readonly owner: object;
  readonly updates: Pick<AgentUpdates, 'expectSteered' | 'handleOwnTurnEnd'>;
  /** Called at the end of the turn, in the order of the agent's messages. */
  readonly onEnd: (result: TurnResult, signal: AbortSignal) => void;
}

/** A prompt that the agent has got and not answered. */
interface OpenPrompt {
  readonly client: AgentClient;
  readonly agentSessionId: string;
  /** Fires when the user stops the turn. */
  readonly signal: AbortSignal;
}

/** How often one prompt waits for the user to sign in. */
const maxSignIns = 5;

/** Tells the agent what it may do, because the protocol has no reason for a denied call. */
const readOnlyNote: PromptAttachment = {
  type: 'text',
  title: 'Side question',
  text: 'This is a side question, apart from the work. Answer it from what you know and can read. You cannot change files or run anything here: all of that is denied.',
};

/** Sends the prompts of one session, and asks the user to sign in where the agent requires that. */
export class PromptSender {
  private waitingCount = 0;
  private open: OpenPrompt | undefined;

  constructor(private readonly deps: PromptSenderDeps) {}

  get isWaitingForSignIn(): boolean {
    return this.waitingCount > 0;
  }

  /** See `BackendSession.steer`. Absent while the agent has no prompt of this session: nothing could be joined. */
  get steer(): BackendSession['steer'] {
    return this.open?.client.abilities.steering === true ? (input, id) => this.addToTurn(input, id) : undefined;
  }

  /** Sends a prompt. Resolves at the end of the turn. Cancels it when `signal` fires. @throws the agent's error */
  async send(input: PromptInput, signal: AbortSignal): Promise<TurnResult> {
    const { signIn } = this.deps.agent;
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await this.sendOnce(input, signal);
        signIn.recordAccepted('prompt');
        return result;
      } catch (error) {
        if (!isAuthRequired(error) || attempt === maxSignIns || signIn.methods.length === 0) throw error;
        await this.waitForSignIn(error, signal);
      }
    }
  }

  private async waitForSignIn(refusal: unknown, signal: AbortSignal): Promise<void> {
    const { signIn, users } = this.deps.agent;
    this.waitingCount++;
    users.handleChange();
    try {
      await signIn.waitForSignIn(refusal, signal, 'prompt');
    } finally {
      this.waitingCount--;
    }
  }

  private async sendOnce(input: PromptInput, signal: AbortSignal): Promise<TurnResult> {
    const { binding, config, editor, log, notify, onEnd, updates } = this.deps;
    const attached = await binding.ensureAttached(signal);
    await config.ensureAsksIfReadOnly(attached, signal);
    const { agentSessionId, client, hasForgotten } = attached;
    const { embeddedContext, images } = client.abilities;
    const reminder = hasForgotten ? (input.reminder?.() ?? []) : [];
    const notes = config.isReadOnly ? [readOnlyNote] : [];
    const whole = { text: input.text, attachments: [...reminder, ...notes, ...(input.attachments ?? [])] };
    const { blocks, notes: unsent } = await toPromptBlocks(whole, { images, embeddedContext }, editor);
    if (reminder.length > 0) notify('info', 'A summary of the conversation was sent with your prompt.');
    for (const note of unsent) notify('warning', note);
    signal.throwIfAborted();
    const cancel = (): void => {
      client.cancel(agentSessionId).catch((error: unknown) => log.debug(`Could not cancel: ${String(error)}`));
    };
    signal.addEventListener('abort', cancel, { once: true });
    const open = (this.open = { client, agentSessionId, signal });
    try {
      const result = await client.prompt(agentSessionId, blocks, (end) => onEnd(end, signal));
      binding.markReminded(agentSessionId);
      return result;
    } finally {
      signal.removeEventListener('abort', cancel);
      updates.handleOwnTurnEnd(signal.aborted);
      if (this.open === open) this.open = undefined;
    }
  }

  private async addToTurn(input: PromptInput, id: string): Promise<SteerResult> {
    const { agent, editor, notify, owner, updates } = this.deps;
    const { open } = this;
    if (!open) return 'noTurn';
    const { agentSessionId, client, signal } = open;
    const { blocks: all, notes } = await toPromptBlocks(input, client.abilities, editor).catch((error: unknown) => {
      // Whatever it is, nothing was sent.
      throw new BackendError('invalidRequest', messageOf(error), undefined, { cause: error });
    });
    const blocks = all.filter((block) => block.type !== 'text' || block.text.trim() !== '');
    // Some agents would begin an empty turn.
    if (blocks.length === 0) throw new BackendError('invalidRequest', 'There is nothing to send.');
    // The turn may have ended or been stopped while files were read.
    if (this.open !== open || signal.aborted) return 'noTurn';
    const report = updates.expectSteered(id, input.text);
    const asked = askToSteer(client, agentSessionId, blocks, { agent, owner });
    const outcome = await asked.catch((error: unknown) => {
      if (isBackendError(error) && !isDoubtful(error)) report.forget();
      throw error;
    });
    if (outcome === 'noTurn') {
      report.forget();
      return outcome;
    }
    for (const note of notes) notify('warning', note);
    return report.isCertain() ? 'accepted' : 'joined';
  }
}
