import type { EditorPort } from '../../../editor/common/editorPort';
import type { BackendRegistry } from '../../../session/common/backendRegistry';
import { rejectOnAbort } from '../../../session/common/rejectOnAbort';
import { BackendError, type BackendSession } from '../../../session/common/sessionBackend';
import { createSessionOptions } from '../conversations/sessionOptions';
import type { NewSessionOptionsPort } from '../conversations/newSessionOptionsPort';

interface BackgroundQuestionsDeps {
  readonly backends: Pick<BackendRegistry, 'open'>;
  readonly editor: Pick<EditorPort, 'folders'>;
  readonly sessionDefaults: Pick<NewSessionOptionsPort, 'instructionsFor' | 'of'>;
}

export interface BackgroundQuestion {
  readonly prompt: string;
  /** Absolute path of the agent's working folder. Another one is used if it is not in the workspace. */
  readonly folder: string;
  /** Ends the turn. */
  readonly signal: AbortSignal;
}

/** Nobody sees what the agent asks, so it is denied soon. */
const approvalTimeoutMs = 1_000;

/** Questions that no conversation shows. Each has a session of its own, which can only read and is deleted afterwards. */
export class BackgroundQuestions {
  constructor(private readonly deps: BackgroundQuestionsDeps) {}

  /** Resolves to the text of the answer. @throws BackendError, `cancelled` if the signal fires */
  async ask(backendId: string, { prompt, folder, signal }: BackgroundQuestion): Promise<string> {
    const { backends, editor, sessionDefaults } = this.deps;
    const backend = await backends.open(backendId);
    if (backend.holdsReadOnly !== true) {
      const reason = `${backend.title} can’t be kept from changing files, so it is only asked in the chat.`;
      throw new BackendError('unsupported', reason);
    }
    const options = createSessionOptions({ backendId, folder, aside: {} }, editor, sessionDefaults);
    const session = await backend.createSession({ ...options, approvalTimeoutMs }, signal);
    try {
      const answer = readAnswer(session);
      // It fails, too, if the prompt is refused.
      answer.catch(() => undefined);
      await rejectOnAbort(session.sendPrompt({ text: prompt }), signal);
      return await rejectOnAbort(answer, signal);
    } finally {
      if (session.turn !== 'none') await session.cancel().catch(() => undefined);
      const { id } = session;
      await session.close().catch(() => undefined);
      session.dispose();
      // Not every agent can delete sessions.
      await backend.deleteSession(id).catch(() => undefined);
    }
  }
}

/** Returns the text after the last call of a tool: what the agent says before is about its work. */
async function readAnswer(session: BackendSession): Promise<string> {
  let text = '';
  let textBlocks = new Set<number>();
  for await (const { event } of session.events()) {
    if (event.event === 'prompt:complete') return text;
    if (event.event === 'error') throw new BackendError('backend', event.data.error);
    if (event.event === 'tool:pre') {
      text = '';
      textBlocks = new Set();
    } else if (event.event === 'content_block:start') {
      if (event.data.block_type === 'text') textBlocks.add(event.data.block_index);
    } else if (event.event === 'content_block:delta' && textBlocks.has(event.data.block_index)) {
      text += event.data.delta;
    }
  }
  throw new BackendError('closed', 'The agent ended before it had answered.');
}
