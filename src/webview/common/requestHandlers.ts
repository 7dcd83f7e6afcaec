import { wordsOf } from '../../base/common/errors';
import { PageMessage, type HandledRequest, type HostMessage } from './protocol';

/** The requests of a page by name. */
export type RequestTable = Readonly<Record<string, { readonly method: string }>>;

/** One handler for each request of the table; a missing one is a compile error. */
export type Handlers<Table extends RequestTable> = { readonly [Name in keyof Table]: HandledRequest };

type Answer = Extract<HostMessage, { id: number }>;

/** How much of an unknown method name is quoted in the error, in UTF-16 units. */
const maxNameUnits = 80;

/** Validates the messages of a page and answers every request. */
export class RequestDispatcher<Table extends RequestTable> {
  private readonly byMethod: ReadonlyMap<string, HandledRequest>;

  constructor(
    handlers: Handlers<Table>,
    private readonly onFailure: (method: string, error: unknown) => void,
  ) {
    this.byMethod = new Map(Object.values<HandledRequest>(handlers).map((handled) => [handled.method, handled]));
  }

  /** Returns the response, or undefined for an invalid message. Never rejects. */
  async answer(message: unknown): Promise<Answer | undefined> {
    const request = PageMessage.safeParse(message).data;
    if (!request) {
      this.onFailure('?', new Error('The page sent an invalid message.'));
      return undefined;
    }
    const { id, method, params } = request;
    const handled = this.byMethod.get(method);
    if (!handled) {
      const message = `Unknown request "${method.slice(0, maxNameUnits)}".`;
      this.onFailure('?', new Error(message));
      return { id, error: { message } };
    }
    try {
      return { id, result: await handled.run(params) };
    } catch (error) {
      this.onFailure(method, error);
      const details = detailsOf(error);
      return { id, error: { message: wordsOf(error), ...(details === undefined ? {} : { details }) } };
    }
  }
}

function detailsOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('details' in error)) return undefined;
  return typeof error.details === 'string' ? error.details : undefined;
}
