import { crc32 } from 'node:zlib';
import * as z from 'zod';
import { parseJson } from '../../../base/common/parseJson';
import type { FileVersion } from '../../../base/node/filePort';
import type { ConversationHead } from '../../common/chatStore';
import type { ConversationPlace } from '../../common/conversations/conversationPlace';

/** A head as its file has said it, without what a list does not need. */
export interface StoredHead {
  /** Absolute path of the folder that has the conversation. */
  readonly root: string;
  readonly head: ConversationHead;
  /** The version of the file. Undefined if the file has to be read again, because it may have changed unseen. */
  readonly version: FileVersion | undefined;
}

interface HeadIndex {
  readonly headById: ReadonlyMap<string, StoredHead>;
  /** When each folder of heads was changed last, by the folder of its conversations. */
  readonly changedAtByRoot: ReadonlyMap<string, number>;
}

/**
 * What an index must say to be believed: its own version, and the checksum of the JSON schema of a head. An index of heads of
 * another shape, also deep inside, does not say all that this version of Backline needs. `headIndex.test.ts` computes it.
 */
const headIndexFormat = '2 2530882618';

/** What this version of Backline has written needs no check but that of its checksum, which takes a tenth of the time. */
const Index = z.object({
  format: z.literal(headIndexFormat),
  roots: z.array(z.object({ path: z.string(), changedAt: z.number().optional() })),
  places: z.custom<readonly Omit<ConversationPlace, 'at'>[]>(),
  heads: z.custom<readonly IndexedHead[]>(),
});
type Index = z.infer<typeof Index>;

interface IndexedHead {
  /** Its number in `roots`. */
  readonly root: number;
  /** Number in `places`, as most conversations share them, and its `at`. */
  readonly place?: readonly [place: number, at: number];
  readonly version: readonly [mtimeMs: number, sizeBytes: number];
  readonly head: Omit<ConversationHead, 'place'>;
}

/** Returns the index as text. Only has heads whose version is known. */
export function encodeHeadIndex({ changedAtByRoot, headById }: HeadIndex): string {
  const roots = new Numbered<string>();
  const places = new Numbered<string>();
  const heads = [...headById.values()].flatMap(({ head: { place, ...head }, root, version }) => {
    if (!version) return [];
    const { at = 0, ...where } = place ?? {};
    const placed: Pick<IndexedHead, 'place'> = place ? { place: [places.numberOf(JSON.stringify(where)), at] } : {};
    const { mtimeMs, sizeBytes } = version;
    return [{ root: roots.numberOf(root), ...placed, version: [mtimeMs, sizeBytes], head }];
  });
  for (const root of changedAtByRoot.keys()) roots.numberOf(root);
  const index = {
    format: headIndexFormat,
    roots: roots.all.map((path) => ({ path, changedAt: changedAtByRoot.get(path) })),
    places: places.all.map(parseJson),
    heads,
  };
  const json = JSON.stringify(index);
  return `${crc32(json)} ${json}`;
}

/** Returns what the index says. Undefined if it is missing, damaged or of another version. */
export function decodeHeadIndex(text: string | undefined): HeadIndex | undefined {
  const [, checksum, json] = /^(\d+) (.*)$/s.exec(text ?? '') ?? [];
  if (json === undefined || Number(checksum) !== crc32(json)) return undefined;
  const index = Index.safeParse(parseJson(json)).data;
  if (!index) return undefined;
  const headById = new Map<string, StoredHead>();
  for (const indexed of index.heads) {
    const stored = storedHeadOf(index, indexed);
    if (stored) headById.set(stored.head.id, stored);
  }
  const times = index.roots.flatMap(({ changedAt, path }) =>
    changedAt === undefined ? [] : [[path, changedAt] as const],
  );
  return { headById, changedAtByRoot: new Map(times) };
}

/** Undefined if the index has no such root or place. */
function storedHeadOf({ places, roots }: Index, { head, place, root, version }: IndexedHead): StoredHead | undefined {
  const where = place && places[place[0]];
  const path = roots[root]?.path;
  if (path === undefined || (place && !where)) return undefined;
  const [mtimeMs, sizeBytes] = version;
  // What was parsed is nobody else's, so it needs no copy.
  const placed: ConversationHead = where ? Object.assign(head, { place: { ...where, at: place[1] } }) : head;
  return { root: path, head: placed, version: { mtimeMs, sizeBytes } };
}

/** Numbers values in the order in which they come. */
class Numbered<Value> {
  private readonly numbers = new Map<Value, number>();

  get all(): Value[] {
    return [...this.numbers.keys()];
  }

  numberOf(value: Value): number {
    const number = this.numbers.get(value) ?? this.numbers.size;
    this.numbers.set(value, number);
    return number;
  }
}
