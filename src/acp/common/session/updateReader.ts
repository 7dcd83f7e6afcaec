import type * as z from 'zod';
import type { SessionEvent } from '../../../session/common/sessionEvents';

/** Reads the updates of one session in one version of the protocol. */
export interface UpdateReader {
  /** Maps the unparsed `update` member of a `session/update`. */
  mapUpdate(update: { readonly sessionUpdate: string }): SessionEvent[];
}

/** Returns the events of an update; undefined if the update is malformed. */
export type UpdateHandler = (update: object) => SessionEvent[] | undefined;

export function parsingHandler<Schema extends z.ZodType>(
  schema: Schema,
  handle: (update: z.output<Schema>) => SessionEvent[] | undefined,
): UpdateHandler {
  return (update) => {
    const parsed = schema.safeParse(update);
    return parsed.success ? handle(parsed.data) : undefined;
  };
}
