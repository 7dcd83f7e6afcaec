import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type * as z from 'zod';
import { ApiFailure, documented } from './apiFailure';

export interface ApiAnswer {
  readonly status: number;
  readonly body: object;
}

export interface ApiRequest {
  /** What stands at `{id}` in the path, decoded; empty where the path has no such place. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** Fires when the client has gone before it was answered. */
  readonly signal: AbortSignal;
  /** The body. @throws ApiFailure 400, 413 */
  readonly json: <Schema extends z.ZodType>(schema: Schema) => Promise<z.output<Schema>>;
}

type Route =
  | { readonly answer: (request: ApiRequest) => Promise<ApiAnswer> | ApiAnswer }
  /** Answers by itself, for as long as it likes. */
  | { readonly stream: (id: string, request: IncomingMessage, response: ServerResponse) => void }
  /** Becomes a WebSocket. */
  | { readonly upgrade: (id: string, request: IncomingMessage, socket: Duplex, head: Buffer) => void };

/** Keys are `METHOD /path`, where a segment of the path may be `{id}`. */
export type Routes = Readonly<Record<string, Route>>;

interface FoundRoute {
  readonly route: Route;
  readonly id: string;
}

/** Finds what answers a request. */
export class RouteTable {
  private readonly routes: readonly { readonly method: string; readonly segments: readonly string[]; route: Route }[];

  constructor(routes: Routes) {
    this.routes = Object.entries(routes).map(([key, route]) => {
      const [method = '', path = ''] = key.split(' ');
      return { method, segments: path.split('/'), route };
    });
  }

  /** `path` without the query. @throws ApiFailure 400, 404, 405 */
  find(method: string, path: string): FoundRoute {
    const segments = path.split('/');
    const here = this.routes.filter((candidate) => matches(candidate.segments, segments));
    if (here.length === 0) throw new ApiFailure(404, 'NOT_FOUND', 'There is nothing at this path.');
    const found = here.find((candidate) => candidate.method === method);
    if (!found) {
      const allow = here.map((candidate) => candidate.method).join(', ');
      const message = `This path takes ${allow}.`;
      throw new ApiFailure(405, 'METHOD_NOT_ALLOWED', message, { allow }, { Allow: allow });
    }
    return { route: found.route, id: decoded(segments[found.segments.indexOf('{id}')] ?? '') };
  }
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, at) => (part === '{id}' ? segments[at] !== '' : part === segments[at]))
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw documented('INVALID_REQUEST', 'The path is not percent-encoded as UTF-8.');
  }
}
