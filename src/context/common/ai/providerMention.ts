import * as z from 'zod';
import { itemLimits, mentionLimits } from '../limits';

/** Something for which a provider has items, such as an issue or a symbol. Also used for worker messages. */
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
