import type { MessagePort } from 'node:worker_threads';
import * as z from 'zod';
import { mentionListSchema, type LookupTarget, type MentionsParams } from '../common/ai/providerMention';
import { packedItemsSchema } from '../common/items/packedItemsSchema';
import { maxModuleFiles } from '../common/limits';
import { dialects } from '../common/providers/contextSchema';
import type { ProviderSettings } from '../common/providers/contextProvider';
import type { SharedText } from './textSharer';

/** Data of a worker when it starts. */
export interface WorkerStart {
  /** The port for requests and messages. Providers have no access to it. */
  readonly port: MessagePort;
  /** See `WorkerProgress`. */
  readonly progress: SharedArrayBuffer;
  /** Whether the worker may run several providers. */
  readonly isShared: boolean;
  /** If set, only files found by the survey may be loaded, with the same content. */
  readonly isGuarded: boolean;
  /** `file:` URI of the folder in which a package is looked up. */
  readonly folder: string | undefined;
}

export interface ModuleLocation {
  /** A URL or the name of a package. */
  readonly specifier: string;
  /** `file:` URI of the folder in which a package is looked up. */
  readonly folder?: string;
}

export type ProviderWorkerRequestBody =
  /** Lists the files of the module without running it. The first request to a guarded worker. */
  | { readonly method: 'survey' }
  | { readonly method: 'capabilities'; readonly settings: ProviderSettings }
  | { readonly method: 'items'; readonly settings: ProviderSettings; readonly uri: string; readonly text: SharedText }
  | { readonly method: 'mentions'; readonly settings: ProviderSettings; readonly params: MentionsParams }
  | { readonly method: 'lookUp'; readonly settings: ProviderSettings; readonly lookup: LookupTarget };

/** What workers receive. There is no schema, because they trust the extension host. */
export interface ProviderWorkerBatch {
  readonly requests: readonly ProviderWorkerRequest[];
  /** Whether the next batch follows at once. The answers to both are then sent together. */
  readonly isContinued: boolean;
}

export interface ProviderWorkerRequest {
  readonly id: number;
  /** Number of the provider. */
  readonly provider: number;
  /** Set in the first request to this provider in this worker. */
  readonly module?: ModuleLocation;
  readonly body: ProviderWorkerRequestBody;
}

/** A file of a module, and the SHA-256 of its content (hex). */
const hashedFile = z.object({ url: z.string(), hash: z.string() });
export type HashedModuleFile = z.infer<typeof hashedFile>;

const workerMessage = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('capabilities'),
    id: z.number(),
    dialect: z.enum(dialects),
    /** Determined by the functions of the provider. */
    abilities: z.object({ annotations: z.boolean(), mentions: z.boolean(), items: z.boolean() }),
    /** The provider's answer, validated by the receiver. */
    handshake: z.unknown(),
  }),
  z.object({ kind: z.literal('survey'), id: z.number(), files: z.array(hashedFile).max(maxModuleFiles) }),
  z.object({ kind: z.literal('items'), id: z.number(), packed: packedItemsSchema }),
  z.object({ kind: z.literal('mentions'), id: z.number(), mentions: mentionListSchema }),
  /** `isModule`: the module could not be loaded, so later requests to it in this worker cannot succeed. */
  z.object({
    kind: z.literal('failed'),
    id: z.number(),
    message: z.string(),
    /** Stack trace for the log. */
    details: z.string().max(10_000).exactOptional(),
    isModule: z.boolean(),
  }),
  /** `file:` URIs of the module's files that were loaded until now. Packages are excluded. */
  z.object({ kind: z.literal('files'), provider: z.number(), urls: z.array(z.string()).max(maxModuleFiles) }),
  /** An uncaught error. Without `provider`, any provider may have caused it. */
  z.object({ kind: z.literal('trouble'), provider: z.number().exactOptional(), details: z.string().max(10_000) }),
  /** Memory outside the JavaScript heap, such as buffers, in bytes. */
  z.object({ kind: z.literal('memory'), bytes: z.number() }),
]);
export type ProviderWorkerMessage = z.infer<typeof workerMessage>;
export const workerMessages = z.array(workerMessage).max(10_000);

export type ProviderWorkerAnswer = Extract<
  ProviderWorkerMessage,
  { kind: 'survey' | 'capabilities' | 'items' | 'mentions' }
>;
