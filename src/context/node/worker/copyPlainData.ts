import { ProviderError } from '../../common/providers/providerError';

const maxDepth = 6;
/** Maximum number of values. Selectors need a few each. */
const maxValues = 20_000;

/**
 * Copies the data of a value, so that it can be sent: texts, numbers, lists and members of objects. Skips everything
 * else, and values that are nested too deeply.
 * @throws ProviderError if it is too large
 */
export function copyPlainData(value: unknown): unknown {
  let left = maxValues;
  const copy = (each: unknown, depth: number): unknown => {
    if (left-- === 0) throw new ProviderError('The provider’s answer is too large.');
    if (each === null || typeof each === 'string' || typeof each === 'number' || typeof each === 'boolean') return each;
    if (typeof each !== 'object' || depth === maxDepth) return undefined;
    if (Array.isArray(each)) return each.map((inner: unknown) => copy(inner, depth + 1));
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, copy(inner, depth + 1)]));
  };
  return copy(value, 0);
}

/** Returns the members of a handshake answer that Backline uses. */
export function pickHandshakeFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return copyPlainData(value);
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const { name, meta, selector, features, annotations } = fields;
  return copyPlainData({ name, meta, selector, features, annotations });
}
