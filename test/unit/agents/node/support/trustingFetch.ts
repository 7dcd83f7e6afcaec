import { request } from 'node:https';
import type { Fetch } from '../../../../../src/wire/node/outgoingHttp';

/** `fetch` for servers with this certificate. The real one has no way to be told whom to trust. */
export function trustingFetch(ca: string): Fetch {
  return (url, init) => {
    if (url.startsWith('http:')) return fetch(url, init);
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const headers = Object.fromEntries(new Headers(init.headers));
    const options = { ca, headers, ...(init.signal ? { signal: init.signal } : {}) };
    const sent = request(url, options, (answer) => {
      const given = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      );
      const body: ReadableStream<Uint8Array> = ReadableStream.from(answer);
      const status = answer.statusCode ?? 0;
      resolve(new Response([204, 304].includes(status) ? null : body, { status, headers: given }));
    });
    // As fetch does: the reason is the cause.
    sent.on('error', (cause) => reject(new TypeError('fetch failed', { cause })));
    sent.end();
    return promise;
  };
}
