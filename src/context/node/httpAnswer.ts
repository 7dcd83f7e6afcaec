import { describeCertificateProblem } from '../../base/node/certificateProblem';
import { ProviderError } from '../common/providers/providerError';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface HttpAnswer {
  readonly status: number;
  readonly body: Uint8Array;
  readonly redirectTarget: string | undefined;
  /** MIME type without parameters. Empty if missing. */
  readonly mimeType: string;
}

/** Sends a request and reads the response. @throws ProviderError if it fails or exceeds `maxBytes` */
export async function fetchAnswer(fetch: Fetch, url: string, init: RequestInit, maxBytes: number): Promise<HttpAnswer> {
  // The caller checks redirects before it follows them, because they may lead from https to any address.
  const response = await fetch(url, { ...init, redirect: 'manual' }).catch((error: unknown) => {
    const cause = causeOf(error);
    const problem = describeCertificateProblem(cause);
    throw new ProviderError(
      problem === undefined
        ? `Could not connect to ${hostOf(url)}: ${cause}.`
        : `Nothing was sent to ${hostOf(url)}: its certificate ${problem}.`,
    );
  });
  const body = await readBody(response, maxBytes);
  const redirectTarget =
    response.headers.get('location') ?? (response.type === 'opaqueredirect' ? 'elsewhere' : undefined);
  const mimeType = (response.headers.get('content-type') ?? '').replace(/;.*$/, '').trim().toLowerCase();
  return { status: response.status, body, redirectTarget, mimeType };
}

export function isRedirect({ status, redirectTarget }: HttpAnswer): boolean {
  return redirectTarget !== undefined && (status === 0 || (status >= 300 && status < 400));
}

async function readBody(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const stream: ReadableStream<Uint8Array> | null = response.body;
  const reader = stream?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read().catch(connectionLost)) ?? { done: true, value: undefined };
    if (done) return Buffer.concat(chunks);
    size += value.length;
    if (size > maxBytes) {
      void reader?.cancel().catch(() => undefined);
      throw new ProviderError(`The answer is larger than ${maxBytes / 1_024 / 1_024} MiB.`);
    }
    chunks.push(value);
  }
}

function connectionLost(error: unknown): never {
  throw new ProviderError(`The connection was lost while reading the answer: ${causeOf(error)}.`);
}

/** Returns the code of the error behind "fetch failed". Its message may contain the URL with a key. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const cause = error.cause;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return error.name === 'TypeError' ? 'unknown error' : error.name;
}

export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'the address';
}
