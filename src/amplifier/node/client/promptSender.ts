import type { Clock } from '../../../base/common/async';
import type { ContextUpdate, PromptRequest, SessionStatus, WorkspaceContext } from '../../common/apiSchema';
import { contextChanges, promptText, type ContextSource } from '../../common/contextSource';
import { BackendError, type PromptInput } from '../../common/sessionBackend';
import type { TurnReconciler } from '../../common/turnReconciler';
import type { AmplifierClient } from './amplifierClient';

export interface PromptSenderOptions {
  readonly client: AmplifierClient;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly context: ContextSource;
  /** What the server was told of the editor when it created the session. */
  readonly toldContext?: WorkspaceContext;
  readonly reconciler: TurnReconciler;
  /** Called with a status in which the server takes no prompt; throws what the user is told. */
  readonly refuse: (status: SessionStatus) => void;
}

/** How often, and how far apart, a session that ended its turn a moment ago is asked whether it is idle. */
const idleTries = 5;
const idleWaitMs = 100;

/** Sends prompts, with what changed in the editor since the last one, to a session that really takes them. */
export class PromptSender {
  private toldContext: WorkspaceContext;
  private prompts = 0;

  constructor(private readonly options: PromptSenderOptions) {
    this.toldContext = options.toldContext ?? { workspace_root: '' };
  }

  /** Resolves with the id of the request. @throws AmplifierApiError, BackendError */
  async send({ text, attachments = [] }: PromptInput): Promise<string> {
    if (attachments.some(({ type }) => type === 'image')) {
      throw new BackendError('unsupported', 'Amplifier servers take no images. Remove the image and send again.');
    }
    await this.waitUntilIdle();
    const { context, client, sessionId, reconciler } = this.options;
    const files = attachments.flatMap((attachment) => (attachment.type === 'file' ? [attachment.path] : []));
    const [collected, attached] = await Promise.all([context.collect(), context.openFiles(files)]);
    // The folder that the session was made for stays its root.
    const { workspace_root: root } = this.toldContext;
    const current = root === '' ? collected : { ...collected, workspace_root: root };
    const update: ContextUpdate = contextChanges(this.toldContext, current) ?? {};
    if (attached.length > 0) update.open_files = [...attached, ...(update.open_files ?? [])];
    const request: PromptRequest = { prompt: promptText(text, attachments) };
    if (Object.keys(update).length > 0) request.context_update = update;
    reconciler.promptSent(request.prompt, text);
    try {
      const { request_id, isAccepted } = await client.prompt(sessionId, request);
      if (!isAccepted) reconciler.usageIsCumulative = true;
      const requestId = request_id ?? `prompt-${++this.prompts}`;
      reconciler.promptTaken(requestId);
      this.toldContext = current;
      return requestId;
    } catch (error) {
      reconciler.promptRefused();
      throw error;
    }
  }

  /** The server that exists takes a prompt while an approval waits, or after a failure, and then does nothing with it. */
  private async waitUntilIdle(): Promise<void> {
    const { client, sessionId, clock, refuse } = this.options;
    for (let attempt = 1; ; attempt++) {
      const status = await client.getSession(sessionId);
      if (status.status === 'idle') return;
      if (status.status !== 'processing' || attempt === idleTries) {
        refuse(status);
        return;
      }
      await new Promise<void>((resolve) => clock.setTimer(idleWaitMs, resolve));
    }
  }
}
