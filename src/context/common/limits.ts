/** Sizes at which something is cut or left out, so that no provider can fill the window's memory. */
export const itemLimits = {
  /** Of one provider for one file. */
  items: 10_000,
  /** UTF-16 units. */
  title: 1_000,
  url: 8_192,
  hover: 64 * 1_024,
  aiContent: 256 * 1_024,
  /** All texts of one answer together, in UTF-16 units. */
  answer: 2 * 1_024 * 1_024,
  selectors: 1_000,
} as const;

export const mentionLimits = {
  /** Of one provider for one query. */
  mentions: 50,
  /** So many of an answer are looked at. */
  looked: 1_000,
  /** What a provider keeps with a mention, as JSON, in UTF-16 units. */
  data: 16 * 1_024,
  /** All texts of one answer together, in UTF-16 units. */
  answer: 256 * 1_024,
} as const;
