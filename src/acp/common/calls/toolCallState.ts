import type { ToolContent, ToolKind, ToolLocation } from '../../../session/common/sessionEvents';
import { isRecord } from '../../../base/common/isRecord';
import type { OwnActionEntry } from '../actions/ownActions';
import type { CallStatus, ToolCallPatch } from '../session/agentMessages';
import { TerminalMeta, type ToolCallContent } from '../session/wireSchema';

/** What the agent has said about one call, or what is known of an action of Backline. */
export interface ToolCallState {
  readonly id: string;
  /** Whether this shows an action of Backline, and not a call of the agent. */
  readonly isAction: boolean;
  /** The number of the turn in which it has started. */
  readonly turn: number;
  /**
   * The action of Backline in whose entry this call of the agent is shown. It only says where events go: the state of the
   * call is its own, so that nothing of the action can be taken for something that the agent has said.
   */
  shownIn: OwnActionEntry | undefined;
  readonly parentId: string | undefined;
  /** Start time, in milliseconds of the monotonic clock. */
  readonly startedAtMs: number;
  name: string | undefined;
  kind: ToolKind;
  title: string | undefined;
  status: CallStatus;
  input: Record<string, unknown>;
  /** Whether the agent has sent the input as an object. Without it, `input` says nothing about what the tool gets. */
  hasInput: boolean;
  output: unknown;
  content: readonly ToolCallContent[];
  locations: readonly ToolLocation[];
  hasEnded: boolean;
  /** Whether the agent says that it can stop this call now. */
  canCancel: boolean;
  /** What was last reported about whether the user can stop the call. */
  isShownStoppable: boolean;
}

/** The changed fields of a call, as in events. */
export interface ToolCallChanges {
  title?: string;
  kind?: ToolKind;
  status?: Exclude<CallStatus, 'cancelled'>;
  input?: Record<string, unknown>;
  locations?: ToolLocation[];
  content?: ToolContent[];
}

/** Whether an update says anything about a call that a user could see, beyond its kind and status. */
export function hasContent(update: ToolCallPatch): boolean {
  const { _meta: meta, content, locations, name, rawInput, rawOutput, title } = update;
  const texts = [title, name].some((text) => (text ?? '').trim() !== '');
  const lists = [content, locations].some((list) => (list ?? []).length > 0);
  const raw = [rawInput, rawOutput].some((value) => value !== undefined && value !== null);
  return texts || lists || raw || (meta ? Object.values(TerminalMeta.parse(meta)).some(isRecord) : false);
}

/** Applies an update and returns the changed fields. New content is only marked, as events contain all content. */
export function applyUpdate(call: ToolCallState, update: ToolCallPatch): ToolCallChanges {
  const changes: ToolCallChanges = {};
  if (update.name !== undefined) call.name = update.name ?? undefined;
  applyState(call, update, changes);
  if (update.rawInput !== undefined) {
    changes.input = call.input = toRecord(update.rawInput ?? {});
    call.hasInput = isRecord(update.rawInput);
  }
  if (update.rawOutput !== undefined) call.output = update.rawOutput ?? undefined;
  if (update.locations !== undefined) {
    changes.locations = (update.locations ?? []).map(({ path, line }) => ({
      path,
      ...(line === undefined ? {} : { line }),
    }));
    call.locations = changes.locations;
  }
  if (update.capabilities !== undefined) call.canCancel = update.capabilities.cancel;
  if (update.content !== undefined) {
    call.content = update.content ?? [];
    changes.content = [];
  }
  return changes;
}

function applyState(call: ToolCallState, update: ToolCallPatch, changes: ToolCallChanges): void {
  const { kind, status, title } = update;
  if (title !== undefined && (title ?? undefined) !== call.title) {
    call.title = title ?? undefined;
    // Events cannot remove a title, so the name of the tool replaces it.
    changes.title = title ?? call.name ?? call.kind;
  }
  if (kind !== undefined && (kind ?? 'other') !== call.kind) changes.kind = call.kind = kind ?? 'other';
  if (status === undefined || (status ?? 'pending') === call.status) return;
  call.status = status ?? 'pending';
  changes.status = call.status === 'cancelled' ? 'failed' : call.status;
}

function toRecord(input: unknown): Record<string, unknown> {
  return isRecord(input) ? { ...input } : { input };
}

const endStatuses: ReadonlySet<CallStatus> = new Set(['completed', 'failed', 'cancelled']);

export function hasEndStatus({ status }: ToolCallState): boolean {
  return endStatuses.has(status);
}
