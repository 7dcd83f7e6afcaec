import type * as z from 'zod/mini';
import {
  HostMessage,
  HostRequestError,
  type NotificationType,
  type PageMessage,
  type RequestType,
} from '../common/protocol';
import { HostTime } from './hostTime';

/** The API that VS Code provides to a page. A page can acquire it only once. */
export interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** Sends a request. If it fails, reports the error and resolves to undefined. */
export type Requester = <Params extends z.ZodMiniType, Result extends z.ZodMiniType>(
  type: RequestType<Params, Result>,
  params: z.infer<Params>,
) => Promise<z.infer<Result> | undefined>;

interface PendingRequest {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** How often a visible page sends a heartbeat, in milliseconds. */
const heartbeatMs = 5_000;

/** Calls `send` every few seconds while the page is visible, so that the host knows that it is shown and responds. */
export function startHeartbeats(window: Window, send: () => void): void {
  window.setInterval(() => {
    if (window.document.visibilityState === 'visible') send();
  }, heartbeatMs);
}

/** The page's side of the protocol. Requests have no time limit, because the page is closed together with its host. */
export class HostConnection {
  readonly hostTime = new HostTime();
  private readonly pendingRequests = new Map<number, PendingRequest>();
  private readonly notificationListenerByMethod = new Map<string, (params: unknown) => void>();
  private lastRequestId = 0;

  constructor(private readonly vsCodeApi: Pick<VsCodeApi, 'postMessage'>) {}

  start(window: Pick<Window, 'addEventListener'>): void {
    window.addEventListener('message', ({ data }: MessageEvent<unknown>) => this.handleMessage(data));
  }

  async request<Params extends z.ZodMiniType, Result extends z.ZodMiniType>(
    type: RequestType<Params, Result>,
    params: z.infer<Params>,
  ): Promise<z.infer<Result>> {
    const id = ++this.lastRequestId;
    const result = await new Promise<unknown>((resolve, reject) => {
      this.pendingRequests.set(id, { resolve, reject });
      this.vsCodeApi.postMessage({ id, method: type.method, params } satisfies PageMessage);
    });
    return type.result.parse(result);
  }

  /** Returns a function that sends requests. It passes errors to `onFailure`. */
  createRequester(onFailure: (error: unknown) => void): Requester {
    return async (type, params) => {
      try {
        return await this.request(type, params);
      } catch (error) {
        onFailure(error);
        return undefined;
      }
    };
  }

  /** Sets the only listener. Messages with another structure are dropped and reported to `onUnreadable`. */
  setNotificationListener<Params extends z.ZodMiniType>(
    type: NotificationType<Params>,
    listener: (params: z.infer<Params>) => void,
    onUnreadable?: () => void,
  ): void {
    this.notificationListenerByMethod.set(type.method, (params) => {
      const parsed = type.params.safeParse(params);
      if (parsed.success) listener(parsed.data);
      else onUnreadable?.();
    });
  }

  private handleMessage(data: unknown): void {
    const message = HostMessage.safeParse(data).data;
    if (!message) return;
    if ('method' in message) {
      this.hostTime.synchronize(message.at);
      this.notificationListenerByMethod.get(message.method)?.(message.params);
      return;
    }
    const pending = this.pendingRequests.get(message.id);
    this.pendingRequests.delete(message.id);
    if ('error' in message) pending?.reject(new HostRequestError(message.error.message, message.error.details));
    else pending?.resolve(message.result);
  }
}
