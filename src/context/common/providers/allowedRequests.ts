import * as z from 'zod';
import type { Memento } from '../../../base/common/memento';
import { describeThing } from '../../../consent/common/broughtThing';
import type { ConsentRequest, RememberedRequest } from './providerError';

const memoryName = 'backline.context.allowed';

const Request = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('plainHttp'), url: z.string() }),
  z.object({ kind: z.literal('remoteCode'), url: z.string(), integrity: z.string(), from: z.string().optional() }),
  z.object({ kind: z.literal('secret'), url: z.string(), name: z.string() }),
]);

/** What the user has allowed providers to do, in this and every later window. */
export class AllowedRequests {
  constructor(private readonly memento: Memento) {}

  get all(): readonly RememberedRequest[] {
    const stored = z.array(z.unknown()).catch([]).parse(this.memento.get(memoryName));
    return stored.flatMap((entry) => Request.safeParse(entry).data ?? []);
  }

  has(request: RememberedRequest): boolean {
    return this.all.some((each) => isSame(each, request));
  }

  /** The integrity of the code that was allowed for an address whose hash the settings do not pin. */
  codeOf(url: string): string | undefined {
    const found = this.all.find((each) => each.kind === 'remoteCode' && each.url === url && each.from !== undefined);
    return found?.kind === 'remoteCode' ? found.integrity : undefined;
  }

  /** Of an address whose hash the settings do not pin, only the last version stays allowed. */
  async add(request: RememberedRequest): Promise<void> {
    const added = Request.parse(request);
    const others = this.all.filter((each) => !isSame(each, added) && !isVersionOf(each, added));
    await this.memento.update(memoryName, [...others, added]);
  }

  async remove(request: RememberedRequest): Promise<void> {
    await this.memento.update(
      memoryName,
      this.all.filter((each) => !isSame(each, request)),
    );
  }
}

/** In the user's words. */
export function describeRequest(request: ConsentRequest): string {
  switch (request.kind) {
    case 'brought':
      return `Use the ${describeThing(request.thing)} of this workspace`;
    case 'plainHttp':
      return `Send files to ${request.url} without encryption`;
    case 'remoteCode':
      return `Run code from ${request.url}`;
    case 'secret':
      return `Give the secret ${JSON.stringify(short(request.name))} to ${receiverOf(request.url)}`;
  }
}

function isSame(a: RememberedRequest, b: RememberedRequest): boolean {
  return a.kind === b.kind && a.url === b.url && particularOf(a) === particularOf(b);
}

function isVersionOf(one: RememberedRequest, other: RememberedRequest): boolean {
  if (one.kind !== 'remoteCode' || other.kind !== 'remoteCode') return false;
  return one.url === other.url && one.from !== undefined && other.from !== undefined;
}

function particularOf(request: RememberedRequest): string {
  switch (request.kind) {
    case 'plainHttp':
      return '';
    case 'remoteCode':
      return request.integrity;
    case 'secret':
      return request.name;
  }
}

/** The host first: what comes before and after it in an address can be made to look like another. */
function receiverOf(address: string): string {
  const host = URL.parse(address)?.host;
  return host ? `${host}, at ${short(address)}` : `the code at ${short(address)}`;
}

function short(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
