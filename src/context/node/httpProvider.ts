import { isLoopback } from '../../base/common/addresses/loopback';
import * as z from 'zod';
import type { Clock } from '../../base/common/async';
import { TimeoutError } from '../../base/common/errors';
import { oneLine } from '../../base/common/text/oneLine';
import { parseJson } from '../../base/common/parseJson';
import type {
  ProviderCapabilities,
  ContextProvider,
  ItemsParams,
  ProviderSettings,
} from '../common/providers/contextProvider';
import {
  hasDocumentItems,
  hasProviderName,
  readCapabilities,
  declaresMentions,
  type HandshakeResult,
} from '../common/providers/dialects';
import { callWithTimeout } from '../common/providers/callWithTimeout';
import { readItems } from '../common/items/itemReader';
import { toLookupParams, readMentions } from '../common/ai/mentionReader';
import type { LookupTarget, Mention, MentionsParams } from '../common/ai/providerMention';
import { packedItemCount, rangeNumbersPerItem, type PackedItems } from '../common/items/packedItems';
import { ProviderError, type ConsentRequest, type RememberedConsentRequest } from '../common/providers/providerError';
import { responseMessage, type Dialect, type WireError } from '../common/providers/contextSchema';
import type { ProviderTrafficRecorder } from './providerTrafficRecorder';
import { proxySignInAdvice } from '../../wire/common/connectionProblem';
import type { Fetch } from '../../wire/node/outgoingHttp';
import { fetchAnswer, hostOf, isRedirect, type HttpAnswer } from './httpAnswer';

interface HttpProviderPorts {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Whether the user has already allowed a request. If not, the provider throws an error that contains the request. */
  readonly isAllowed: (request: RememberedConsentRequest) => boolean;
  /** Called before each request. @throws ProviderError if the URL must not be used */
  readonly assertAllowed?: () => void;
  readonly maxBytes: number;
  readonly traffic: ProviderTrafficRecorder;
}

export const maxAnswerBytes = 8 * 1_024 * 1_024;

/** How long the result of `items` waits for annotations, in milliseconds. The server may not support them. */
const annotationsWaitMs = 1_000;

/**
 * Time limit for trying another dialect after a refusal, in milliseconds. It is shorter than that of a call, so that
 * the refusal is reported and not a time-out.
 */
const fallbackMs = 8_000;

/** The JSON-RPC error code for "method not found". */
const noSuchMethod = -32601;

/** The server has refused the request or sent an invalid answer. Another dialect may work. */
class RefusedError extends ProviderError {
  constructor(
    message: string,
    /** Whether the error may be temporary, so that it does not depend on the dialect. */
    readonly isTemporary = false,
    /** Whether the error means that the method does not exist. */
    readonly isMethodMissing = false,
  ) {
    super(message);
  }
}

const headersSetting = z.object({ headers: z.record(z.string(), z.string()).optional() });

/**
 * A provider at a URL. Its dialect is detected: `capabilities` is tried before `meta`. After that, an item with a range
 * means dialect A, and an annotation means B. A permanent refusal of either method means the other dialect.
 */
export class HttpProvider implements ContextProvider {
  private dialect: Dialect | undefined;
  /** Whether the server has declared mentions. An error then does not mean that the method is missing. */
  private hasDeclaredMentions = false;

  constructor(
    private readonly url: string,
    private readonly ports: HttpProviderPorts,
  ) {}

  async capabilities(settings: ProviderSettings, signal: AbortSignal): Promise<ProviderCapabilities> {
    this.dialect = undefined;
    this.hasDeclaredMentions = false;
    const startMs = this.ports.clock.monotonicNow();
    const refusal = await refusalOf(
      this.postRequest('capabilities', {}, settings, signal, (result) => {
        const capabilities = readCapabilities('A', result);
        if (hasProviderName(result)) this.dialect = 'B';
        return capabilities;
      }),
    );
    if (!(refusal instanceof RefusedError)) return this.addUndeclaredAbilities(refusal);
    // The refusal of the method in the published protocol is reported, because that method should be fixed.
    const introduction = await this.retryWithOtherDialect(refusal, startMs, signal, (inTime) =>
      this.postRequest('meta', {}, settings, inTime, (result) => {
        this.hasDeclaredMentions = declaresMentions(result);
        return readCapabilities('C', result);
      }),
    );
    this.dialect = 'C';
    return this.addUndeclaredAbilities(introduction);
  }

  async documentItems(
    { uri, content }: ItemsParams,
    settings: ProviderSettings,
    signal: AbortSignal,
  ): Promise<PackedItems> {
    const ask = (method: 'items' | 'annotations', inTime = signal): Promise<PackedItems> =>
      this.postRequest(method, { uri, content }, settings, inTime, (result) => readItems(result, uri));
    if (this.dialect !== undefined) return ask(this.dialect === 'A' ? 'items' : 'annotations');
    const startMs = this.ports.clock.monotonicNow();
    const items = await refusalOf(ask('items'));
    if (items instanceof RefusedError) {
      const annotations = await this.retryWithOtherDialect(items, startMs, signal, (inTime) =>
        ask('annotations', inTime),
      );
      if (!items.isTemporary || packedItemCount(annotations) > 0) this.dialect = 'B';
      return annotations;
    }
    if (hasRanges(items)) {
      this.dialect = 'A';
      return items;
    }
    const guard = { clock: this.ports.clock, timeoutMs: annotationsWaitMs, signal };
    const annotations = callWithTimeout('annotations', guard, (inTime) => ask('annotations', inTime));
    return this.annotationsOrElseItems(items, annotations, signal);
  }

  async mentions(
    params: MentionsParams,
    settings: ProviderSettings,
    signal: AbortSignal,
  ): Promise<readonly Mention[] | undefined> {
    return this.undefinedIfUnsupported(this.postRequest('mentions', params, settings, signal, readMentions));
  }

  async lookUpItems(
    lookup: LookupTarget,
    settings: ProviderSettings,
    signal: AbortSignal,
  ): Promise<PackedItems | undefined> {
    return this.undefinedIfUnsupported(this.postRequest('items', toLookupParams(lookup), settings, signal, readItems));
  }

  dispose(): void {
    // Nothing to dispose, because the signal of each call ends its request.
  }

  /**
   * Adds abilities that the provider did not declare. They are detected by calling the method. In dialect A, `items`
   * returns the items of a document.
   */
  private addUndeclaredAbilities(introduction: HandshakeResult): ProviderCapabilities {
    const isLater = this.dialect === 'B' || this.dialect === 'C';
    return {
      ...introduction,
      abilities: { annotations: hasDocumentItems(introduction), mentions: isLater, items: isLater },
    };
  }

  /** Settles like the request. Returns undefined if the method is missing. @throws other refusals */
  private async undefinedIfUnsupported<T>(request: Promise<T>): Promise<T | undefined> {
    const result = await refusalOf(request);
    if (!(result instanceof RefusedError)) return result;
    if (result.isTemporary || (this.hasDeclaredMentions && !result.isMethodMissing)) throw result;
    return undefined;
  }

  /** Tries the method of another dialect. @throws the original refusal if that is also refused or times out */
  private async retryWithOtherDialect<T>(
    refusal: RefusedError,
    startMs: number,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { clock } = this.ports;
    const timeoutMs = Math.max(annotationsWaitMs, startMs + fallbackMs - clock.monotonicNow());
    try {
      return await callWithTimeout('another method', { clock, timeoutMs, signal }, work);
    } catch (error) {
      throw error instanceof RefusedError || error instanceof TimeoutError ? refusal : error;
    }
  }

  /**
   * Returns annotations, or else the items. An empty answer proves nothing, because some servers answer every method
   * with `[]`.
   */
  private async annotationsOrElseItems(
    items: PackedItems,
    annotationsPromise: Promise<PackedItems>,
    signal: AbortSignal,
  ): Promise<PackedItems> {
    try {
      const annotations = await annotationsPromise;
      if (packedItemCount(annotations) === 0) return items;
      this.dialect = 'B';
      return annotations;
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof RefusedError && !error.isTemporary) this.dialect = 'A';
      return items;
    }
  }

  /** Sends a request. @throws RefusedError if the answer is an error or invalid */
  private async postRequest<T>(
    method: string,
    params: object,
    settings: ProviderSettings,
    signal: AbortSignal,
    read: (result: unknown) => T,
  ): Promise<T> {
    this.assertAllowed();
    const { headers, body } = this.requestOf(method, params, settings);
    const init = { method: 'POST', headers, body, signal };
    const answer = await this.ports.traffic.record(
      method,
      () => Buffer.byteLength(body),
      () => fetchAnswer(this.ports.fetch, this.url, init, this.ports.maxBytes),
      (answered) => answered.body.byteLength,
    );
    if (isRedirect(answer)) throw new ProviderError(redirectMessage(answer));
    try {
      return read(resultOf(method, answer));
    } catch (error) {
      throw error instanceof ProviderError && !(error instanceof RefusedError)
        ? new RefusedError(error.message)
        : error;
    }
  }

  /** Creates the request. `headers` in the settings are sent as HTTP headers and not in the body. */
  private requestOf(method: string, params: object, settings: ProviderSettings): { headers: Headers; body: string } {
    const { data: own } = headersSetting.safeParse(settings);
    if (!own) throw new ProviderError('The provider’s `headers` must be an object with string values.');
    const sent = Object.fromEntries(Object.entries(settings).filter(([key]) => key !== 'headers'));
    const headers = headersOf(own.headers ?? {});
    headers.set('content-type', 'application/json; charset=utf-8');
    headers.set('accept', 'application/json');
    return { headers, body: JSON.stringify({ method, params, settings: sent }) };
  }

  private assertAllowed(): void {
    this.ports.assertAllowed?.();
    const url = new URL(this.url);
    if (url.protocol === 'https:' || isLoopback(url)) return;
    const request: ConsentRequest = { kind: 'plainHttp', url: this.url };
    if (this.ports.isAllowed(request)) return;
    throw new ProviderError(
      `Files would go to ${hostOf(this.url)} unencrypted. Use https, or allow it for this address.`,
      request,
    );
  }
}

function hasRanges({ ranges }: PackedItems): boolean {
  return ranges.some((value, at) => at % rangeNumbersPerItem === 0 && !Number.isNaN(value));
}

async function refusalOf<T>(work: Promise<T>): Promise<T | RefusedError> {
  return work.catch((error: unknown) => {
    if (error instanceof RefusedError) return error;
    throw error;
  });
}

function resultOf(method: string, answer: HttpAnswer): unknown {
  const { status, body } = answer;
  const text = new TextDecoder().decode(body);
  const isOk = status >= 200 && status < 300;
  const { data: message } = responseMessage.safeParse(parseJson(text));
  const errorText = message?.error ? textOf(message.error) : undefined;
  const isNoMethod = message?.error?.code === noSuchMethod;
  if (!isOk) {
    const isPassing = isTemporaryStatus(status) && !isNoMethod;
    const why = status === 407 ? proxySignInAdvice : (errorText ?? excerpt(text));
    throw new RefusedError(`\`${method}\` failed with HTTP ${status}: ${why}`, isPassing, isNoMethod);
  }
  if (errorText !== undefined) throw new RefusedError(`\`${method}\` failed: ${errorText}`, false, isNoMethod);
  if (!message) throw new RefusedError(`The answer to \`${method}\` is not a JSON object: ${excerpt(text)}`);
  if (message.result === undefined || message.result === null)
    throw new RefusedError(`The answer to \`${method}\` has no \`result\`.`);
  return message.result;
}

/** Whether the HTTP status means that the server or a proxy is overloaded or broken. */
function isTemporaryStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

function textOf({ code, message }: WireError): string {
  return code === undefined ? message : `${message} (code ${code})`;
}

function excerpt(text: string): string {
  const line = oneLine(text);
  if (line === '') return 'its body is empty';
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function redirectMessage({ status, redirectTarget }: HttpAnswer): string {
  return `The address redirects (HTTP ${status}) to ${redirectTarget ?? 'elsewhere'}. Use the final URL in the settings.`;
}

function headersOf(headers: Readonly<Record<string, string>>): Headers {
  try {
    return new Headers({ ...headers });
  } catch {
    // The error of `Headers` is not used, because it contains the value, which may be a secret.
    throw new ProviderError('The provider’s `headers` contain an invalid name or value.');
  }
}
