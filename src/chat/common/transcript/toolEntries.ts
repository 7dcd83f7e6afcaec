import { withoutCodeMarks } from '../../../base/common/text/visibleText';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { EventData, EventOf, ToolContent } from '../../../session/common/sessionEvents';
import type { EntryBase, EntryOf, Part, ToolState } from '../../../transcript/common/entries';
import type { DecidedApproval } from '../approvals/approvalViews';
import { showCommandOutputAsTerminal } from './callContent';
import type { EntryWriter } from './entryWriter';
import {
  commandOf,
  contentParts,
  changePartsOfInput,
  pathOfInput,
  resultParts,
  toJson,
  type PartsWithDiffs,
} from './toolParts';

type ToolEntry = EntryOf<'tool'>;
type ToolEvent = EventOf<'tool:pre' | 'tool:update' | 'tool:post' | 'tool:error'>;

interface Call {
  readonly base: EntryBase;
  readonly name: string;
  readonly operation: string;
  title: string | undefined;
  kind: ToolEntry['toolKind'];
  state: ToolState;
  input: Record<string, unknown>;
  locations?: ToolEntry['locations'];
  content: readonly ToolContent[];
  output: unknown;
  error?: string;
  durationMs?: number | undefined;
  decision?: string;
  /** Since when the call waits for the user, in milliseconds since the epoch, and how long it has waited before. */
  waitingSince?: number | undefined;
  waitedMs: number;
  /** Whether the agent can stop the call now, and whether the user can deny what it waits for. */
  canStop: boolean;
  canDeny: boolean;
  /** Whether the call started between turns, so that its end may never be reported. */
  readonly isLate: boolean;
}

/** What is shown of a call while it runs. `since`: milliseconds since the epoch. */
export interface RunningCall {
  readonly kind: 'running';
  readonly title: string;
  readonly since: number | undefined;
  readonly isCommand?: boolean;
  /** How many other calls are running. */
  readonly count?: number;
}

type ToolResult = EventData<'tool:post'>['result'];
type CallDetails = Pick<EventData<'tool:update'>, 'title' | 'kind' | 'locations' | 'content' | 'can_stop'>;

const endedStates: ReadonlySet<ToolState> = new Set(['done', 'failed', 'cancelled', 'rejected', 'timedOut', 'stale']);

const decidedStates: Readonly<Record<DecidedApproval['outcome'], ToolState>> = {
  granted: 'running',
  denied: 'rejected',
  timedOut: 'timedOut',
  unanswered: 'stale',
};

/** The transcript entries of tool calls, updated in place until a call has ended. */
export class ToolEntries {
  private callsById = new Map<string, Call>();
  /** In the order in which they began to run. */
  private readonly runningCalls = new Set<Call>();
  /** The state of calls that are reported between turns, because their end may never be reported. */
  private stateBetweenTurns: 'cancelled' | 'stale' | undefined;

  constructor(private readonly writer: EntryWriter) {}

  /** Removes all calls, because a new session of the backend may reuse their ids. */
  clear(): void {
    this.callsById.clear();
    this.runningCalls.clear();
  }

  /** The call that began last of those that are running, and how many others there are beside its subagents. */
  get runningCall(): RunningCall | undefined {
    const calls = [...this.runningCalls];
    const last = calls.pop();
    if (!last) return undefined;
    const ancestors = new Set<string>();
    for (let { parent } = last.base; parent !== undefined && !ancestors.has(parent);) {
      const id: string = parent;
      ancestors.add(id);
      parent = calls.find(({ base }) => base.id === id)?.base.parent;
    }
    const others = calls.filter(({ base }) => !ancestors.has(base.id)).length;
    return {
      kind: 'running',
      title: titleOf(last),
      since: startOf(last),
      ...(last.kind === 'execute' && { isCommand: true }),
      ...(others > 0 && { count: others }),
    };
  }

  applyEvent(event: ToolEvent): void {
    if (event.event === 'tool:pre') {
      this.beginCall(event.data);
      return;
    }
    const call = this.callsById.get(event.data.call_id ?? '');
    if (!call) return;
    this.setDetails(call, event.data);
    if (event.event === 'tool:update') this.updateCall(call, event.data);
    else if (event.event === 'tool:post') this.setResult(call, event.data.result, event.data.duration_ms);
    else if (event.data.unfinished) this.endWithoutResult(call, 'stale');
    else this.setError(call, event.data.error);
    this.putEntry(call);
  }

  entryIdOf(callId: string | undefined): string | undefined {
    return callId === undefined ? undefined : this.callsById.get(callId)?.base.id;
  }

  /** The id that events have for the call of an entry. */
  callIdOf(entryId: string): string | undefined {
    for (const [id, { base }] of this.callsById) if (base.id === entryId) return id;
    return undefined;
  }

  shownPartsOf(callId: string): PartsWithDiffs | undefined {
    const call = this.callsById.get(callId);
    return call && shownParts(call);
  }

  /** `canDeny`: whether the user can deny the call, and nothing else. */
  markWaiting(callId: string, canDeny: boolean): void {
    const call = this.callsById.get(callId);
    if (!call || (endedStates.has(call.state) && !call.isLate)) return;
    call.state = 'waiting';
    call.canDeny = canDeny;
    call.waitingSince ??= this.writer.recordedAt;
    this.putEntry(call);
  }

  applyDecision({ callId, decision, outcome }: DecidedApproval): void {
    const call = callId === undefined ? undefined : this.callsById.get(callId);
    if (!call) return;
    call.decision = decision;
    this.endWaiting(call);
    if (!endedStates.has(call.state)) call.state = decidedStates[outcome];
    if (call.isLate && call.state === 'running') call.state = this.stateBetweenTurns ?? 'running';
    this.putEntry(call);
  }

  /** Ends all running calls at the end of the turn. */
  endOpenCalls(state: 'cancelled' | 'stale'): void {
    for (const call of this.callsById.values()) {
      if (endedStates.has(call.state)) continue;
      this.endWithoutResult(call, state);
      this.putEntry(call);
    }
    this.stateBetweenTurns = state;
  }

  reopenTurn(): void {
    this.stateBetweenTurns = undefined;
  }

  /** Removes the ended calls of earlier turns. */
  startTurn(): void {
    this.stateBetweenTurns = undefined;
    this.runningCalls.clear();
    for (const [id, call] of this.callsById) if (endedStates.has(call.state)) this.callsById.delete(id);
  }

  private beginCall(data: EventData<'tool:pre'>): void {
    const { call_id: id = '', parent_call_id: parent, tool_name: name, operation, input, kind = 'other' } = data;
    const known = this.callsById.get(id);
    if (known?.state === 'stale') {
      // The turn of this call was interrupted and now continues.
      if (Object.keys(input).length > 0) known.input = input;
      this.setDetails(known, data);
      this.putEntry(known);
      return;
    }
    const isAgent = kind === 'other' && [operation, name].some((word) => agentToolNames.test(word));
    const call: Call = {
      base: this.writer.createBase(this.entryIdOf(parent)),
      name,
      operation,
      title: undefined,
      kind: isAgent ? 'agent' : kind,
      state: this.stateBetweenTurns ?? 'running',
      input,
      content: [],
      waitedMs: 0,
      canStop: false,
      canDeny: false,
      output: undefined,
      isLate: this.stateBetweenTurns !== undefined,
    };
    this.callsById.set(id, call);
    this.setDetails(call, data);
    this.putEntry(call);
    if (parent !== undefined) this.markAsSubagent(parent);
  }

  private updateCall(call: Call, { error, input, result, status }: EventData<'tool:update'>): void {
    if (input) call.input = input;
    if (result) this.setResult(call, result);
    else if (error !== undefined) this.setError(call, error);
    else if (status !== undefined) this.setStatus(call, status);
  }

  private setStatus(call: Call, status: NonNullable<EventData<'tool:update'>['status']>): void {
    const hasEnded = status === 'completed' || status === 'failed';
    if (endedStates.has(call.state) && !(call.isLate && hasEnded)) return;
    if (status === 'pending') call.state = call.state === 'waiting' ? 'waiting' : 'pending';
    else if (status === 'in_progress') call.state = 'running';
    else call.state = status === 'completed' ? 'done' : 'failed';
  }

  private setResult(call: Call, { error, output, success }: ToolResult, durationMs?: number | null): void {
    call.output = output;
    const isDenied = call.state === 'rejected' || call.state === 'timedOut';
    call.state = success ? 'done' : isDenied ? call.state : 'failed';
    if (!success) call.error = textOf(error) ?? textOf(output) ?? 'The tool failed without an error message.';
    call.durationMs = durationMs ?? this.elapsedOf(call);
  }

  private setError(call: Call, error: string): void {
    if (!endedStates.has(call.state) || call.isLate) call.state = 'failed';
    if (call.state !== 'stale') call.error = error;
    call.durationMs = this.elapsedOf(call);
  }

  private endWithoutResult(call: Call, state: 'cancelled' | 'stale'): void {
    if (!endedStates.has(call.state)) call.state = state;
    if (call.state === state) call.durationMs ??= this.elapsedOf(call);
  }

  private endWaiting(call: Call): void {
    call.waitedMs += this.writer.elapsedSince(call.waitingSince) ?? 0;
    call.waitingSince = undefined;
  }

  /** How long the call has taken, without the time in which it waited for the user. */
  private elapsedOf(call: Call): number | undefined {
    this.endWaiting(call);
    return this.writer.elapsedSince(startOf(call));
  }

  private setDetails(call: Call, { title, kind, locations, content, can_stop: canStop }: CallDetails): void {
    call.canStop = canStop ?? call.canStop;
    call.title = title ?? call.title;
    if (kind !== undefined && call.kind !== 'agent') call.kind = kind;
    if (locations) call.locations = locations.map(({ path, line }) => ({ path, ...withoutUndefined({ line }) }));
    call.content = content ?? call.content;
  }

  private markAsSubagent(callId: string): void {
    const call = this.callsById.get(callId);
    if (!call || (call.kind !== 'other' && call.kind !== 'think')) return;
    call.kind = 'agent';
    this.putEntry(call);
  }

  private putEntry(call: Call): void {
    if (call.state === 'running') this.runningCalls.add(call);
    else this.runningCalls.delete(call);
    const { base, name, kind, state, input, locations, error, durationMs, decision } = call;
    const { parts, diffs } = shownParts(call);
    const isNews = error !== undefined && !parts.some((part) => showsError(part, error));
    const entry: ToolEntry = {
      kind: 'tool',
      ...base,
      name,
      title: titleOf(call),
      toolKind: kind,
      state,
      parts: [...parts],
      ...(Object.keys(input).length > 0 ? { input: toJson(input) } : {}),
      ...(isNews ? { error } : {}),
      ...((state === 'waiting' ? call.canDeny : call.canStop && !endedStates.has(state)) && { canStop: true }),
      ...withoutUndefined({ locations, startedAt: startOf(call), durationMs, decision }),
    };
    this.writer.put(entry, diffs);
  }
}

/** When the call would have started if it had not waited for the user. */
function startOf({ base: { at }, waitedMs }: Call): number | undefined {
  return at === undefined ? undefined : at + waitedMs;
}

/** Returns the content that the agent has sent, or else the input and output of the call. */
function shownParts(call: Call): PartsWithDiffs {
  const { content, input, kind, output } = call;
  const command = commandOf(input);
  if (content.length > 0) return contentParts(showCommandOutputAsTerminal(call), { command, kind });
  const change = changePartsOfInput(input);
  const results: readonly Part[] = resultParts(output, kind === 'execute', command);
  const isUnseen = command !== undefined && results.length === 0;
  const shown: readonly Part[] = isUnseen ? [{ type: 'terminal', command, output: '' }] : results;
  return { parts: [...change.parts, ...shown], diffs: change.diffs };
}

function showsError(part: Part, error: string): boolean {
  const words = error.trim();
  if (part.type === 'text') return part.text.trim() === words;
  if (part.type !== 'terminal') return false;
  if (part.output.trim() === words) return true;
  const [, code] = /^.{0,40}\bexit (?:code|status) (-?\d+)\.?$/i.exec(words) ?? [];
  return code !== undefined && part.exitCode === Number(code);
}

function titleOf({ title, name, kind, operation, input }: Call): string {
  const command = kind === 'execute' ? commandOf(input)?.trim() : undefined;
  const plain = title === undefined ? '' : firstLine(title);
  // In a command, backticks have a meaning.
  const ownTitle = plain === '' ? undefined : command?.includes('`') ? plain : withoutCodeMarks(plain);
  if (ownTitle !== undefined && command !== undefined && !namesCommand(ownTitle, command)) {
    return firstLine(`${firstLine(command)} (${ownTitle})`);
  }
  if (ownTitle !== undefined) return ownTitle;
  const verb = operation === '' ? name : operation;
  const about = commandOf(input) ?? pathOfInput(input) ?? input['query'] ?? input['pattern'] ?? input['url'];
  return typeof about === 'string' && about !== '' ? firstLine(`${verb}: ${about}`) : verb;
}

/** Whether a title contains the command or its beginning, and not only the purpose of the command. */
function namesCommand(title: string, command: string): boolean {
  const bare = (text: string): string => text.replaceAll(/[`\s]+/g, ' ').trim();
  const start = bare(title).replace(/\s*(…|\.\.\.)$/, '');
  const line = bare(firstLine(command));
  return bare(title).includes(line) || line.startsWith(start);
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}

const agentToolNames = /sub.?agent|delegate|^task$/i;

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'object' && 'message' in value && typeof value.message === 'string') return value.message;
  return toJson(value);
}
