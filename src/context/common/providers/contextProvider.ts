import type { Disposable } from '../../../base/common/disposable';
import type { Event } from '../../../base/common/event';
import type { LookupTarget, Mention, MentionsParams } from '../ai/providerMention';
import type { PackedItems } from '../items/packedItems';
import type { ConsentRequest } from './providerError';

/** A filter for documents. All its conditions must hold. */
export interface DocumentSelector {
  /** A glob for the host name and path of the document. */
  readonly path?: string;
  readonly contentContains?: string;
}

export interface ProviderAbilities {
  /** Whether the provider has items of documents. */
  readonly annotations: boolean;
  /** Whether the provider finds mentions by a query. */
  readonly mentions: boolean;
  /** Whether the provider has items for a mention or a query. */
  readonly items: boolean;
}

export interface ProviderCapabilities {
  readonly abilities: ProviderAbilities;
  /** The provider's own name, if its dialect supports names. */
  readonly name?: string;
  /** Absent means all documents, empty means none. */
  readonly selectors?: readonly DocumentSelector[];
}

export interface ItemsParams {
  readonly uri: string;
  /** Identifies `content`, together with `uri`. */
  readonly version: number;
  readonly content: string;
}

export type ProviderSettings = Readonly<Record<string, unknown>>;

/** A context provider. A call always ends when its signal fires. The creator disposes the provider. */
export interface ContextProvider extends Disposable {
  /** Stops running code, if any. The next request starts it again. */
  unload?(): void;
  /** Fires when its code has changed, so that earlier answers are outdated. Only for providers with local code. */
  readonly onDidReload?: Event<void>;
  /** Fires for lines for its log: output and uncaught errors. May contain secrets. */
  readonly onDidPrint?: Event<string>;
  /** A new version of the provider's code, which the user could allow. */
  readonly newVersion?: ConsentRequest | undefined;
  /** What the user should know about how it runs. */
  readonly note?: string | undefined;
  /** @throws ProviderError, or any other error that says what went wrong */
  capabilities(settings: ProviderSettings, signal: AbortSignal): Promise<ProviderCapabilities>;
  /** Call this after `capabilities`. The caller owns the result. Throws like `capabilities`. */
  documentItems(params: ItemsParams, settings: ProviderSettings, signal: AbortSignal): Promise<PackedItems>;
  /** Returns undefined if the provider turns out not to support mentions. Throws like `capabilities`. */
  mentions(
    params: MentionsParams,
    settings: ProviderSettings,
    signal: AbortSignal,
  ): Promise<readonly Mention[] | undefined>;
  /** Returns undefined if the provider turns out not to support lookups. Throws like `capabilities`. */
  lookUpItems(lookup: LookupTarget, settings: ProviderSettings, signal: AbortSignal): Promise<PackedItems | undefined>;
}

/** Stored secrets, by the names used in settings. */
export interface SecretSource {
  get(name: string): Promise<string | undefined>;
}
