import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type * as z from 'zod';
import { ApiFailure, documentedFailure } from './apiFailure';

export interface ApiResponse {
  readonly status: number;
  readonly body: object;
}

export interface ApiRequest {
  /** The decoded `{id}` in the path. Empty if the route has none. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** Fires when the client disconnects before it has received the response. */
  readonly signal: AbortSignal;
  /** Reads and validates the body. @throws ApiFailure 400, 413 */
  readonly json: <Schema extends z.ZodType>(schema: Schema) => Promise<z.output<Schema>>;
}

type Route =
  | { readonly answer: (request: ApiRequest) => Promise<ApiResponse> | ApiResponse }
  /** A route that writes its own response, which may be a stream. */
  | { readonly stream: (id: string, request: IncomingMessage, response: ServerResponse) => void }
  | { readonly upgrade: (id: string, request: IncomingMessage, socket: Duplex, head: Buffer) => void };

/** Routes by `METHOD /path`. One segment of the path may be `{id}`. */
export type Routes = Readonly<Record<string, Route>>;

interface FoundRoute {
  readonly route: Route;
  readonly id: string;
}

export class RouteTable {
  private readonly routes: readonly { readonly method: string; readonly segments: readonly string[]; route: Route }[];

  constructor(routes: Routes) {
    this.routes = Object.entries(routes).map(([key, route]) => {
      const [method = '', path = ''] = key.split(' ');
      return { method, segments: path.split('/'), route };
    });
  }

  /** Finds the route for a path without query. @throws ApiFailure 400, 404, 405 */
  find(method: string, path: string): FoundRoute {
    const segments = path.split('/');
    const here = this.routes.filter((candidate) => matches(candidate.segments, segments));
    if (here.length === 0) throw new ApiFailure(404, 'NOT_FOUND', 'This path does not exist.');
    const found = here.find((candidate) => candidate.method === method);
    if (!found) {
      const allow = here.map((candidate) => candidate.method).join(', ');
      const message = `This path only supports ${allow}.`;
      throw new ApiFailure(405, 'METHOD_NOT_ALLOWED', message, { allow }, { Allow: allow });
    }
    return { route: found.route, id: decoded(segments[found.segments.indexOf('{id}')] ?? '') };
  }
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (part === '{id}' ? segments[index] !== '' : part === segments[index]))
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw documentedFailure('INVALID_REQUEST', 'The path is not valid percent-encoded UTF-8.');
  }
}
