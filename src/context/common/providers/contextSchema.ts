import * as z from 'zod';

/** The messages of the three dialects except items (see `itemReader`). Drops unknown members; `null` means absent. */

export const dialects = ['A', 'B', 'C'] as const;
/** A: `capabilities`, and `items` with ranges. B: `annotations` for documents. C: `meta` instead of `capabilities`. */
export type Dialect = (typeof dialects)[number];

const selector = z.object({ path: z.string().nullish(), contentContains: z.string().nullish() });
export type WireSelector = z.infer<typeof selector>;

/** Not nullable: null would be neither all documents nor none. */
const selectors = z.array(selector).optional();

/** The handshake of A and B. Only the later form of B has `meta`. */
export const capabilitiesResult = z.object({
  selector: selectors,
  meta: z.object({ name: z.string().nullish() }).nullish(),
});

/** The handshake of C. Its first form has `selector` and `features`, its later form `annotations`. */
export const metaResult = z.object({
  name: z.string().nullish(),
  selector: selectors,
  features: z.object({ mentions: z.unknown().optional() }).nullish().catch({}),
  mentions: z.unknown().optional(),
  annotations: z.object({ selectors }).nullish(),
});

/** Servers report errors in several forms. */
const wireError = z.object({
  code: z
    .union([z.number(), z.string().min(1)])
    .optional()
    .catch(undefined),
  message: z.string().min(1).catch('it does not say why'),
});
export type WireError = z.infer<typeof wireError>;

/** The response over HTTP. An error takes precedence over a result. */
export const responseMessage = z.object({
  result: z.unknown().optional(),
  error: z.union([wireError, z.string().transform((message): WireError => ({ message }))]).nullish(),
});
