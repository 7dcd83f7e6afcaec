import { parseJson } from '../../../base/common/parseJson';
import { itemLimits, mentionLimits } from '../limits';
import { ProviderError } from '../providers/providerError';
import type { LookupTarget, Mention } from './providerMention';

// Without zod, because the program of the workers uses it. The extension host validates what a worker sends.

/** Skips invalid mentions and truncates long texts. @throws ProviderError if the result is not a list */
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

/** The parameters of a request for items. Later providers expect `message` where earlier ones expect `query`. */
export function toLookupParams(lookup: LookupTarget): object {
  if ('query' in lookup) return { query: lookup.query, message: lookup.query };
  const { data, ...mentioned } = lookup.mention;
  return { mention: data === undefined ? mentioned : { ...mentioned, data: parseJson(data) } };
}

function readMention(value: unknown): Mention | undefined {
  const fields = fieldsOf(value);
  const { title, uri, description } = fields;
  if (typeof title !== 'string' || title === '' || typeof uri !== 'string' || uri.length > itemLimits.url)
    return undefined;
  if (description !== undefined && description !== null && typeof description !== 'string') return undefined;
  const data = toJson(fields.data);
  if (data !== undefined && data.length > mentionLimits.data) return undefined;
  return {
    title: truncateTitle(title),
    uri,
    ...(description ? { description: truncateTitle(description) } : {}),
    ...(data === undefined ? {} : { data }),
  };
}

/** Possible members of a mention. Their values are not validated yet. */
interface Fields {
  readonly title?: unknown;
  readonly uri?: unknown;
  readonly description?: unknown;
  readonly data?: unknown;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? value : {};
}

function truncateTitle(text: string): string {
  return text.length > itemLimits.title ? `${text.slice(0, itemLimits.title - 1)}…` : text;
}

/** Returns the JSON of an object; undefined if the value is not an object or has no JSON. */
function toJson(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  try {
    return JSON.stringify(data);
  } catch {
    return undefined;
  }
}
