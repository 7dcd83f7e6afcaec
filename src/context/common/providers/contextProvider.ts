import type { Disposable } from '../../../base/common/disposable';
import type { Event } from '../../../base/common/event';
import type { Lookup, Mention, MentionsParams } from '../ai/providerMention';
import type { PackedItems } from '../items/packedItems';
import type { ConsentRequest } from './providerError';

/** Where a provider wants to be asked. All conditions of one selector hold. */
export interface Selector {
  /** A glob for the resource's hostname and path. */
  readonly path?: string;
  /** Literal text that the content holds. */
  readonly contentContains?: string;
}

/** What a provider can be asked for. */
export interface Abilities {
  /** What it knows of a document. */
  readonly annotations: boolean;
  /** What can be mentioned, by words. */
  readonly mentions: boolean;
  /** What it knows of something that is mentioned, or of words. */
  readonly items: boolean;
}

export interface Capabilities {
  readonly abilities: Abilities;
  /** How the provider calls itself, where its dialect lets it. */
  readonly name?: string;
  /** Absent is everywhere, empty is nowhere. */
  readonly selectors?: readonly Selector[];
}

export interface ItemsParams {
  readonly uri: string;
  /** Together with `uri` the identity of `content`. */
  readonly version: number;
  readonly content: string;
}

/** As the user wrote it, secrets resolved. */
export type ProviderSettings = Readonly<Record<string, unknown>>;

/**
 * One provider, however it is reached and whichever dialect it speaks. A call ends when its signal fires, whatever the
 * provider makes of it. Whoever creates it disposes it.
 */
export interface ContextProvider extends Disposable {
  /** Ends what runs of it, if anything does; the next question starts it again. */
  letGo?(): void;
  /** Its code changed: what it said before is outdated. Never fired by providers without code on this disk. */
  readonly onDidReload?: Event<void>;
  /** Something for its log: what it printed, or did not catch. It may hold a secret. */
  readonly onDidPrint?: Event<string>;
  /** What the user could allow, though it works without: a new version of its code. */
  readonly offer?: ConsentRequest | undefined;
  /** @throws ProviderError, or anything else that says what went wrong */
  capabilities(settings: ProviderSettings, signal: AbortSignal): Promise<Capabilities>;
  /** To be called after `capabilities`; the result is the caller's. @throws ProviderError, or anything else that says what went wrong */
  items(params: ItemsParams, settings: ProviderSettings, signal: AbortSignal): Promise<PackedItems>;
  /** The same; undefined when it turns out to have none. */
  mentions(
    params: MentionsParams,
    settings: ProviderSettings,
    signal: AbortSignal,
  ): Promise<readonly Mention[] | undefined>;
  /** The same; undefined when it turns out that it cannot be asked so. */
  lookUp(lookup: Lookup, settings: ProviderSettings, signal: AbortSignal): Promise<PackedItems | undefined>;
}

/** Secrets by the name that settings refer to them with. */
export interface SecretSource {
  get(name: string): Promise<string | undefined>;
}
