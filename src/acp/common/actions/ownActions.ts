import type { ToolKind } from '../../../session/common/sessionEvents';
import { canonicalJson } from '../../../base/common/canonicalJson';
import { commandOfInput, parseToolInput } from '../../../permissions/common/requests/toolInput';
import type { ToolCallPatch } from '../session/agentMessages';
import { actionIdOf } from './agentCallIds';
import type { ToolCallContent } from '../session/wireSchema';
import { escapeRegExp } from '../../../base/common/text/escapeRegExp';

/** Something that Backline did for the agent: a command, a write, or a call of a tool of the window. */
export interface OwnAction {
  readonly kind: ToolKind;
  readonly title: string;
  readonly input: Record<string, unknown>;
  readonly subject:
    | { readonly type: 'command'; readonly terminalId: string; readonly command: string }
    /** The path as the agent wrote it. */
    | { readonly type: 'write'; readonly path: string }
    | { readonly type: 'tool'; readonly server: string; readonly tool: string };
  readonly status: 'in_progress' | 'completed' | 'failed';
  /** What it has printed or returned. The output of a terminal is kept elsewhere. */
  readonly output?: string;
}

/** The entry that shows an action. */
export interface OwnActionEntry {
  readonly id: string;
  readonly action: OwnAction;
}

/** What is compared with an action of a call that the agent reports. */
interface ReportedCall {
  readonly id: string;
  readonly name: string | undefined;
  readonly title: string | undefined;
  readonly kind: ToolKind;
  readonly input: Record<string, unknown>;
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly { readonly path: string }[];
}

/** How long an action waits for a call of the agent that is about it, before it gets its own entry, in milliseconds. */
export const maxReportWaitMs = 1_000;

interface WaitingAction {
  readonly action: OwnAction;
  /** In milliseconds of the monotonic clock. */
  readonly addedAtMs: number;
}

/**
 * The actions of one session that the agent has not reported. An action gets an entry of its own if no call of the agent
 * is about it. A call that comes later is shown in that entry.
 */
export class OwnActions {
  private readonly waiting = new Map<string, WaitingAction>();
  private readonly shown = new Map<string, OwnAction>();
  /** Calls that are about a command or a tool, each about one only. */
  private readonly claimingCalls = new Set<string>();
  private count = 0;

  /** Adds an action, unless one of `calls` is about it. Returns its id. */
  add(action: OwnAction, calls: Iterable<ReportedCall>, addedAtMs: number): string {
    const id = actionIdOf(++this.count);
    this.waiting.set(id, { action, addedAtMs });
    for (const call of calls) this.claim(call);
    return id;
  }

  get hasUnreported(): boolean {
    return this.waiting.size > 0;
  }

  /** Returns the entry of an action that a new call is about. Each entry is for one call only. */
  takeEntryOf(call: ReportedCall): OwnActionEntry | undefined {
    for (const [id, action] of this.shown) {
      if (!isAbout(call, action)) continue;
      this.shown.delete(id);
      return { id, action };
    }
    return undefined;
  }

  /** Removes the actions that a call is about. */
  claim(call: ReportedCall): void {
    for (const [id, { action }] of this.waiting) {
      if ((this.isTaken(call, action) && !hasTerminal(call, action)) || !isAbout(call, action)) continue;
      this.waiting.delete(id);
      this.claimingCalls.add(call.id);
    }
  }

  /** Changes an action that was not shown yet. Returns false if it is not there. */
  update(id: string, change: Pick<OwnAction, 'status' | 'output'>): boolean {
    const waiting = this.waiting.get(id);
    if (waiting) this.waiting.set(id, { ...waiting, action: { ...waiting.action, ...change } });
    return waiting !== undefined;
  }

  /**
   * Returns the actions that no call is about, as calls to show. Waits for `openCalls` that may turn out to be about one,
   * for a limited time, because a call can stay open for long.
   */
  takeUnreported(openCalls: readonly ReportedCall[], nowMs: number): ToolCallPatch[] {
    return [...this.waiting].flatMap(([id, { action, addedAtMs }]) => {
      const mayBeReported = openCalls.some((call) => couldBeAbout(call, action) && !this.isTaken(call, action));
      if (mayBeReported && nowMs - addedAtMs < maxReportWaitMs) return [];
      this.waiting.delete(id);
      this.shown.set(id, action);
      return [patchOf(id, action)];
    });
  }

  /** Call at the end of a turn: later calls are about something else. */
  endTurn(): void {
    this.shown.clear();
    this.claimingCalls.clear();
  }

  private isTaken({ id }: ReportedCall, { subject }: OwnAction): boolean {
    return subject.type !== 'write' && this.claimingCalls.has(id);
  }
}

/** The part of a report about an action that its entry does not have. What Backline itself has seen stays as it is. */
export function shownPartOf(
  { content, locations, title, toolCallId }: ToolCallPatch,
  { action: { subject }, id }: OwnActionEntry,
): ToolCallPatch {
  const diffs = subject.type === 'write' ? (content ?? []).filter(isDiff) : [];
  return {
    toolCallId: id,
    ...(typeof title === 'string' && title !== '' && title !== toolCallId ? { title } : {}),
    ...(locations ? { locations } : {}),
    ...(diffs.length > 0 ? { content: diffs } : {}),
  };
}

/** The part of an entry that changes when its action ends. */
export function endPatchOf(id: string, { output, status }: Pick<OwnAction, 'status' | 'output'>): ToolCallPatch {
  return { toolCallId: id, status, ...(output === undefined ? {} : { content: [textContent(output)] }) };
}

function patchOf(id: string, { input, kind, output, status, subject, title }: OwnAction): ToolCallPatch {
  return {
    toolCallId: id,
    kind,
    title,
    status,
    rawInput: input,
    ...(subject.type === 'tool' ? { name: subject.tool } : {}),
    ...(subject.type === 'write' ? { locations: [{ path: subject.path }] } : {}),
    ...(subject.type === 'command' ? { content: [{ type: 'terminal', terminalId: subject.terminalId }] } : {}),
    ...(output === undefined ? {} : { content: [textContent(output)] }),
  };
}

const textContent = (text: string): ToolCallContent => ({ type: 'content', content: { type: 'text', text } });

function hasTerminal({ content }: ReportedCall, { subject }: OwnAction): boolean {
  return (
    subject.type === 'command' &&
    content.some((item) => item.type === 'terminal' && item.terminalId === subject.terminalId)
  );
}

/** Kinds of calls that report a write by naming its file. A kind that the agent has not said is `other`. */
const writingKinds: ReadonlySet<ToolKind> = new Set<ToolKind>(['edit', 'other']);

/** Whether a call that has not said all may turn out to be about an action. */
function couldBeAbout({ kind }: ReportedCall, { subject }: OwnAction): boolean {
  switch (subject.type) {
    case 'command':
      return kind === 'execute' || kind === 'other';
    case 'write':
      return writingKinds.has(kind);
    case 'tool':
      return kind !== 'execute';
  }
}

/** Whether a call of the agent can be a report of an action. */
export function isAbout(call: ReportedCall, action: OwnAction): boolean {
  const { subject } = action;
  switch (subject.type) {
    case 'command':
      return hasTerminal(call, action) || (call.kind === 'execute' && isCommand(call, subject.command));
    case 'write':
      return pathsOf(call).includes(subject.path);
    case 'tool':
      return isToolCall(call, subject) || (call.kind !== 'execute' && isSameInput(call, action, subject.tool));
  }
}

function isDiff(item: ToolCallContent): item is Extract<ToolCallContent, { type: 'diff' | 'change' }> {
  return item.type === 'diff' || item.type === 'change';
}

function isCommand({ input, title }: ReportedCall, command: string): boolean {
  return (commandOfInput(input) ?? title?.replace(/^`([^`]+)`$/, '$1'))?.trim() === command.trim();
}

function pathsOf({ content, input, kind, locations }: ReportedCall): string[] {
  if (kind === 'delete') return [];
  const ofDiffs = content.filter(isDiff).map(({ path }) => path);
  if (!writingKinds.has(kind)) return ofDiffs;
  return [...ofDiffs, ...locations.map(({ path }) => path), ...parseToolInput(input, true).paths];
}

/** Agents name a tool of a server in their own ways: `mcp__server__tool`, `server_tool`, `server/tool`, members. */
function isToolCall({ input, name, title }: ReportedCall, { server, tool }: { server: string; tool: string }): boolean {
  const words = [name, title].flatMap((text) => text?.toLowerCase() ?? []);
  const separated = new RegExp(
    `(?:^|[^a-z0-9])${escapeRegExp(server.toLowerCase())}[^a-z0-9]{1,4}${escapeRegExp(tool.toLowerCase())}(?![a-z0-9])`,
    'u',
  );
  return words.some((text) => separated.test(text)) || (input['server'] === server && input['tool'] === tool);
}

function isSameInput({ input, name, title }: ReportedCall, action: OwnAction, tool: string): boolean {
  if (Object.keys(action.input).length === 0) return false;
  const { tool: namedTool, ...given } = input;
  const isNamed = namedTool === tool || [name, title].some((text) => text?.toLowerCase().includes(tool.toLowerCase()));
  return isNamed && [given, input].some((each) => canonicalJson(each) === canonicalJson(action.input));
}

/** Whether an update says what a call is, and that it has not ended. Some agents use the same ids in each turn. */
export function isBeginning({ kind, name, rawInput, status, title }: ToolCallPatch): boolean {
  return (
    (status === 'pending' || status === 'in_progress') &&
    [kind, name, rawInput, title].some((member) => member !== undefined && member !== null)
  );
}
