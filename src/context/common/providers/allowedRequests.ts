import * as z from 'zod';
import type { Memento } from '../../../base/common/memento';
import { describeSubject } from '../../../consent/common/consentSubject';
import type { ConsentRequest, RememberedConsentRequest } from './providerError';

const mementoKey = 'backline.context.allowed';

const Request = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('plainHttp'), url: z.string() }),
  z.object({ kind: z.literal('remoteCode'), url: z.string(), integrity: z.string(), from: z.string().optional() }),
  z.object({ kind: z.literal('secret'), url: z.string(), name: z.string() }),
]);

/** Requests of providers that the user has allowed. They are allowed permanently and in all windows. */
export class AllowedRequests {
  constructor(private readonly memento: Memento) {}

  get all(): readonly RememberedConsentRequest[] {
    const stored = z.array(z.unknown()).catch([]).parse(this.memento.get(mementoKey));
    return stored.flatMap((entry) => Request.safeParse(entry).data ?? []);
  }

  has(request: RememberedConsentRequest): boolean {
    return this.all.some((each) => isSame(each, request));
  }

  /** Returns the allowed integrity of the code at a URL without a pinned hash. */
  allowedIntegrity(url: string): string | undefined {
    const found = this.all.find((each) => each.kind === 'remoteCode' && each.url === url && each.from !== undefined);
    return found?.kind === 'remoteCode' ? found.integrity : undefined;
  }

  /** Allows a request. For a URL without a pinned hash, replaces the version that was allowed before. */
  async add(request: RememberedConsentRequest): Promise<void> {
    const added = Request.parse(request);
    const others = this.all.filter((each) => !isSame(each, added) && !isVersionOf(each, added));
    await this.memento.update(mementoKey, [...others, added]);
  }

  async remove(request: RememberedConsentRequest): Promise<void> {
    await this.memento.update(
      mementoKey,
      this.all.filter((each) => !isSame(each, request)),
    );
  }
}

export function describeConsentRequest(request: ConsentRequest): string {
  switch (request.kind) {
    case 'brought':
      return `Use the ${describeSubject(request.subject)} from this workspace`;
    case 'plainHttp':
      return `Send files to ${request.url} without encryption`;
    case 'remoteCode':
      return `Run code from ${request.url}`;
    case 'secret':
      return `Give the secret ${JSON.stringify(truncate(request.name))} to ${receiverOf(request.url)}`;
  }
}

function isSame(a: RememberedConsentRequest, b: RememberedConsentRequest): boolean {
  return a.kind === b.kind && a.url === b.url && distinctValue(a) === distinctValue(b);
}

function isVersionOf(one: RememberedConsentRequest, other: RememberedConsentRequest): boolean {
  if (one.kind !== 'remoteCode' || other.kind !== 'remoteCode') return false;
  return one.url === other.url && one.from !== undefined && other.from !== undefined;
}

function distinctValue(request: RememberedConsentRequest): string {
  switch (request.kind) {
    case 'plainHttp':
      return '';
    case 'remoteCode':
      return request.integrity;
    case 'secret':
      return request.name;
  }
}

/** Returns a text that starts with the host, because the rest of a URL can be made to look like another address. */
function receiverOf(address: string): string {
  const host = URL.parse(address)?.host;
  return host ? `${host}, at ${truncate(address)}` : `the code at ${truncate(address)}`;
}

function truncate(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
