import { certificateProblemOf, proxyProblemOf } from '../../wire/common/connectionProblem';
import { errorCode } from '../../base/common/errors';
import type { Fetch } from '../../wire/node/outgoingHttp';
import { ProviderError } from '../common/providers/providerError';

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
  const response = await fetch(url, init).catch((error: unknown) => {
    throw new ProviderError(connectionMessage(error, hostOf(url)));
  });
  const body = await readBody(response, maxBytes);
  const redirectTarget = response.headers.get('location') ?? undefined;
  const mimeType = (response.headers.get('content-type') ?? '').replace(/;.*$/, '').trim().toLowerCase();
  return { status: response.status, body, redirectTarget, mimeType };
}

export function isRedirect({ status, redirectTarget }: HttpAnswer): boolean {
  return redirectTarget !== undefined && status >= 300 && status < 400;
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

function connectionMessage(error: unknown, host: string): string {
  const problem = certificateProblemOf(errorCode(error));
  if (problem) return `Nothing was sent to ${host}: its certificate ${problem.what}. ${problem.advice}`;
  const proxyProblem = proxyProblemOf(error);
  return proxyProblem === undefined
    ? `Could not connect to ${host}: ${causeOf(error)}.`
    : `Could not connect to ${host}. ${proxyProblem}`;
}

/** Returns the code or the kind of an error. Its message may contain the URL with a key. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return errorCode(error) ?? (/^(Type)?Error$/.test(error.name) ? 'unknown error' : error.name);
}

export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'the address';
}
