import type * as z from 'zod/mini';
import { HostMessage, PageError, type NotificationType, type PageMessage, type RequestType } from '../common/protocol';
import { HostTime } from './hostTime';

/** What VS Code gives a page, once. */
export interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** The answer; undefined when the host could not, which somebody was told. */
export type Ask = <Params extends z.ZodMiniType, Result extends z.ZodMiniType>(
  type: RequestType<Params, Result>,
  params: z.infer<Params>,
) => Promise<z.infer<Result> | undefined>;

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The page's end of the protocol. The host may be gone at any time: then so is the page, and nothing waits. */
export class HostConnection {
  readonly time = new HostTime();
  private readonly pending = new Map<number, Pending>();
  private readonly listeners = new Map<string, (params: unknown) => void>();
  private lastId = 0;

  constructor(private readonly api: Pick<VsCodeApi, 'postMessage'>) {}

  start(window: Pick<Window, 'addEventListener'>): void {
    window.addEventListener('message', ({ data }: MessageEvent<unknown>) => this.receive(data));
  }

  /** @throws PageError with what the user reads */
  async request<Params extends z.ZodMiniType, Result extends z.ZodMiniType>(
    type: RequestType<Params, Result>,
    params: z.infer<Params>,
  ): Promise<z.infer<Result>> {
    const id = ++this.lastId;
    const result = await new Promise<unknown>((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.api.postMessage({ id, method: type.method, params } satisfies PageMessage);
    });
    return type.result.parse(result);
  }

  /** Requests for who has nothing to do about a failure but to show it, which `onFailure` does. */
  asker(onFailure: (error: unknown) => void): Ask {
    return async (type, params) => {
      try {
        return await this.request(type, params);
      } catch (error) {
        onFailure(error);
        return undefined;
      }
    };
  }

  /** One listener for each notification; messages of another shape are dropped, which `onUnreadable` may tell the user. */
  on<Params extends z.ZodMiniType>(
    type: NotificationType<Params>,
    listener: (params: z.infer<Params>) => void,
    onUnreadable?: () => void,
  ): void {
    this.listeners.set(type.method, (params) => {
      const parsed = type.params.safeParse(params);
      if (parsed.success) listener(parsed.data);
      else onUnreadable?.();
    });
  }

  private receive(data: unknown): void {
    const message = HostMessage.safeParse(data).data;
    if (!message) return;
    if ('method' in message) {
      this.time.heard(message.at);
      this.listeners.get(message.method)?.(message.params);
      return;
    }
    const pending = this.pending.get(message.id);
    this.pending.delete(message.id);
    if ('error' in message) pending?.reject(new PageError(message.error.message, message.error.details));
    else pending?.resolve(message.result);
  }
}
