import type { BackendState } from '../../../session/common/sessionBackend';
import type { ChatTranscript } from '../transcript/chatTranscript';
import { OptionView, type SessionView } from '../chatView';

type Status = Pick<SessionView, 'status' | 'statusText' | 'statusDetails'>;

export interface StatusFacts {
  readonly transcript: Pick<ChatTranscript, 'isBusy' | 'isStarting' | 'statusText'>;
  readonly backend: BackendState | undefined;
  readonly readonly: string | undefined;
  /** The backend is being made to end a turn. */
  readonly isStopping: boolean;
  /** It is being found out whether a turn still runs. */
  readonly isResuming: boolean;
  /** Why the last prompt was not taken. */
  readonly failure: { readonly text: string; readonly details?: string } | undefined;
}

/** What goes on, in the order of what the user must know first. */
export function statusOf(facts: StatusFacts): Status {
  const { backend, failure, readonly, transcript } = facts;
  if (readonly !== undefined) return { status: 'readonly', statusText: readonly };
  if (backend?.kind === 'authRequired' && (transcript.isBusy || failure)) {
    return { status: 'signIn', statusText: backend.message };
  }
  if (facts.isStopping) return { status: 'stopping' };
  if (facts.isResuming) return { status: 'reconnecting', statusText: 'Looking whether the turn still runs…' };
  if (transcript.isBusy) return busyStatus(facts);
  if (failure) {
    const { details, text } = failure;
    return { status: 'failed', statusText: text, ...(details === undefined ? {} : { statusDetails: details }) };
  }
  return { status: 'idle' };
}

function busyStatus({ backend, transcript }: StatusFacts): Status {
  if (transcript.isStarting) {
    return backend?.kind === 'starting' ? { status: 'starting', statusText: backend.message } : { status: 'starting' };
  }
  if (backend?.kind === 'failed') {
    const details = backend.details === undefined ? {} : { statusDetails: backend.details };
    return { status: 'reconnecting', statusText: backend.message, ...details };
  }
  const { statusText } = transcript;
  return statusText === undefined ? { status: 'busy' } : { status: 'busy', statusText };
}

/** What the transcript knows of the session, for the page. `now` is in milliseconds since the epoch. */
export function transcriptView(
  transcript: ChatTranscript,
  now: number,
): Pick<SessionView, 'approvals' | 'options' | 'commands' | 'context' | 'usage' | 'isBusy'> {
  const { isBusy, usage } = transcript;
  const { context, total } = usage;
  return {
    approvals: transcript.approvals.viewsAt(now),
    options: transcript.options.map((option) => OptionView.parse(option)),
    commands: transcript.commands.map(({ name, description, hint }) =>
      hint === undefined ? { name, description } : { name, description, hint },
    ),
    isBusy,
    ...(context ? { context: { ...context } } : {}),
    ...(total ? { usage: total } : {}),
  };
}
