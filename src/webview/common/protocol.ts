import * as z from 'zod/mini';

/**
 * The typed protocol between a page and its host. The page sends requests. Each is answered once with a result or an
 * error. The host also sends notifications. Both sides validate all messages that they receive.
 */

/** Schema for requests without parameters or without a result. */
export const NoValue = z.object({});

export interface RequestType<Params extends z.ZodMiniType, Result extends z.ZodMiniType> {
  readonly method: string;
  readonly params: Params;
  readonly result: Result;
  /** Connects the request with its handler in the host. A returned value is not sent if the result is `NoValue`. */
  withHandler(
    handler: (params: z.infer<Params>) => HandlerResult<Result> | Promise<HandlerResult<Result>>,
  ): PageRequestHandler;
}

type HandlerResult<Result extends z.ZodMiniType> =
  z.infer<typeof NoValue> extends z.infer<Result> ? unknown : z.infer<Result>;

export interface PageRequestHandler {
  readonly method: string;
  /** Validates the parameters and runs the handler. @throws Error for invalid parameters, and errors of the handler */
  run(params: unknown): Promise<unknown>;
}

export interface NotificationType<Params extends z.ZodMiniType> {
  readonly method: string;
  readonly params: Params;
}

export function defineRequest<Params extends z.ZodMiniType, Result extends z.ZodMiniType>(
  method: string,
  params: Params,
  result: Result,
): RequestType<Params, Result> {
  const isNothing = Object.is(result, NoValue);
  return {
    method,
    params,
    result,
    withHandler: (handler) => ({
      method,
      run: async (value) => {
        const parsed = params.safeParse(value);
        if (!parsed.success) throw new Error(`Invalid parameters for "${method}".`);
        const answer = await handler(parsed.data);
        return isNothing ? {} : answer;
      },
    }),
  };
}

export function defineRequestWithoutResult<Params extends z.ZodMiniType>(
  method: string,
  params: Params,
): RequestType<Params, typeof NoValue> {
  return defineRequest(method, params, NoValue);
}

export function defineNotification<Params extends z.ZodMiniType>(
  method: string,
  params: Params,
): NotificationType<Params> {
  return { method, params };
}

export const PageMessage = z.object({ id: z.int(), method: z.string(), params: z.unknown() });
export type PageMessage = z.infer<typeof PageMessage>;

export const HostMessage = z.union([
  z.object({ id: z.int(), result: z.unknown() }),
  z.object({ id: z.int(), error: z.object({ message: z.string(), details: z.optional(z.string()) }) }),
  /** A notification. `at` is the time when the host has sent it, in milliseconds since the epoch. */
  z.object({ method: z.string(), params: z.unknown(), at: z.number() }),
]);
export type HostMessage = z.infer<typeof HostMessage>;

/** The error of a request that has failed in the host. */
export class HostRequestError extends Error {
  override readonly name = 'HostRequestError';
  constructor(
    message: string,
    readonly details?: string,
  ) {
    super(message);
  }
}
