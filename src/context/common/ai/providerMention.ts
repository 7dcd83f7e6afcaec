import * as z from 'zod';
import { parseJson } from '../../../base/common/parseJson';
import { itemLimits, mentionLimits } from '../limits';
import { ProviderError } from '../providers/providerError';

/**
 * Something for which a provider has items, such as an issue or a symbol. The schema is also used for worker messages.
 */
export const mentionSchema = z.object({
  title: z.string().min(1).max(itemLimits.title),
  uri: z.string().max(itemLimits.url),
  description: z.string().max(itemLimits.title).exactOptional(),
  /** Data of the provider as JSON. It is passed back when the items are requested. */
  data: z.string().max(mentionLimits.data).exactOptional(),
});
export type Mention = z.infer<typeof mentionSchema>;

export const mentionListSchema = z.array(mentionSchema).max(mentionLimits.mentions);

export interface MentionsParams {
  readonly query: string;
  /** URI of the active file. */
  readonly uri?: string;
  /** Name of the repository, for example `github.com/owner/repository`. */
  readonly codebase?: string;
}

export type LookupTarget = { readonly mention: Mention } | { readonly query: string };

const wireMentionSchema = z.object({
  title: z.string().min(1),
  uri: z.string(),
  description: z.string().nullish(),
  data: z.unknown().optional(),
});

/**
 * Reads the mentions in a result. Skips invalid mentions and truncates long texts. @throws ProviderError if the result
 * is not a list
 */
export function readMentions(result: unknown): Mention[] {
  if (result === undefined || result === null) return [];
  if (!Array.isArray(result)) throw new ProviderError('The provider’s answer to `mentions` must be an array.');
  const values: readonly unknown[] = result;
  const found: Mention[] = [];
  let units = 0;
  for (let index = 0; index < values.length && index < mentionLimits.scanned; index++) {
    const read = readMention(values[index]);
    if (!read) continue;
    units += read.title.length + read.uri.length + (read.description?.length ?? 0) + (read.data?.length ?? 0);
    if (found.length === mentionLimits.mentions || units > mentionLimits.answer) break;
    found.push(read);
  }
  return found;
}

/**
 * Returns the parameters of a request for items. Recent providers expect `message`, and earlier ones expect `query`.
 */
export function toLookupParams(lookup: LookupTarget): object {
  if ('query' in lookup) return { query: lookup.query, message: lookup.query };
  const { data, ...mentioned } = lookup.mention;
  return { mention: data === undefined ? mentioned : { ...mentioned, data: parseJson(data) } };
}

function readMention(value: unknown): Mention | undefined {
  const { data: read } = wireMentionSchema.safeParse(value);
  if (!read || read.uri.length > itemLimits.url) return undefined;
  const data = toJson(read.data);
  if (data !== undefined && data.length > mentionLimits.data) return undefined;
  return {
    title: truncateTitle(read.title),
    uri: read.uri,
    ...(read.description ? { description: truncateTitle(read.description) } : {}),
    ...(data === undefined ? {} : { data }),
  };
}

function truncateTitle(text: string): string {
  return text.length > itemLimits.title ? `${text.slice(0, itemLimits.title - 1)}…` : text;
}

/** Returns the JSON of an object. Undefined if the value is not an object or cannot be converted. */
function toJson(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  try {
    return JSON.stringify(data);
  } catch {
    return undefined;
  }
}
