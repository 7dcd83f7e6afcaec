import { approximateUtf16Units } from '../../../base/common/text/approximateUtf16Units';
import { endOfText } from '../../../base/common/text/endOfText';
import { isRecord } from '../../../base/common/isRecord';
import type { SessionEvent, ToolContent } from '../../../session/common/sessionEvents';

/** Maximum length of one output of a call that is kept, in UTF-16 units. Its end is kept, and its start is left out. */
const maxOutputUnits = 1024 * 1024;
/** Maximum size of a result whose content is shown instead, and of each of its texts, in UTF-16 units. */
const maxRepeatedUnits = 4096;
const maxRepeatedText = 256;

/**
 * Returns what is kept of an event: outputs of calls have a limit, a result does not repeat the content of its call, and the
 * end of a turn not its answer.
 * The transcript is made from the same form, so that it is the same when it is read again.
 */
export function storedForm(event: SessionEvent): SessionEvent {
  switch (event.event) {
    case 'tool:pre':
      return { ...event, data: withShortContent(event.data) };
    case 'tool:error':
      return { ...event, data: withShortContent(event.data) };
    case 'tool:update':
      return { ...event, data: withShortResult(withShortContent(event.data)) };
    case 'tool:post': {
      const data = withShortResult(withShortContent(event.data));
      return { ...event, data: { ...data, result: data.result } };
    }
    case 'prompt:complete':
      // The blocks of the answer come before it.
      return { ...event, data: { ...event.data, response: '' } };
    default:
      return event;
  }
}

function withShortContent<Data extends { content?: ToolContent[] | undefined }>(data: Data): Data {
  if (!data.content?.some((item) => lengthOf(item) > maxOutputUnits)) return data;
  return { ...data, content: data.content.map(shortItem) };
}

function lengthOf(item: ToolContent): number {
  return item.type === 'text' ? item.text.length : item.type === 'terminal' ? item.output.length : 0;
}

function shortItem(item: ToolContent): ToolContent {
  if (lengthOf(item) <= maxOutputUnits) return item;
  if (item.type === 'text') return { ...item, text: endOfText(item.text, maxOutputUnits), truncated: true };
  if (item.type === 'terminal') return { ...item, output: endOfText(item.output, maxOutputUnits), truncated: true };
  return item;
}

interface WithResult {
  readonly content?: ToolContent[] | undefined;
  readonly result?: { readonly success: boolean; readonly output?: unknown } | undefined;
}

function withShortResult<Data extends WithResult>(data: Data): Data {
  const { content = [], result } = data;
  if (!result || !('output' in result) || approximateUtf16Units(result.output) <= maxRepeatedUnits) return data;
  // A failed call shows its output as the error.
  const isRepeated = content.length > 0 && result.success;
  const output = isRepeated
    ? withShortTexts(result.output, maxRepeatedText)
    : withShortTexts(result.output, maxOutputUnits);
  return { ...data, result: { ...result, output } };
}

function withShortTexts(value: unknown, maxUnits: number): unknown {
  if (typeof value === 'string') return value.length <= maxUnits ? value : `[…] ${endOfText(value, maxUnits)}`;
  if (Array.isArray(value)) return value.map((item) => withShortTexts(item, maxUnits));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withShortTexts(member, maxUnits)]));
}
