import * as z from 'zod';
import { parseJson } from '../../../base/common/parseJson';
import { Usage } from '../../../transcript/common/entries';
import {
  relationRoles,
  relationTypes,
  threadSourceKinds,
  threadStates,
  type ThreadHead,
} from '../../common/threadPorts';
import { FileVersionKey } from '../../../texts/node/files/fileKey';
import { verifyChecksumAndGetBody, type StoredHead } from './headFile';
import { IndexFileError } from '../../../texts/node/files/indexFileError';

const text = z.string().exactOptional();
const number = z.number().exactOptional();
const head = z.object({
  id: z.string(),
  source: z.enum(threadSourceKinds),
  path: text,
  sizeBytes: number,
  mtimeMs: number,
  title: text,
  firstPrompt: text,
  folders: z.array(z.string()),
  repository: text,
  branch: text,
  createdAt: number,
  lastPromptAt: z.number(),
  promptCount: z.number(),
  messageCount: z.number(),
  mode: text,
  model: text,
  usage: z.exactOptional(Usage),
  hasChanges: z.boolean(),
  isArchived: z.boolean(),
  state: z.enum(threadStates),
  relations: z.array(z.object({ type: z.enum(relationTypes), role: z.enum(relationRoles), threadId: z.string() })),
  problem: text,
}) satisfies z.ZodType<ThreadHead>;

const Line = z.object({ file: FileVersionKey, head: head.nullable() });
const newline = 0x0a;

/** Returns heads one by one, so that the caller can pause. Skips invalid lines. @throws IndexFileError */
export function* decodeHeads(content: Buffer): Generator<StoredHead, void> {
  const body = verifyChecksumAndGetBody(content);
  for (let start = 0; start < body.length;) {
    const end = body.indexOf(newline, start);
    if (end < 0) throw new IndexFileError('it ends in the middle of a line');
    const { data } = Line.safeParse(parseJson(body.toString('utf8', start, end)));
    if (data) yield data;
    start = end + 1;
  }
}
