import type { Disposable } from '../../../base/common/disposable';
import type { Event } from '../../../base/common/event';
import type { LookupTarget, Mention, MentionsParams } from '../ai/providerMention';
import type { PackedItems } from '../items/packedItems';
import type { ConsentRequest } from './providerError';

/** A filter for documents. A document must meet all of its conditions. */
export interface DocumentSelector {
  /** A glob for the host name and path of the document's URI. */
  readonly path?: string;
  readonly contentContains?: string;
}

export interface ProviderAbilities {
  /** Whether the provider has items for documents. */
  readonly annotations: boolean;
  /** Whether the provider can find mentions by a query. */
  readonly mentions: boolean;
  /** Whether the provider has items for a mention or a query. */
  readonly items: boolean;
}

export interface ProviderCapabilities {
  readonly abilities: ProviderAbilities;
  /** The name that the provider gives itself, if its dialect supports names. */
  readonly name?: string;
  /** The selectors. If absent, all documents match. If empty, none match. */
  readonly selectors?: readonly DocumentSelector[];
}

export interface ItemsParams {
  readonly uri: string;
  /** Version of `content`. Together with `uri`, it identifies the text. */
  readonly version: number;
  readonly content: string;
}

export type ProviderSettings = Readonly<Record<string, unknown>>;

/** A context provider. Each call ends when its signal fires. The creator disposes the provider. */
export interface ContextProvider extends Disposable {
  /** Stops running code, if there is any. The next request starts it again. */
  unload?(): void;
  /** Fires when the provider's code has changed and earlier answers are outdated. Only for local code. */
  readonly onDidReload?: Event<void>;
  /** Fires for lines that belong in the provider's log: output and uncaught errors. They may contain secrets. */
  readonly onDidPrint?: Event<string>;
  /** A request to allow a new version of the provider's code. */
  readonly newVersion?: ConsentRequest | undefined;
  /** A note for the user about how the provider runs. */
  readonly note?: string | undefined;
  /** Performs the handshake. @throws ProviderError, or another error that explains what went wrong */
  capabilities(settings: ProviderSettings, signal: AbortSignal): Promise<ProviderCapabilities>;
  /** Returns a document's items; the caller owns them. Call `capabilities` first. @throws the same errors */
  documentItems(params: ItemsParams, settings: ProviderSettings, signal: AbortSignal): Promise<PackedItems>;
  /** Returns mentions. Undefined if the provider does not support them. @throws the same errors as `capabilities` */
  mentions(
    params: MentionsParams,
    settings: ProviderSettings,
    signal: AbortSignal,
  ): Promise<readonly Mention[] | undefined>;
  /** Returns items for a mention or query. Undefined without lookups. @throws the same errors as `capabilities` */
  lookUpItems(lookup: LookupTarget, settings: ProviderSettings, signal: AbortSignal): Promise<PackedItems | undefined>;
}

/** Access to stored secrets, by the names that settings use. */
export interface SecretSource {
  get(name: string): Promise<string | undefined>;
}
