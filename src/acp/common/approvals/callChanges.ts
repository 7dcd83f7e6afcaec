import { BoundedMap } from '../../../base/common/boundedMap';
import { canonicalJson } from '../../../base/common/canonicalJson';
import { toVisibleText } from '../../../base/common/text/visibleText';
import { commandOfInput, parseToolInput } from '../../../permissions/common/requests/toolInput';
import { requestChanged } from '../../../session/common/engine/approvals';
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

type CallInput = Readonly<Record<string, unknown>>;

/** Recognizes that the agent reports another input for a call that was allowed. */
export class AllowedCalls {
  private readonly inputById = new BoundedMap<string, CallInput>({ maxEntries: maxAllowed });

  /** `describeCall` returns the same object for an input as long as the agent does not report it again. */
  constructor(private readonly describeCall: (callId: string) => CallDescription | undefined) {}

  add(callId: string | undefined): void {
    const input = callId === undefined ? undefined : this.describeCall(callId)?.rawInput;
    if (callId !== undefined && input) this.inputById.set(callId, input);
  }

  /** Returns what was allowed and what it is now, of each call that has changed since. Each is returned once. */
  takeChanged(): { readonly callId: string; readonly allowed: string; readonly now: string }[] {
    return [...this.inputById].flatMap(([callId, allowed]) => {
      const now = this.describeCall(callId)?.rawInput;
      if (!now || now === allowed) return [];
      if (effectOf(now) === effectOf(allowed)) {
        this.inputById.set(callId, now);
        return [];
      }
      this.inputById.delete(callId);
      const toText = textOf(allowed) === textOf(now) ? JSON.stringify : textOf;
      return [{ callId, allowed: shorten(toText(allowed)), now: shorten(toText(now)) }];
    });
  }

  /** Call at the end of a turn, in which all calls end. */
  clear(): void {
    this.inputById.clear();
  }
}

/** The members of an input that have an effect. An input without a canonical form differs from all others. */
function effectOf(input: CallInput): unknown {
  const { argv, cwd, env, members, paths } = parseToolInput(input, false);
  return canonicalJson({ argv, cwd, env, members, paths }) ?? input;
}

function textOf(input: CallInput): string {
  return commandOfInput(input) ?? JSON.stringify(input);
}

function shorten(text: string): string {
  return toVisibleText(text.length > maxShownUnits ? `${text.slice(0, maxShownUnits)}…` : text);
}
