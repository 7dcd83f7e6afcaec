import * as z from 'zod/mini';
import { userMessageOf } from '../../base/common/errors';
import { PageMessage, type PageRequestHandler, type HostMessage } from './protocol';

/** The requests that a page can send, by name. */
export type RequestTable = Readonly<Record<string, { readonly method: string }>>;

/** One handler for each request in the table. TypeScript reports an error if one is missing. */
export type RequestHandlers<Table extends RequestTable> = { readonly [Name in keyof Table]: PageRequestHandler };

type RequestResponse = Extract<HostMessage, { id: number }>;

/** Maximum length of an unknown method name in an error message, in UTF-16 units. */
const maxQuotedUnits = 80;

/** Validates the messages of a page and answers every request. */
export class RequestDispatcher<Table extends RequestTable> {
  private readonly handlersByMethod: ReadonlyMap<string, PageRequestHandler>;

  constructor(
    handlers: RequestHandlers<Table>,
    private readonly onFailure: (method: string, error: unknown) => void,
  ) {
    this.handlersByMethod = new Map(
      Object.values<PageRequestHandler>(handlers).map((handled) => [handled.method, handled]),
    );
  }

  /** Handles a message. Returns the response, or undefined for an invalid message. Never rejects. */
  async dispatch(message: unknown): Promise<RequestResponse | undefined> {
    const request = PageMessage.safeParse(message).data;
    if (!request) {
      this.onFailure('?', new Error('The page sent an invalid message.'));
      return undefined;
    }
    const { id, method, params } = request;
    const handled = this.handlersByMethod.get(method);
    if (!handled) {
      const message = `Unknown request "${method.slice(0, maxQuotedUnits)}".`;
      this.onFailure('?', new Error(message));
      return { id, error: { message } };
    }
    try {
      return { id, result: await handled.run(params) };
    } catch (error) {
      this.onFailure(method, error);
      const details = detailsOf(error);
      return { id, error: { message: userMessageOf(error), ...(details === undefined ? {} : { details }) } };
    }
  }
}

const WithDetails = z.object({ details: z.string() });

function detailsOf(error: unknown): string | undefined {
  return WithDetails.safeParse(error).data?.details;
}
