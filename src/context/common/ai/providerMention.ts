import * as z from 'zod';
import { itemLimits, mentionLimits } from '../limits';

/** Something that a provider has items for, such as an issue or a symbol. Validated; also used for worker messages. */
export const mentionSchema = z.object({
  title: z.string().min(1).max(itemLimits.title),
  uri: z.string().max(itemLimits.url),
  description: z.string().max(itemLimits.title).exactOptional(),
  /** JSON data of the provider, passed back when its items are requested. */
  data: z.string().max(mentionLimits.data).exactOptional(),
});
export type Mention = z.infer<typeof mentionSchema>;

export const mentionListSchema = z.array(mentionSchema).max(mentionLimits.mentions);

export interface MentionsParams {
  readonly query: string;
  /** URI of the active file. */
  readonly uri?: string;
  /** For example `github.com/owner/repository`. */
  readonly codebase?: string;
}

export type LookupTarget = { readonly mention: Mention } | { readonly query: string };
