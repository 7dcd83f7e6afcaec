import type { ConsentSubject } from '../../../consent/common/consentSubject';

/** A request that needs the user's permission. */
export type ConsentRequest =
  | { readonly kind: 'plainHttp'; readonly url: string }
  | RemoteCodeConsentRequest
  /** A provider that only the workspace defines. */
  | { readonly kind: 'brought'; readonly subject: ConsentSubject; readonly isDenied: boolean }
  /** A stored secret for a provider that the workspace defines. `url` is the address that would receive the secret. */
  | { readonly kind: 'secret'; readonly url: string; readonly name: string };

/** Requests whose permission is stored for all windows of the user. Other permissions are stored per workspace. */
export type RememberedConsentRequest = Exclude<ConsentRequest, { readonly kind: 'brought' }>;

/** A request to run downloaded code. For code with another hash, a new request is needed. */
export interface RemoteCodeConsentRequest {
  readonly kind: 'remoteCode';
  readonly url: string;
  readonly integrity: string;
  /** The URL after redirects. Absent if the settings pin a hash. */
  readonly from?: string | undefined;
  /** The integrity that was allowed for this URL before. */
  readonly previousIntegrity?: string | undefined;
}

/** The provider could not answer. The message explains what to do and contains no secrets. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  constructor(
    message: string,
    /** The request that the user must allow. */
    readonly consent?: ConsentRequest,
    /** The stack or location of the error. Only for the provider's log. */
    readonly details?: string,
  ) {
    super(message);
  }
}

/** The settings refer to a secret that is not stored. */
export class MissingSecretError extends ProviderError {
  constructor(name: string) {
    super(`The secret "${name}" in the provider’s settings is not stored. Store it, then retry.`);
  }
}
