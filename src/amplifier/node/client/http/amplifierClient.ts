import type { Agent as HttpAgent } from 'node:http';
import type * as z from 'zod';
import type { Disposable } from '../../../../base/common/disposable';
import type { Logger } from '../../../../base/common/log';
import { parseJson } from '../../../../base/common/parseJson';
import { disabledTrafficTap, type TrafficTap } from '../../../../wire/common/traffic';
import { AmplifierApiError, parseApiError, isAmplifierApiError } from '../../../common/api/apiErrors';
import * as api from '../../../common/api/apiSchema';
import { SecretRedactor } from '../../../../session/common/redaction/secretRedactor';
import { createKeepAliveAgent, type OutgoingHttp } from '../../../../wire/node/outgoingHttp';
import { sendRequest, type HttpResponse } from './httpRequest';

interface AmplifierClientOptions {
  readonly baseUrl: URL;
  readonly http: OutgoingHttp;
  readonly token?: string;
  readonly log: Logger;
  readonly traffic?: TrafficTap;
  readonly timeouts?: Partial<ClientTimeouts>;
  /** Maximum length of a response; default 32 MiB. */
  readonly maxResponseBytes?: number;
}

const defaultTimeouts = {
  healthMs: 2000,
  /** Time limit for creating a session. It is long, because servers download modules for it. */
  createMs: 5 * 60_000,
  otherMs: 30_000,
};
type ClientTimeouts = Readonly<typeof defaultTimeouts>;

interface Call {
  readonly method: string;
  /** The path template in the API reference. Shown in the log and the traffic view. */
  readonly route: string;
  /** Percent-encoded path and query. */
  readonly path: string;
  readonly body?: unknown;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A client for Amplifier's REST API. All calls have a time limit and reject with an AmplifierApiError. */
export class AmplifierClient implements Disposable {
  readonly baseUrl: URL;
  readonly http: OutgoingHttp;
  /** Removes the token, and all keys that were sent, from responses. */
  readonly redactor = new SecretRedactor();
  private readonly httpAgent: HttpAgent;
  private readonly timeouts: ClientTimeouts;

  constructor(private readonly options: AmplifierClientOptions) {
    this.baseUrl = options.baseUrl;
    this.http = options.http;
    this.httpAgent = createKeepAliveAgent(options.baseUrl, { maxFreeSockets: 2 });
    this.timeouts = { ...defaultTimeouts, ...options.timeouts };
    this.redactor.addSecret(options.token);
  }

  createSession(request: api.CreateSessionRequest, signal?: AbortSignal): Promise<api.CreateSessionResponse> {
    const body = api.CreateSessionRequest.parse(request);
    const { createMs: timeoutMs } = this.timeouts;
    this.redactor.addSecret(body.credentials?.anthropic_api_key);
    const call = { method: 'POST', route: '/sessions', path: '/sessions', body, timeoutMs, signal };
    return this.call(call, api.CreateSessionResponse);
  }

  /** Sends a prompt. `isAccepted`: the status was 202, as documented. The real server returns 200. */
  async sendPrompt(id: string, request: api.PromptRequest): Promise<api.PromptResponse & { isAccepted: boolean }> {
    const response = await this.send({ ...ofSession('POST', id, '/prompt'), body: api.PromptRequest.parse(request) });
    return { ...parseBody(response, api.PromptResponse), isAccepted: response.status === 202 };
  }

  getSession(id: string, signal?: AbortSignal): Promise<api.SessionStatus> {
    return this.call({ ...ofSession('GET', id, ''), signal }, api.SessionStatus);
  }

  answerApproval(
    id: string,
    request: api.SentApprovalAnswer,
    timeoutMs = this.timeouts.otherMs,
  ): Promise<api.Acknowledgement> {
    const body = api.SentApprovalAnswer.parse(request);
    return this.call({ ...ofSession('POST', id, '/approval'), body, timeoutMs }, api.Acknowledgement);
  }

  /** Ends the running turn but keeps the session. This is an extension of the API. */
  cancelTurn(id: string, signal?: AbortSignal): Promise<api.Acknowledgement> {
    return this.call({ ...ofSession('POST', id, '/cancel'), signal }, api.Acknowledgement);
  }

  deleteSession(id: string, signal?: AbortSignal): Promise<api.Acknowledgement> {
    return this.call({ ...ofSession('DELETE', id, ''), signal }, api.Acknowledgement);
  }

  listSessions(limit: number, signal?: AbortSignal): Promise<api.ListSessionsResponse> {
    return this.get('/sessions', `?limit=${limit}`, api.ListSessionsResponse, signal);
  }

  async listProfiles(signal?: AbortSignal): Promise<readonly api.Profile[]> {
    return (await this.get('/profiles', '', api.ProfileList, signal)).profiles;
  }

  /** Returns a profile. `name` may be `collection:profile`. */
  getProfile(name: string, signal?: AbortSignal): Promise<api.Profile> {
    const path = `/profiles/${encodeURIComponent(name).replaceAll('%3A', ':')}`;
    return this.call({ method: 'GET', route: '/profiles/{profile_name}', path, signal }, api.Profile);
  }

  health(signal?: AbortSignal): Promise<api.Health> {
    const { healthMs: timeoutMs } = this.timeouts;
    return this.call({ method: 'GET', route: '/health', path: '/health', timeoutMs, signal }, api.Health);
  }

  info(signal?: AbortSignal): Promise<api.ServerInfo> {
    return this.get('/info', '', api.ServerInfo, signal);
  }

  eventsUrl(id: string): URL {
    return this.resolveUrl(ofSession('GET', id, '/events').path);
  }

  webSocketUrl(id: string): URL {
    const url = this.resolveUrl(ofSession('GET', id, '/ws').path);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    return url;
  }

  get authorizationHeaders(): Readonly<Record<string, string>> {
    const { token } = this.options;
    return token === undefined ? {} : { Authorization: `Bearer ${token}` };
  }

  dispose(): void {
    this.httpAgent.destroy();
  }

  private get<S extends z.ZodType>(route: string, query: string, schema: S, signal?: AbortSignal): Promise<z.infer<S>> {
    return this.call({ method: 'GET', route, path: `${route}${query}`, signal }, schema);
  }

  private async call<S extends z.ZodType>(call: Call, schema: S): Promise<z.infer<S>> {
    return parseBody(await this.send(call), schema);
  }

  /** Sends a request. @throws AmplifierApiError for every status other than 2xx */
  private async send(call: Call): Promise<HttpResponse> {
    const { log, traffic = disabledTrafficTap, maxResponseBytes = 32 * 1024 * 1024 } = this.options;
    const { method, route, body, timeoutMs = this.timeouts.otherMs, signal } = call;
    const name = `${method} ${route}`;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      Accept: 'application/json',
      ...(text === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...this.authorizationHeaders,
    };
    const peer = this.baseUrl.host;
    const record = { protocol: 'amplifier', peer, method: name } as const;
    if (traffic.isRecording) traffic.record({ ...record, direction: 'out', bytes: text?.length ?? 0 });
    const startedAt = performance.now();
    try {
      const { httpAgent } = this;
      const url = this.resolveUrl(call.path);
      const response = this.redactResponse(
        await sendRequest({
          http: this.http,
          method,
          url,
          headers,
          body: text,
          httpAgent,
          timeoutMs,
          maxResponseBytes,
          signal,
        }),
      );
      const ms = performance.now() - startedAt;
      const isError = response.status < 200 || response.status >= 300;
      const error = isError ? { error: response.status } : {};
      if (traffic.isRecording)
        traffic.record({ ...record, direction: 'in', bytes: response.body.length, durationMs: ms, ...error });
      log.debug(`${name}: ${response.status} in ${Math.round(ms)} ms`);
      if (isError) throw parseApiError(response.status, response.body);
      return response;
    } catch (error) {
      if (isAmplifierApiError(error)) log.debug(`${name}: ${error.code}`);
      throw error;
    }
  }

  private redactResponse({ status, contentType, body }: HttpResponse): HttpResponse {
    return { status, contentType: this.redactor.redactText(contentType), body: this.redactor.redactJson(body) };
  }

  /** Resolves a path relative to the path of the base URL. */
  private resolveUrl(path: string): URL {
    const base = this.baseUrl.pathname.replace(/\/$/u, '');
    return new URL(`${base}${path}`, this.baseUrl);
  }
}

function ofSession(method: string, id: string, rest: string): { method: string; route: string; path: string } {
  return { method, route: `/sessions/{session_id}${rest}`, path: `/sessions/${encodeURIComponent(id)}${rest}` };
}

function parseBody<S extends z.ZodType>({ status, contentType, body }: HttpResponse, schema: S): z.infer<S> {
  if (!/\bjson\b/iu.test(contentType)) {
    const message = `The server responded with "${contentType.slice(0, 80)}" instead of JSON`;
    throw new AmplifierApiError('UNEXPECTED_CONTENT_TYPE', message, status);
  }
  const parsed = schema.safeParse(parseJson(body));
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  throw new AmplifierApiError('INVALID_RESPONSE', `The server sent an invalid response: ${fields}`, status);
}
