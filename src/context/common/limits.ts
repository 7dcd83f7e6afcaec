/** Limits for items. Data above them is truncated or skipped, so that no provider can exhaust memory. */
export const itemLimits = {
  /** Maximum number of items per provider and file. */
  items: 10_000,
  /** Maximum lengths of texts, in UTF-16 units. */
  title: 1_000,
  url: 8_192,
  hover: 64 * 1_024,
  aiContent: 256 * 1_024,
  /** Maximum length of all texts of one answer, in UTF-16 units. */
  answer: 2 * 1_024 * 1_024,
  selectors: 1_000,
} as const;

export const mentionLimits = {
  /** Maximum number of mentions per provider and query. */
  mentions: 50,
  /** Maximum number of entries of one answer that are read. */
  scanned: 1_000,
  /** Maximum size of a provider's data in a mention, as JSON, in UTF-16 units. */
  data: 16 * 1_024,
  /** Maximum length of all texts of one answer, in UTF-16 units. */
  answer: 256 * 1_024,
} as const;

/** Maximum number of files of a module that are recorded. */
export const maxModuleFiles = 1_000;
