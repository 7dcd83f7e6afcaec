import * as z from 'zod';

/** Message schemas of the dialects, except for items. Unknown members are dropped, and `null` means absent. */

export const dialects = ['A', 'B', 'C'] as const;
/** The dialects' methods. A: `capabilities`, `items`. B: `capabilities`, `annotations`. C: `meta`, `annotations`. */
export type Dialect = (typeof dialects)[number];

const selector = z.object({ path: z.string().nullish(), contentContains: z.string().nullish() });
export type WireSelector = z.infer<typeof selector>;

/** Absent: all documents match. Empty: none. `null` is invalid, because its meaning would be unclear. */
const selectors = z.array(selector).optional();

/** The result of the handshake in dialects A and B. Only the later form of B has `meta`. */
export const capabilitiesResult = z.object({
  selector: selectors,
  meta: z.object({ name: z.string().nullish() }).nullish(),
});

/** Result of the handshake in dialect C: `selector` and `features` in its first form, `annotations` later. */
export const metaResult = z.object({
  name: z.string().nullish(),
  selector: selectors,
  features: z.object({ mentions: z.unknown().optional() }).nullish().catch({}),
  mentions: z.unknown().optional(),
  annotations: z.object({ selectors }).nullish(),
});

/** An error from a server. Servers use several forms. */
const wireError = z.object({
  code: z
    .union([z.number(), z.string().min(1)])
    .optional()
    .catch(undefined),
  message: z.string().min(1).catch('no reason given'),
});
export type WireError = z.infer<typeof wireError>;

/** The response over HTTP. If it contains an error and a result, the error takes precedence. */
export const responseMessage = z.object({
  result: z.unknown().optional(),
  error: z.union([wireError, z.string().transform((message): WireError => ({ message }))]).nullish(),
});
