import * as z from 'zod/mini';

/**
 * What a page and its host say to each other, as values that both sides import. The page may ask; each request is answered
 * once, by a result or an error. The host only tells. Every message is checked where it arrives.
 */

/** For requests that only do something, and for those that need nothing. */
export const Nothing = z.object({});

export interface RequestType<Params extends z.ZodMiniType, Result extends z.ZodMiniType> {
  readonly method: string;
  readonly params: Params;
  readonly result: Result;
  /** The request with the host's way to answer it; where the answer is nothing, what the handler returns is not told. */
  handledBy(handler: (params: z.infer<Params>) => Handled<Result> | Promise<Handled<Result>>): HandledRequest;
}

type Handled<Result extends z.ZodMiniType> =
  z.infer<typeof Nothing> extends z.infer<Result> ? unknown : z.infer<Result>;

export interface HandledRequest {
  readonly method: string;
  /** @throws Error for params of another shape, and whatever the handler throws */
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
  const isNothing = Object.is(result, Nothing);
  return {
    method,
    params,
    result,
    handledBy: (handler) => ({
      method,
      run: async (value) => {
        const parsed = params.safeParse(value);
        if (!parsed.success) throw new Error(`The page asked for "${method}" in a way Backline does not understand.`);
        const answer = await handler(parsed.data);
        return isNothing ? {} : answer;
      },
    }),
  };
}

/** A request that only does something. */
export function defineAction<Params extends z.ZodMiniType>(
  method: string,
  params: Params,
): RequestType<Params, typeof Nothing> {
  return defineRequest(method, params, Nothing);
}

/** From the host to the page. */
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
  /** `at` is the host's clock when it was posted, in milliseconds since the epoch. */
  z.object({ method: z.string(), params: z.unknown(), at: z.number() }),
]);
export type HostMessage = z.infer<typeof HostMessage>;

/** What the page reads when the host could not do what it asked. */
export class PageError extends Error {
  override readonly name = 'PageError';
  constructor(
    message: string,
    readonly details?: string,
  ) {
    super(message);
  }
}
