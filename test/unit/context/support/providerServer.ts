import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';

const request = z.object({ method: z.string(), params: z.unknown().optional(), settings: z.unknown().optional() });
export type ProviderRequest = z.infer<typeof request> & { readonly headers: IncomingMessage['headers'] };

export interface ProviderServer {
  readonly url: string;
  readonly requests: ProviderRequest[];
  close(): void;
}

/** A loopback endpoint that answers with whatever `respond` writes. The caller closes it. */
export async function startServer(
  respond: (response: ServerResponse, request: ProviderRequest) => void | Promise<void>,
): Promise<ProviderServer> {
  const requests: ProviderRequest[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(z.instanceof(Buffer).parse(chunk));
      const read = request.parse(JSON.parse(Buffer.concat(chunks).toString()));
      const whole = { ...read, headers: incoming.headers };
      requests.push(whole);
      await respond(response, whole);
    })();
  });
  // A request on a socket that it closes just then would be lost.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = portOf(server.address());
  return {
    url: `http://127.0.0.1:${port}/`,
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** As the document says: a `result`, or an `error` for methods that there are not. */
export async function serveProvider(provider: object): Promise<ProviderServer> {
  return startServer(async (response, { method, params, settings }) => {
    const call: unknown = Reflect.get(provider, method);
    const message =
      typeof call === 'function'
        ? { result: z.unknown().parse(await Reflect.apply(call, provider, [params, settings ?? {}])) }
        : { error: { code: -32601, message: `no method ${method}` } };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(message));
  });
}

function portOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address;
}
