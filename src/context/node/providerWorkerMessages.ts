import * as z from 'zod';
import { mention, mentionList } from '../common/ai/providerMention';
import { packedItems } from '../common/items/packedItems';

/** What the extension host and the worker of a provider say to each other. */

/** Of a document, written once and read by every worker that needs it. */
const sharedText = z.object({ memory: z.instanceof(SharedArrayBuffer), size: z.number(), length: z.number() });

const settings = z.record(z.string(), z.unknown());

export const workerRequest = z.discriminatedUnion('method', [
  /** Which files the module consists of; runs nothing of it. For a guarded one the first request. */
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
    lookup: z.union([z.object({ mention }), z.object({ query: z.string() })]),
  }),
]);
export type WorkerRequest = z.infer<typeof workerRequest>;

/** SHA-256 in hex of a file that is part of a module. */
const hashedFile = z.object({ url: z.string(), hash: z.string() });
export type HashedFile = z.infer<typeof hashedFile>;
export const mostFiles = 1_000;

/** Which module the worker is for. */
export const workerStart = z.object({
  /** A URL, or a package's name. */
  specifier: z.string(),
  /** `file:` URI of the folder that a package is looked for from. */
  folder: z.string().exactOptional(),
  /** Only what a survey has found may be loaded, as it was found. */
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
  z.object({ kind: z.literal('survey'), id: z.number(), files: z.array(hashedFile).max(mostFiles) }),
  z.object({ kind: z.literal('items'), id: z.number(), packed: packedItems }),
  z.object({ kind: z.literal('mentions'), id: z.number(), mentions: mentionList }),
  /** `isModule`: the module itself could not be had, and will not be by asking this worker again. */
  z.object({
    kind: z.literal('failed'),
    id: z.number(),
    message: z.string(),
    /** With its stack, for the log. */
    details: z.string().max(10_000).exactOptional(),
    isModule: z.boolean(),
  }),
  /** `file:` URIs of what the module consists of so far, packages excepted. */
  z.object({ kind: z.literal('files'), urls: z.array(z.string()).max(mostFiles) }),
  /** The provider did not catch something. */
  z.object({ kind: z.literal('trouble'), details: z.string().max(10_000) }),
  /** Bytes outside of JavaScript's heap, for example of buffers. */
  z.object({ kind: z.literal('memory'), bytes: z.number() }),
]);
export type WorkerMessage = z.infer<typeof workerMessage>;
