import * as z from 'zod';
import type { ContextMemento } from './contextMemento';
import type { ConsentRequest } from './providerError';

const memoryName = 'backline.context.allowed';

const Request = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('plainHttp'), url: z.string() }),
  z.object({ kind: z.literal('remoteCode'), url: z.string(), integrity: z.string() }),
]);

/** What the user has allowed providers to do, in this and every later window. */
export class AllowedRequests {
  constructor(private readonly memento: ContextMemento) {}

  get all(): readonly ConsentRequest[] {
    const stored = z.array(z.unknown()).catch([]).parse(this.memento.get(memoryName));
    return stored.flatMap((entry) => Request.safeParse(entry).data ?? []);
  }

  has(request: ConsentRequest): boolean {
    return this.all.some((each) => isSame(each, request));
  }

  async add(request: ConsentRequest): Promise<void> {
    await this.memento.update(memoryName, [...this.all.filter((each) => !isSame(each, request)), request]);
  }

  async remove(request: ConsentRequest): Promise<void> {
    await this.memento.update(
      memoryName,
      this.all.filter((each) => !isSame(each, request)),
    );
  }
}

/** In the user's words. */
export function describeRequest(request: ConsentRequest): string {
  switch (request.kind) {
    case 'plainHttp':
      return `Send files to ${request.url} without encryption`;
    case 'remoteCode':
      return `Run code from ${request.url}`;
  }
}

function isSame(a: ConsentRequest, b: ConsentRequest): boolean {
  const integrity = (request: ConsentRequest): string => (request.kind === 'remoteCode' ? request.integrity : '');
  return a.kind === b.kind && a.url === b.url && integrity(a) === integrity(b);
}
