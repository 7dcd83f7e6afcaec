/** The positions of the elements in the list `messages` of a JSON document, as byte offsets. */
export interface MessageOffsets {
  /** The offset after the `[`. */
  readonly listStart: number;
  /** For each element, the offset after the `[` or comma before it. An empty list has one offset. */
  readonly starts: readonly number[];
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;
const messagesKey = Buffer.from('messages');

/**
 * Finds the messages in valid JSON. Undefined if it has no list `messages`, or if the key is there twice, so that it is not
 * obvious which list counts.
 */
export function findMessages(content: Buffer): MessageOffsets | undefined {
  return scan(content, { at: 0, depth: 0, listStart: undefined, starts: [] });
}

/**
 * Like `findMessages`, for JSON that equals an earlier document until after `starts[index]`. The offsets are those of
 * the earlier document.
 */
export function findMessagesAgain(
  content: Buffer,
  { listStart, starts }: MessageOffsets,
  index: number,
): MessageOffsets | undefined {
  const at = starts[index];
  return at === undefined ? undefined : scan(content, { at, depth: 2, listStart, starts: starts.slice(0, index + 1) });
}

function scan(
  content: Buffer,
  from: { at: number; depth: number; listStart: number | undefined; starts: number[] },
): MessageOffsets | undefined {
  let { depth, listStart } = from;
  const { starts } = from;
  let isInList = listStart !== undefined;
  let isMessages = false;
  /** The last string in the outermost object. It is a key if a colon follows. */
  let key = content.subarray(0, 0);
  for (let { at } = from; at < content.length; at++) {
    switch (content[at]) {
      case quote: {
        const end = endOfText(content, at + 1);
        if (depth === 1) key = content.subarray(at + 1, end);
        at = end;
        break;
      }
      case colon:
        if (depth !== 1) break;
        // With escape sequences, the key may be another spelling of `messages`.
        if (key.includes(backslash)) return undefined;
        isMessages = key.equals(messagesKey);
        if (isMessages && listStart !== undefined) return undefined;
        break;
      case openList:
        if (depth === 1 && isMessages) {
          isInList = true;
          listStart = at + 1;
          starts.push(listStart);
        }
        depth++;
        break;
      case openObject:
        depth++;
        break;
      case closeList:
      case closeObject:
        depth--;
        if (depth === 1) isInList = false;
        break;
      case comma:
        if (isInList && depth === 2) starts.push(at + 1);
        break;
      default:
        break;
    }
  }
  return listStart === undefined ? undefined : { listStart, starts };
}

/** Returns the offset of the quote that ends a text. */
function endOfText(content: Buffer, start: number): number {
  for (let end = content.indexOf(quote, start); end >= 0; end = content.indexOf(quote, end + 1)) {
    let backslashes = 0;
    while (content[end - 1 - backslashes] === backslash) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return content.length;
}
