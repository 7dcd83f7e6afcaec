import type { ProviderCapabilities, DocumentSelector } from './contextProvider';
import { itemLimits } from '../limits';
import { ProviderError } from './providerError';
import { capabilitiesResult, metaResult, type Dialect, type WireSelector } from './contextSchema';

/** The handshake data of a provider. Its abilities are determined separately. */
export type HandshakeResult = Omit<ProviderCapabilities, 'abilities'>;

/** Reads the result of a handshake. @throws ProviderError if the result does not match the dialect */
export function readCapabilities(dialect: Dialect, result: unknown): HandshakeResult {
  return dialect === 'C' ? readMeta(result) : readDocumentCapabilities(result);
}

/** Whether a remote provider declares that it supports mentions. */
export function declaresMentions(result: unknown): boolean {
  const { data } = metaResult.safeParse(result);
  return Boolean(data?.mentions) || Boolean(data?.features?.mentions);
}

/** Whether the provider has items for documents. With an empty list of selectors, it has none. */
export function hasDocumentItems({ selectors }: HandshakeResult): boolean {
  return selectors === undefined || selectors.length > 0;
}

/** Whether a result of `capabilities` contains the name of the provider, which only the later form of B does. */
export function hasProviderName(result: unknown): boolean {
  return capabilitiesResult.safeParse(result).data?.meta?.name !== undefined;
}

function readDocumentCapabilities(result: unknown): HandshakeResult {
  const { success, data } = capabilitiesResult.safeParse(result);
  if (!success) throw new ProviderError(wrongHandshake('capabilities', 'a `selector` that is a list, or none'));
  return capabilitiesOf(data.meta?.name, data.selector);
}

/** Reads the handshake of dialect C. Without selectors, only its first form means all documents. */
function readMeta(result: unknown): HandshakeResult {
  const { success, data } = metaResult.safeParse(result);
  if (!success) throw new ProviderError(wrongHandshake('meta', '`annotations` with `selectors` that are a list'));
  if (data.annotations) return capabilitiesOf(data.name, data.annotations.selectors);
  const isFirstForm = data.selector !== undefined || data.features !== undefined;
  return capabilitiesOf(data.name, isFirstForm ? data.selector : []);
}

function wrongHandshake(method: string, wanted: string): string {
  return `The provider's answer to \`${method}\` does not match the protocol: it must be an object with ${wanted}.`;
}

function capabilitiesOf(
  name: string | null | undefined,
  selectors: readonly WireSelector[] | undefined,
): HandshakeResult {
  if (selectors && selectors.length > itemLimits.selectors)
    throw new ProviderError(`The provider has more than ${itemLimits.selectors} selectors.`);
  return {
    ...(name ? { name: name.slice(0, itemLimits.title) } : {}),
    ...(selectors ? { selectors: selectors.map(selectorOf) } : {}),
  };
}

function selectorOf({ path, contentContains }: WireSelector): DocumentSelector {
  return {
    ...(typeof path === 'string' ? { path } : {}),
    ...(typeof contentContains === 'string' ? { contentContains } : {}),
  };
}
