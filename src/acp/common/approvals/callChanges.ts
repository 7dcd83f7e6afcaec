import { canonicalJson } from '../../../base/common/canonicalJson';
import { toVisibleText } from '../../../base/common/visibleText';
import { parseToolInput } from '../../../permissions/common/requests/toolInput';
import type { CallDescription } from '../session/toolCalls';

interface WatchedCall {
  readonly callId: string;
  readonly before: string;
  readonly controller: AbortController;
}

interface CallWatch {
  /** Aborted with `requestChanged` when the call is no longer what it was. */
  readonly signal: AbortSignal;
  dispose(): void;
}

/** The reason of a signal that is aborted because a request has changed while it waited for its answer. */
export const requestChanged = Symbol('The request has changed.');

/** Recognizes that a tool call has changed while the user or a rule decides about it. */
export class CallChanges {
  private readonly watches = new Set<WatchedCall>();

  /** `describeCall` returns everything that is known about a call. */
  constructor(private readonly describeCall: (callId: string) => CallDescription | undefined) {}

  /** Watches a call from now on. The caller disposes the result. */
  watch(callId: string | undefined): CallWatch {
    const controller = new AbortController();
    if (callId === undefined) return { signal: controller.signal, dispose: () => undefined };
    const watched = { callId, before: this.fingerprintOf(callId), controller };
    this.watches.add(watched);
    return { signal: controller.signal, dispose: () => this.watches.delete(watched) };
  }

  /** Call after each message of the agent that can change a call. */
  check(): void {
    for (const watched of [...this.watches]) {
      if (this.fingerprintOf(watched.callId) === watched.before) continue;
      this.watches.delete(watched);
      watched.controller.abort(requestChanged);
    }
  }

  private fingerprintOf(callId: string): string {
    const call = this.describeCall(callId);
    if (!call) return '';
    const { content, kind, locations, name, rawInput, title } = call;
    // Output of a terminal is no part of what is asked for.
    return JSON.stringify([kind, name, title, rawInput, locations, content.filter(({ type }) => type !== 'terminal')]);
  }
}

/** Maximum number of allowed calls that are watched. */
const maxAllowed = 200;
/** Maximum length of an input in a warning, in UTF-16 units. */
const maxShownUnits = 200;

interface AllowedCall {
  readonly action: string;
  readonly text: string;
}

/** Recognizes that the agent reports another input for a call that was allowed. */
export class AllowedCalls {
  private readonly allowedById = new Map<string, AllowedCall>();

  constructor(private readonly describeCall: (callId: string) => CallDescription | undefined) {}

  add(callId: string | undefined): void {
    const allowed = callId === undefined ? undefined : actionOf(this.describeCall(callId));
    if (callId === undefined || !allowed) return;
    this.allowedById.set(callId, allowed);
    const [oldest] = this.allowedById.keys();
    if (this.allowedById.size > maxAllowed && oldest !== undefined) this.allowedById.delete(oldest);
  }

  /** Returns what was allowed and what it is now, of each call that has changed since. Each is returned once. */
  takeChanged(): { readonly allowed: string; readonly now: string }[] {
    return [...this.allowedById].flatMap(([callId, { action, text: allowed }]) => {
      const now = actionOf(this.describeCall(callId));
      if (!now || now.action === action) return [];
      this.allowedById.delete(callId);
      return [{ allowed, now: now.text }];
    });
  }
}

/** What a call does according to its input. Undefined if the agent has sent none, or its turn has ended. */
function actionOf(call: CallDescription | undefined): AllowedCall | undefined {
  if (!call?.rawInput) return undefined;
  const { argv, cwd, env, members, paths } = parseToolInput(
    call.rawInput,
    call.kind === 'read' || call.kind === 'edit',
  );
  const action = canonicalJson({ argv, cwd, env, members, paths });
  const text = toVisibleText(argv?.join(' ') ?? JSON.stringify(call.rawInput));
  return action === undefined
    ? undefined
    : { action, text: text.length > maxShownUnits ? `${text.slice(0, maxShownUnits)}…` : text };
}
