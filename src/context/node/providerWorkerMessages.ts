import * as z from 'zod';
import { mentionSchema, mentionListSchema } from '../common/ai/providerMention';
import { packedItemsSchema } from '../common/items/packedItems';

/** The text of a document. All workers that need it share the memory. */
const sharedText = z.object({ memory: z.instanceof(SharedArrayBuffer), byteLength: z.number(), length: z.number() });

const settings = z.record(z.string(), z.unknown());

export const workerRequest = z.discriminatedUnion('method', [
  /** Lists the files of the module without running it. The first request to a guarded worker. */
  z.object({ method: z.literal('survey'), id: z.number() }),
  z.object({ method: z.literal('capabilities'), id: z.number(), settings }),
  z.object({
    method: z.literal('items'),
    id: z.number(),
    settings,
    uri: z.string(),
    text: sharedText,
  }),
  z.object({
    method: z.literal('mentions'),
    id: z.number(),
    settings,
    params: z.object({ query: z.string(), uri: z.string().exactOptional(), codebase: z.string().exactOptional() }),
  }),
  z.object({
    method: z.literal('lookUp'),
    id: z.number(),
    settings,
    lookup: z.union([z.object({ mention: mentionSchema }), z.object({ query: z.string() })]),
  }),
]);
export type WorkerRequest = z.infer<typeof workerRequest>;

/** A file of a module, and the SHA-256 of its content (hex). */
const hashedFile = z.object({ url: z.string(), hash: z.string() });
export type HashedModuleFile = z.infer<typeof hashedFile>;
export const maxModuleFiles = 1_000;

export const workerStart = z.object({
  /** The URL of a module, or the name of a package. */
  specifier: z.string(),
  /** `file:` URI of the folder in which a package is looked up. */
  folder: z.string().exactOptional(),
  /** If set, only files in the answer to `survey` may be loaded, and only if their content is unchanged. */
  isGuarded: z.boolean().exactOptional(),
});
export type WorkerStart = z.infer<typeof workerStart>;

const selector = z.object({ path: z.string().exactOptional(), contentContains: z.string().exactOptional() });

export const workerMessage = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('capabilities'),
    id: z.number(),
    capabilities: z.object({
      abilities: z.object({ annotations: z.boolean(), mentions: z.boolean(), items: z.boolean() }),
      name: z.string().exactOptional(),
      selectors: z.array(selector).readonly().exactOptional(),
    }),
  }),
  z.object({ kind: z.literal('survey'), id: z.number(), files: z.array(hashedFile).max(maxModuleFiles) }),
  z.object({ kind: z.literal('items'), id: z.number(), packed: packedItemsSchema }),
  z.object({ kind: z.literal('mentions'), id: z.number(), mentions: mentionListSchema }),
  /** `isModule`: the module could not be loaded, so that further requests to this worker cannot succeed. */
  z.object({
    kind: z.literal('failed'),
    id: z.number(),
    message: z.string(),
    /** Stack trace for the log. */
    details: z.string().max(10_000).exactOptional(),
    isModule: z.boolean(),
  }),
  /** `file:` URIs of the module's files that were loaded until now. Packages are excluded. */
  z.object({ kind: z.literal('files'), urls: z.array(z.string()).max(maxModuleFiles) }),
  z.object({ kind: z.literal('trouble'), details: z.string().max(10_000) }),
  /** Size of memory outside the JavaScript heap, such as buffers, in bytes. */
  z.object({ kind: z.literal('memory'), bytes: z.number() }),
]);
export type WorkerMessage = z.infer<typeof workerMessage>;
