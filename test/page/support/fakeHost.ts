// The host of a page in tests: answers requests as the test says, remembers them, sends notifications.
import type * as z from 'zod/mini';
import {
  PageMessage,
  type PageRequestHandler,
  type NotificationType,
  type RequestType,
} from '../../../src/webview/common/protocol';
import { RequestDispatcher } from '../../../src/webview/common/requestHandlers';

type Type = RequestType<z.ZodMiniType, z.ZodMiniType>;

/** How long `waitFor` waits: long, as machines are busy. */
const waitMs = 45_000;

export class FakeHost {
  /** All that the page asked, oldest first. */
  readonly asked: { readonly method: string; readonly params: unknown }[] = [];
  /** What handlers threw; a test may expect it. */
  readonly failures: unknown[] = [];
  /** What time it is for the host. */
  clock: () => number = Date.now;
  private readonly handled = new Map<string, PageRequestHandler>();
  private readonly waiting = new Set<() => void>();

  /** `send` delivers to the page; it resolves when the page has seen the message. */
  constructor(private readonly send: (message: unknown) => Promise<void>) {}

  /** Requests that no one answers get `{}`. A later answer replaces an earlier one. */
  answer<Params extends z.ZodMiniType, Result extends z.ZodMiniType>(
    type: RequestType<Params, Result>,
    handler: (params: z.infer<Params>) => z.infer<Result> | Promise<z.infer<Result>>,
  ): void {
    this.handled.set(type.method, type.withHandler(handler));
  }

  async notify<Params extends z.ZodMiniType>(type: NotificationType<Params>, params: z.input<Params>): Promise<void> {
    await this.send({ method: type.method, params, at: this.clock() });
  }

  /** The params of all requests of a type so far, oldest first. @throws ZodError for one of another shape */
  requestsOf<Params extends z.ZodMiniType, Result extends z.ZodMiniType>(
    type: RequestType<Params, Result>,
  ): z.infer<Params>[] {
    return this.asked.filter(({ method }) => method === type.method).map(({ params }) => type.params.parse(params));
  }

  /** The params of the `nth` request (1 is the first) of a type, now or soon. @throws Error when it does not come */
  async waitFor<Params extends z.ZodMiniType, Result extends z.ZodMiniType>(
    type: RequestType<Params, Result>,
    nth = 1,
  ): Promise<z.infer<Params>> {
    const deadline = AbortSignal.timeout(waitMs);
    for (;;) {
      const found = this.requestsOf(type)[nth - 1];
      if (found !== undefined) return found;
      if (deadline.aborted) throw new Error(`The page did not ask for "${type.method}" ${nth} time(s).`);
      await new Promise<void>((resolve) => {
        const go = (): void => {
          this.waiting.delete(go);
          resolve();
        };
        this.waiting.add(go);
        deadline.addEventListener('abort', go, { once: true });
      });
    }
  }

  /** For the harness: a message of the page. */
  async receive(message: unknown): Promise<void> {
    const request = PageMessage.safeParse(message).data;
    if (!request) throw new Error(`The page posted what is no request: ${JSON.stringify(message)}`);
    this.asked.push({ method: request.method, params: request.params });
    for (const go of [...this.waiting]) go();
    const handled = this.handled.get(request.method) ?? nothing(request.method);
    const dispatcher = new RequestDispatcher<Record<string, Type>>({ [request.method]: handled }, (_method, error) => {
      this.failures.push(error);
    });
    const answer = await dispatcher.dispatch(message);
    if (answer) await this.send(answer);
  }
}

function nothing(method: string): PageRequestHandler {
  return { method, run: () => Promise.resolve({}) };
}
