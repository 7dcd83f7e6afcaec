import type { BroughtThing } from '../../../consent/common/broughtThing';

/** What only the user can allow. What was said once is remembered by whoever asks the user. */
export type ConsentRequest =
  | { readonly kind: 'plainHttp'; readonly url: string }
  | RemoteCodeRequest
  /** A provider that only the workspace names. */
  | { readonly kind: 'brought'; readonly thing: BroughtThing; readonly isDenied: boolean }
  /** A stored secret, for a provider that the workspace names. `url` is the address that would get it. */
  | { readonly kind: 'secret'; readonly url: string; readonly name: string };

/** What is remembered here, for every window of the user; the rest is remembered by the workspace. */
export type RememberedRequest = Exclude<ConsentRequest, { readonly kind: 'brought' }>;

/** Code from elsewhere. Another integrity is another request. */
export interface RemoteCodeRequest {
  readonly kind: 'remoteCode';
  /** As the settings name it. */
  readonly url: string;
  readonly integrity: string;
  /** Where it was found, redirects followed; only when the settings pin no hash. */
  readonly from?: string | undefined;
  /** The integrity that was allowed for this address before. */
  readonly before?: string | undefined;
}

/** A provider could not answer. The message says what to do about it, and holds no secrets. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  constructor(
    message: string,
    /** What the user would have to allow first. */
    readonly consent?: ConsentRequest,
    /** Where it happened, for the log of the provider. */
    readonly details?: string,
  ) {
    super(message);
  }
}
