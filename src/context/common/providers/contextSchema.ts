import * as z from 'zod';

/**
 * The wire of the three dialects, but for items, which `itemReader` checks. Unknown fields are dropped; `null` is understood
 * as absent, as JSON writers mean it.
 */

export const dialects = ['A', 'B', 'C'] as const;
/**
 * A is the document's: `capabilities`, `items` with ranges. B has `annotations` for documents. C says `meta` instead of
 * `capabilities`.
 */
export type Dialect = (typeof dialects)[number];

const selector = z.object({ path: z.string().nullish(), contentContains: z.string().nullish() });
export type WireSelector = z.infer<typeof selector>;

/** `selector` must not be null: that is neither everywhere nor nowhere. */
const selectors = z.array(selector).optional();

/** The handshake of A and B; `meta` came with the later form of B. */
export const capabilitiesResult = z.object({
  selector: selectors,
  meta: z.object({ name: z.string().nullish() }).nullish(),
});

/** The handshake of C: its first form has `selector` and `features`, its later one `annotations`. */
export const metaResult = z.object({
  name: z.string().nullish(),
  selector: selectors,
  features: z.object({ mentions: z.unknown().optional() }).nullish().catch({}),
  mentions: z.unknown().optional(),
  annotations: z.object({ selectors }).nullish(),
});

/** Servers say it in several ways; whichever it is, it is an error. */
const wireError = z.object({
  code: z
    .union([z.number(), z.string().min(1)])
    .optional()
    .catch(undefined),
  message: z.string().min(1).catch('it does not say why'),
});
export type WireError = z.infer<typeof wireError>;

/** The answer over HTTP; an error wins over a result. */
export const responseMessage = z.object({
  result: z.unknown().optional(),
  error: z.union([wireError, z.string().transform((message): WireError => ({ message }))]).nullish(),
});
