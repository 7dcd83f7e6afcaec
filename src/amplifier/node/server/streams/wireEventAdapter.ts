import type { SessionEvent, EventData, EventOf } from '../../../../session/common/sessionEvents';

type Status = Pick<EventData<'status:update'>, 'status' | 'message'>;

/** Adds fields and the events `prompt:complete` and `status:update`, which clients of the API reference expect. */
export class WireEventAdapter {
  private isTurnOpen = false;
  private requestId: string | undefined;
  private responseDeltas: string[] = [];
  private lastStatus: Status | undefined;
  private currentActivity = '';

  constructor(private readonly sessionId: string) {}

  adaptEvent(event: SessionEvent): readonly SessionEvent[] {
    switch (event.event) {
      case 'prompt:submit':
        if (event.data.replayed) return [event];
        this.isTurnOpen = true;
        this.requestId = event.data.request_id;
        return [event, ...this.createActivityUpdate('Working on the prompt')];
      case 'content_block:delta':
        this.responseDeltas.push(event.data.delta);
        return [event];
      case 'tool:pre':
        return [
          event,
          ...this.createActivityUpdate(event.data.title ?? `${event.data.tool_name}: ${event.data.operation}`),
        ];
      case 'approval:required':
        return [
          documentedApproval(event),
          ...this.createStatusUpdate({ status: 'awaiting_approval', message: event.data.prompt }),
        ];
      case 'approval:granted':
      case 'approval:denied':
        return [event, ...this.createStatusUpdate({ status: 'processing', message: this.currentActivity })];
      case 'status:update':
        this.lastStatus = event.data;
        return [event];
      case 'prompt:complete':
        this.resetTurn();
        return [{ ...event, data: { ...event.data, token_usage: event.data.token_usage ?? noTokens } }];
      case 'error':
        return [withMessage(event), ...this.completeOpenTurn()];
      case 'session:end':
        return [...this.completeOpenTurn(), event];
      default:
        return [event];
    }
  }

  /** Ends the open turn, because clients wait for its end even after errors. */
  private completeOpenTurn(): SessionEvent[] {
    if (!this.isTurnOpen) return [];
    const { requestId, sessionId: session_id } = this;
    const response = this.responseDeltas.join('');
    this.resetTurn();
    const request = requestId === undefined ? {} : { request_id: requestId };
    const data = { session_id, ...request, response, token_usage: noTokens, stop_reason: 'interrupted' } as const;
    return [{ event: 'prompt:complete', data }];
  }

  private resetTurn(): void {
    this.isTurnOpen = false;
    this.requestId = undefined;
    this.responseDeltas = [];
    this.lastStatus = undefined;
    this.currentActivity = '';
  }

  private createActivityUpdate(activity: string): SessionEvent[] {
    this.currentActivity = activity;
    return this.createStatusUpdate({ status: 'processing', message: activity });
  }

  private createStatusUpdate(status: Status): SessionEvent[] {
    const isSame = this.lastStatus?.status === status.status && this.lastStatus.message === status.message;
    if (!this.isTurnOpen || isSame) return [];
    this.lastStatus = status;
    return [{ event: 'status:update', data: { session_id: this.sessionId, ...status } }];
  }
}

const noTokens = { input_tokens: 0, output_tokens: 0 };

/** Sends the text as `error` and `message`, because some clients read only one of them. */
function withMessage({ event, data }: EventOf<'error'>): SessionEvent {
  return { event, data: { ...data, message: data.error } };
}

/** Adds the fields of the API reference: `default`, `context.tool`, `context.operation` and `context.path`. */
function documentedApproval({ event, data }: EventOf<'approval:required'>): SessionEvent {
  const { context = {}, default: otherwise = 'deny' } = data;
  return { event, data: { ...data, default: otherwise, context: { ...subjectOf(context), ...context } } };
}

function subjectOf({ kind, paths }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const path: unknown = Array.isArray(paths) ? paths[0] : undefined;
  return {
    ...(kind === undefined ? {} : { tool: kind, operation: kind }),
    ...(path === undefined ? {} : { path }),
  };
}
