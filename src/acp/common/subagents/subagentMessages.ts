import { BoundedMap } from '../../../base/common/boundedMap';
import type { SessionMessagePatch } from '../session/agentMessages';
import { textOfBlock } from '../session/toolContent';

/** A message from one session to another. Both report it, each with an id of its own, and it is one object. */
export interface SessionMessage {
  readonly senderId: string | undefined;
  readonly recipientId: string | undefined;
  readonly text: string;
}

interface Known {
  senderId: string | undefined;
  recipientId: string | undefined;
  text: string;
  /** The report that the text is from. The other one repeats it. */
  textFrom: string | undefined;
}

const maxKeys = 2_000;
/** Maximum length of one message, in UTF-16 units. */
const maxTextLength = 16 * 1024;

/** The messages between the sessions of an agent and its subagents, in any order of their reports. */
export class SessionMessages {
  private readonly messageByReport = new BoundedMap<string, Known>({ maxEntries: maxKeys });

  /** `rootId` returns the agent's id of the session itself, if there is one. */
  constructor(private readonly rootId: () => string | undefined) {}

  /** Returns the message after a change. `reporterId`: the subagent whose session reports it, or else the root session. */
  apply(patch: SessionMessagePatch, reporterId = this.rootId()): SessionMessage {
    const own = keyOf(reporterId, patch.messageId);
    const keys = [own, ...otherKeysOf(patch, reporterId)];
    const message = this.mergedOf(keys);
    for (const key of keys) this.messageByReport.set(key, message);
    const { content, isChunk, recipientSessionId, senderSessionId } = patch;
    if (senderSessionId !== undefined) message.senderId = senderSessionId ?? undefined;
    if (recipientSessionId !== undefined) message.recipientId = recipientSessionId ?? undefined;
    if (content !== undefined && (message.textFrom ?? own) === own) {
      message.textFrom = own;
      const text = (content ?? []).map(textOfBlock).join(isChunk ? '' : '\n\n');
      message.text = withLimit(isChunk ? message.text + text : text);
    }
    return message;
  }

  /** The message that all of these keys stand for. What its sessions have reported as several before becomes one. */
  private mergedOf(keys: readonly string[]): Known {
    const found = new Set(keys.flatMap((key) => this.messageByReport.get(key) ?? []));
    const [first = { senderId: undefined, recipientId: undefined, text: '', textFrom: undefined }, ...others] = found;
    for (const other of others) {
      if (first.textFrom === undefined) Object.assign(first, { text: other.text, textFrom: other.textFrom });
      other.text = '';
      for (const [key, message] of [...this.messageByReport])
        if (message === other) this.messageByReport.set(key, first);
    }
    return first;
  }
}

/** Keys of the same message in the report of its other session: by the ids that link them, or by the same id. */
function otherKeysOf(patch: SessionMessagePatch, reporterId: string | undefined): string[] {
  const { messageId, recipientMessageId, recipientSessionId, senderMessageId, senderSessionId } = patch;
  if (typeof senderSessionId !== 'string' || typeof recipientSessionId !== 'string') return [];
  const ends = [[senderSessionId, senderMessageId] as const, [recipientSessionId, recipientMessageId] as const];
  const linked = ends.flatMap(([sessionId, id]) =>
    typeof id === 'string' && sessionId !== reporterId ? [keyOf(sessionId, id)] : [],
  );
  return [...linked, keyOf(senderSessionId, recipientSessionId, messageId)];
}

function keyOf(...ids: readonly (string | undefined)[]): string {
  return JSON.stringify(ids);
}

function withLimit(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}\n\n[The rest was not kept.]` : text;
}
