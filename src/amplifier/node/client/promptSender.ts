import { withDeadline, type Clock } from '../../../base/common/async';
import type { PromptRequest, SessionStatus, WorkspaceContext } from '../../common/apiSchema';
import { contextChanges, promptText, withAttached, type ContextSource } from '../../common/contextSource';
import { BackendError, type PromptInput } from '../../../session/common/sessionBackend';
import type { TurnReconciler } from '../../common/turnReconciler';
import type { AmplifierClient } from './amplifierClient';

interface PromptSenderOptions {
  readonly client: AmplifierClient;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly context: ContextSource;
  /** The folder that the session was made for (absolute); else the workspace's. */
  readonly cwd?: string;
  readonly reconciler: TurnReconciler;
  /** `believe` holds the session against the status, unless events have overtaken it. */
  readonly readStatus: (
    signal: AbortSignal,
  ) => Promise<{ readonly status: SessionStatus; readonly believe: () => boolean }>;
  /** Throws what the user is told when the session is known to take no prompt. */
  readonly refuse: () => void;
  /** A prompt may have been taken after it was stopped and no longer waited for. */
  readonly onTakenLate: () => void;
}

/** How often, and how far apart, a session that ended its turn a moment ago is asked whether it is idle. */
const idleTries = 5;
const idleWaitMs = 100;
/** How long a prompt that the server is taking is waited for when it is stopped. */
const stopGraceMs = 5000;

/**
 * Sends prompts, with what changed in the editor since the last one, to a session that really takes them. The first prompt
 * carries everything, also what was in `POST /sessions`: the server that exists shows the model only what comes with a prompt.
 */
export class PromptSender {
  private lastContext: WorkspaceContext | undefined;
  private prompts = 0;
  private sending: { readonly stop: AbortController; readonly settled: Promise<unknown> } | undefined;

  constructor(private readonly options: PromptSenderOptions) {}

  get isSending(): boolean {
    return this.sending !== undefined;
  }

  /** Resolves with the id of the request. One at a time. @throws AmplifierApiError, BackendError */
  async send(input: PromptInput): Promise<string> {
    const stop = new AbortController();
    const sent = this.sendUnless(stop.signal, input);
    this.sending = { stop, settled: sent.catch(() => undefined) };
    try {
      return await sent;
    } finally {
      this.sending = undefined;
    }
  }

  /**
   * Stops what is being sent. A prompt that the server is taking cannot be taken back: resolves when its turn is there to be
   * stopped, or the server takes too long. Never rejects.
   */
  async stop(): Promise<void> {
    const { sending } = this;
    if (!sending) return;
    sending.stop.abort();
    await withDeadline(this.options.clock, 'Sending the prompt', stopGraceMs, () => sending.settled).catch(
      () => void sending.settled.then(this.options.onTakenLate),
    );
  }

  /** Stops what is being sent, and resolves when that is settled, which a server that takes its time delays. Never rejects. */
  async settle(): Promise<void> {
    this.sending?.stop.abort();
    await this.sending?.settled;
  }

  private async sendUnless(signal: AbortSignal, { text, attachments = [] }: PromptInput): Promise<string> {
    if (attachments.some(({ type }) => type === 'image')) {
      throw new BackendError('unsupported', 'Amplifier servers take no images. Remove the image and send again.');
    }
    await this.waitUntilIdle(signal);
    const { context, client, cwd, sessionId, reconciler } = this.options;
    const files = attachments.flatMap((attachment) => (attachment.type === 'file' ? [attachment.path] : []));
    const [current, attached] = await Promise.all([context.collect(cwd), context.openFiles(files)]);
    throwIfStopped(signal);
    const update = withAttached(contextChanges(this.lastContext, current), current, attached);
    const request: PromptRequest = { prompt: promptText(text, attachments) };
    if (Object.keys(update).length > 0) request.context_update = update;
    // The server may tell the prompt again, and what it says is shown without keys.
    const told = client.redactor.text(request.prompt);
    reconciler.promptSent(told, text);
    try {
      const { request_id, isAccepted } = await client.prompt(sessionId, request);
      if (!isAccepted) reconciler.usage.isCumulative = true;
      const requestId = request_id ?? `prompt-${++this.prompts}`;
      reconciler.promptTaken(requestId);
      this.lastContext = current;
      return requestId;
    } catch (error) {
      reconciler.promptRefused();
      throw error;
    }
  }

  /** The server that exists takes a prompt while an approval waits, or after a failure, and then does nothing with it. */
  private async waitUntilIdle(signal: AbortSignal): Promise<void> {
    const { clock, readStatus, refuse } = this.options;
    for (let attempt = 1; attempt <= idleTries; attempt++) {
      const { status, believe } = await readStatus(signal);
      throwIfStopped(signal);
      if (status.status === 'idle') return;
      const isLast = attempt === idleTries;
      if ((isLast || status.status !== 'processing') && believe()) refuse();
      await new Promise<void>((resolve) => clock.setTimer(idleWaitMs, resolve));
      throwIfStopped(signal);
    }
    throw new BackendError('busy', 'The agent is still working. Wait for it, or stop the turn.');
  }
}

function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new BackendError('cancelled', 'The prompt was stopped before it was sent.');
}
