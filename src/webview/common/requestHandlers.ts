import { wordsOf } from '../../base/common/errors';
import { PageMessage, type HandledRequest, type HostMessage } from './protocol';

/** A page's requests by name, as its API declares them. */
export type RequestTable = Readonly<Record<string, { readonly method: string }>>;

/** One for each request of the table: leaving one out does not compile. */
export type Handlers<Table extends RequestTable> = { readonly [Name in keyof Table]: HandledRequest };

type Answer = Extract<HostMessage, { id: number }>;

/** Of what is told of an unknown request. */
const maxNameUnits = 80;

/** Answers a page's messages: whatever arrives is checked, and whatever is asked is answered. */
export class RequestDispatcher<Table extends RequestTable> {
  private readonly byMethod: ReadonlyMap<string, HandledRequest>;

  constructor(
    handlers: Handlers<Table>,
    private readonly onFailure: (method: string, error: unknown) => void,
  ) {
    this.byMethod = new Map(Object.values<HandledRequest>(handlers).map((handled) => [handled.method, handled]));
  }

  /** Undefined for what is no request at all: there is nobody to answer. Never rejects. */
  async answer(message: unknown): Promise<Answer | undefined> {
    const request = PageMessage.safeParse(message).data;
    if (!request) {
      this.onFailure('?', new Error('The page posted something that is not a request.'));
      return undefined;
    }
    const { id, method, params } = request;
    const handled = this.byMethod.get(method);
    if (!handled) {
      const message = `There is no request "${method.slice(0, maxNameUnits)}".`;
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
