import { isRecord } from '../../../base/common/isRecord';
import { parseJson } from '../../../base/common/parseJson';
import { withStringApprovalId } from './apiSchema';
import { SessionEvent, type EventData } from '../../../session/common/sessionEvents';

export interface StreamMessage {
  /** The value of the SSE field `event:`. Absent over a WebSocket. */
  readonly event?: string | undefined;
  readonly data: string;
}

interface IgnoredMessage {
  readonly ignored: IgnoredReason;
  /** The name of the message or of its event. Empty if it has none. */
  readonly name: string;
}
/** Why a message was ignored. `name`: an SSE event other than `message`, such as `ping`. */
type IgnoredReason = 'name' | 'notJson' | 'notAnEvent' | 'unknownEvent' | 'invalid';

type Fields = Readonly<Record<string, unknown>>;

const knownNames: ReadonlySet<string> = new Set(SessionEvent.options.map((option) => option.shape.event.value));

/** Decodes a message of the session's stream. Never throws. Returns the reason if the message is ignored. */
export function decodeStreamMessage(sessionId: string, message: StreamMessage): SessionEvent | IgnoredMessage {
  if (message.event !== undefined && message.event !== 'message') return ignored('name', message.event);
  const json = parseJson(message.data);
  if (json === undefined) return ignored('notJson');
  if (!isRecord(json) || typeof json['event'] !== 'string') return ignored('notAnEvent');
  const { event: name, data } = json;
  // Faster handling of the two most frequent events. The checks accept only data that the schema would return
  // unchanged, which a test ensures.
  if (name === 'content_block:delta' && isContentDelta(data)) return { event: 'content_block:delta', data };
  if (name === 'thinking:delta' && isThinkingDelta(data)) return { event: 'thinking:delta', data };
  return decodeRare(sessionId, name, data);
}

function isContentDelta(data: unknown): data is EventData<'content_block:delta'> {
  return isThinkingDelta(data) && Number.isSafeInteger(data['block_index']) && Number(data['block_index']) >= 0;
}

function isThinkingDelta(data: unknown): data is EventData<'thinking:delta'> {
  return isRecord(data) && typeof data['session_id'] === 'string' && typeof data['delta'] === 'string';
}

function decodeRare(sessionId: string, wireName: string, data: unknown): SessionEvent | IgnoredMessage {
  const fields = { session_id: sessionId, ...withoutNulls(isRecord(data) ? data : {}) };
  const name = renamed[wireName] ?? wireName;
  if (!knownNames.has(name)) return ignored('unknownEvent', wireName);
  const repair = repairs[wireName];
  const event = SessionEvent.safeParse({ event: name, data: repair ? repair(fields) : fields });
  return event.data ?? ignored('invalid', wireName);
}

const renamed: Readonly<Record<string, string>> = { 'display:text': 'notice', warning: 'notice' };

/** Convert events to their canonical form before validation: servers omit fields or format them differently. */
const repairs: Readonly<Record<string, (data: Fields) => Fields>> = {
  // Drops the context, because the server repeats all of it, including file contents.
  'prompt:submit': (data) => without(data, (_value, key) => key === 'context_update'),
  'prompt:complete': (data) => ({ response: '', ...data }),
  'content_block:start': (data) => ({ block_type: 'text', block_index: 0, ...data }),
  'content_block:delta': (data) => ({ block_index: 0, ...data }),
  'content_block:end': (data) => ({ block_index: 0, ...data }),
  'tool:pre': (data) => ({ ...withToolName(data), input: isRecord(data['input']) ? data['input'] : {} }),
  'tool:post': (data) => ({ ...withToolName(data), result: toolResult(data['result']) }),
  'tool:error': (data) => ({ ...withToolName(data), error: errorText(data) }),
  'approval:required': (data) => ({
    prompt: 'The agent is asking for your approval.',
    options: [],
    ...withStringApprovalId(data),
  }),
  'approval:granted': (data) => ({ decision: '', ...withStringApprovalId(data) }),
  'approval:denied': (data) => ({ decision: '', ...withStringApprovalId(data) }),
  'status:update': (data) => ({ status: 'processing', ...data }),
  error: (data) => ({ ...errorCode(data), ...data, error: errorText(data) }),
  'display:text': (data) => ({ ...data, level: data['type'], message: data['text'] }),
  warning: (data) => ({ ...data, level: 'warning' }),
};

function withToolName(data: Fields): Fields {
  const { tool_name: tool = 'tool', operation = tool } = data;
  return { ...data, tool_name: tool, operation };
}

function toolResult(result: unknown): Fields {
  if (!isRecord(result)) return { success: true, ...(result === undefined ? {} : { output: result }) };
  if (typeof result['success'] === 'boolean') return result;
  return { success: (result['error'] ?? null) === null, output: result };
}

function errorText({ error, message }: Fields): string {
  if (typeof error === 'string') return error;
  if (isRecord(error) && typeof error['message'] === 'string') return error['message'];
  if (typeof message === 'string') return message;
  return error === undefined ? 'The server reported an error without details.' : JSON.stringify(error);
}

function errorCode({ error }: Fields): Fields {
  return isRecord(error) && typeof error['code'] === 'string' ? { code: error['code'] } : {};
}

function withoutNulls(data: Fields): Fields {
  return without(data, (value) => value === null);
}

function without(data: Fields, isUnwanted: (value: unknown, key: string) => boolean): Fields {
  return Object.fromEntries(Object.entries(data).filter(([key, value]) => !isUnwanted(value, key)));
}

function ignored(reason: IgnoredReason, name = ''): IgnoredMessage {
  return { ignored: reason, name };
}
