import { BoundedMap } from '../../../base/common/boundedMap';
import { toVisibleText } from '../../../base/common/text/visibleText';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import type {
  CallStatus,
  PermissionRequest,
  SessionMessagePatch,
  SubagentAnnouncement,
  SubagentState,
  ShownSubagentUpdate,
  ToolCallPatch,
} from '../session/agentMessages';
import { wireIdOf } from '../actions/agentCallIds';
import type { SessionEventMapper } from '../session/sessionEventMapper';
import { textOfBlock } from '../session/toolContent';
import type { ToolCallContent } from '../session/wireSchema';
import { SessionMessages, type SessionMessage } from './subagentMessages';
import { SubagentThoughts } from './subagentThoughts';
import { SubagentWords } from './subagentWords';

interface Subagent {
  /** Id of the call that shows the subagent. */
  readonly callId: string;
  /** Undefined for a subagent of the session itself. */
  parentId: string | undefined;
  readonly words: SubagentWords;
  readonly thoughts: SubagentThoughts;
  /** Length of the text that was received since the text was last shown. */
  unshownLength: number;
  isWorking: boolean;
}

/** Whom a user stops: a subagent, or one of its calls. Ids are those of the agent. */
export interface SubagentPart {
  readonly sessionId: string;
  /** Undefined for the subagent itself. */
  readonly toolCallId: string | undefined;
}

const maxSubagents = 200;
const maxParts = 1_000;
/** Length of the text that is collected before it is shown, in UTF-16 units, because every event contains the whole text. */
const maxUnshownLength = 2 * 1024;
const maxUnplacedMessages = 100;

/** Shows each subagent of a session as a tool call, with the subagent's own calls and thoughts inside. */
export class SubagentUpdates {
  private readonly subagentById = new Map<string, Subagent>();
  /** The subagents and their calls that the agent says it can stop, by the ids of their calls in this session. */
  private readonly partByCallId = new BoundedMap<string, SubagentPart>({ maxEntries: maxParts });
  private readonly messages: SessionMessages;
  /** Where messages are shown: they stay there, also if the other session is announced later. */
  private readonly placeOfMessage = new WeakMap<SessionMessage, { subagent: Subagent; direction: 'to' | 'from' }>();
  /** Messages between sessions that were not announced, or not yet. */
  private readonly unplaced = new Set<SessionMessage>();
  private untoldCount = 0;
  private readonly told = new WeakSet<SessionMessage>();

  /** `rootId` returns the agent's id of the session itself. */
  constructor(
    private readonly mapper: SessionEventMapper,
    rootId: () => string | undefined = () => undefined,
  ) {
    this.messages = new SessionMessages(rootId);
    // A subagent may not report its own end.
    mapper.onEndOfTurn(() => [
      ...[...this.subagentById.values()].flatMap((subagent) => this.showAll(subagent)),
      ...this.tellUnplacedMessages(),
    ]);
  }

  /** Handles the start of a subagent, or a change of its description. Without `parentId`, it belongs to the session. */
  announce(announcement: SubagentAnnouncement, parentId?: string): SessionEvent[] {
    const { capabilities, description, sessionId, state, title } = announcement;
    const parent = parentId === undefined ? undefined : this.subagentById.get(parentId);
    const known = this.subagentById.get(sessionId);
    const subagent = known ?? this.add(sessionId, parent && parentId);
    // It may have acted before. Its call stays where it is.
    if (parent && parentId !== undefined && !this.isInside(parentId, sessionId)) subagent.parentId ??= parentId;
    const { words } = subagent;
    words.describe(announcement);
    if (capabilities?.cancel) this.partByCallId.set(subagent.callId, { sessionId, toolCallId: undefined });
    const hasNews = title !== undefined || description !== undefined;
    const call: ToolCallPatch = {
      toolCallId: subagent.callId,
      title: words.shownTitle,
      ...(known ? {} : { name: 'subagent', kind: 'other', status: 'in_progress' }),
      ...(hasNews && words.content.length > 0 ? { content: words.content } : {}),
      ...(parent ? { parentCallId: parent.callId } : {}),
      ...(capabilities ? { capabilities } : {}),
    };
    const events = this.startTurnIfNew(this.mapper.mapNestedCall(call), !known);
    const placed = known ? [] : [...this.unplaced].flatMap((message) => this.placeMessage(message));
    return [...events, ...placed, ...(state ? this.applyState(subagent, state) : [])];
  }

  /** Call when the agent's process has ended. */
  markAllIdle(): void {
    for (const subagent of this.subagentById.values()) subagent.isWorking = false;
  }

  /** Maps an update from a subagent. Announces the subagent first if that has not happened. */
  mapUpdate(id: string, shown: ShownSubagentUpdate): SessionEvent[] {
    const announced = this.subagentById.has(id) ? [] : this.announce({ sessionId: id });
    const subagent = this.subagentById.get(id) ?? this.add(id, undefined);
    return [...announced, ...this.mapShown(id, subagent, shown)];
  }

  /**
   * Shows a message between sessions with the subagent that gets it, or that sends it to its parent. `reporterId`: the
   * subagent in whose session it was reported.
   */
  mapSessionMessage(patch: SessionMessagePatch, reporterId?: string): SessionEvent[] {
    return this.placeMessage(this.messages.apply(patch, reporterId));
  }

  /** Returns the subagent, or its call, that is shown as this call. Undefined for a call of the session itself. */
  partOf(callId: string): SubagentPart | undefined {
    return this.partByCallId.get(callId);
  }

  /** Whether a session is that of a subagent, or of a subagent inside it. */
  isInside(sessionId: string, subagentId: string): boolean {
    const seen = new Set<string>();
    for (let id: string | undefined = sessionId; id !== undefined && !seen.has(id);) {
      if (id === subagentId) return true;
      seen.add(id);
      id = this.subagentById.get(id)?.parentId;
    }
    return false;
  }

  /** Converts a subagent's permission request, so that it names the subagent and refers to the call in this session. */
  toParentRequest(request: PermissionRequest): PermissionRequest {
    const subagent = this.subagentById.get(request.sessionId);
    const { subject } = request;
    if (!subagent) return request;
    const named = { ...request, subagent: toVisibleText(subagent.words.shownTitle) };
    switch (subject.kind) {
      case 'toolCall':
        return { ...named, subject: { ...subject, toolCall: this.inside(subagent, subject.toolCall) } };
      case 'command': {
        const { toolCallId: id } = subject;
        return id === undefined ? named : { ...named, subject: { ...subject, toolCallId: idInside(subagent, id) } };
      }
      case 'other':
        return named;
    }
  }

  private mapShown(id: string, subagent: Subagent, update: ShownSubagentUpdate): SessionEvent[] {
    switch (update.kind) {
      case 'thought': {
        const steps = subagent.thoughts.add(update.messageId, textOf(update), update.isWhole);
        return [...this.showText(subagent), ...steps.flatMap((step) => this.mapper.mapNestedCall(step))];
      }
      case 'message':
        return [...this.endThoughts(subagent), ...this.addText(subagent, update)];
      case 'options':
        subagent.words.setOptions(update.options);
        return this.showWords(subagent);
      case 'usage':
        subagent.words.setUsage(update.used);
        // Counts come often, and nobody waits for them.
        subagent.unshownLength++;
        return [];
      case 'sessionMessage':
        return this.mapSessionMessage(update.message, id);
      case 'notice':
        return this.mapper.mapNotice(update.notice);
      case 'call':
      case 'callContent':
        return [...this.showAll(subagent), ...this.mapCall(id, subagent, update)];
      case 'state':
        return this.applyState(subagent, update.state);
      case 'announcement':
        return this.announce(update.announcement, id);
    }
  }

  private mapCall(
    id: string,
    subagent: Subagent,
    update: Extract<ShownSubagentUpdate, { readonly kind: 'call' | 'callContent' }>,
  ): SessionEvent[] {
    const { mapper } = this;
    if (update.kind === 'call') {
      const call = this.inside(subagent, update.call);
      const part = { sessionId: id, toolCallId: wireIdOf(update.call.toolCallId) };
      if (update.call.capabilities?.cancel) this.partByCallId.set(call.toolCallId, part);
      return this.startTurnIfNew(mapper.mapNestedCallUpdate(call), !mapper.hasToolCall(call.toolCallId));
    }
    const known = mapper.describeCall(idInside(subagent, update.toolCallId));
    const content = [...(known?.content ?? []), ...update.items];
    const call = this.inside(subagent, { toolCallId: update.toolCallId, content });
    return this.startTurnIfNew(mapper.mapNestedCall(call), !known);
  }

  private addText(
    subagent: Subagent,
    update: Extract<ShownSubagentUpdate, { readonly kind: 'message' | 'thought' }>,
  ): SessionEvent[] {
    const text = textOf(update);
    subagent.words.addText(update.messageId, text, update.isWhole);
    subagent.unshownLength += text.length;
    // Without a turn, nothing may follow that shows the rest.
    const isWaiting = subagent.unshownLength < maxUnshownLength && this.mapper.turns.state.open !== undefined;
    return isWaiting && !update.isWhole ? [] : this.showText(subagent);
  }

  private placeMessage(message: SessionMessage): SessionEvent[] {
    if (this.told.has(message)) return [];
    const place = this.placeOfMessage.get(message) ?? this.findPlace(message);
    if (!place) return this.keepUnplaced(message);
    this.unplaced.delete(message);
    this.placeOfMessage.set(message, place);
    place.subagent.words.putMessage(message, place.direction);
    return this.showWords(place.subagent);
  }

  private findPlace({ recipientId, senderId }: SessionMessage) {
    const sender = senderId === undefined ? undefined : this.subagentById.get(senderId);
    const recipient = recipientId === undefined ? undefined : this.subagentById.get(recipientId);
    const isReport = sender && (!recipient || sender.parentId === recipientId);
    if (isReport) return { subagent: sender, direction: 'from' } as const;
    return recipient && ({ subagent: recipient, direction: 'to' } as const);
  }

  /** Outside of a turn, nothing may follow that tells it. */
  private keepUnplaced(message: SessionMessage): SessionEvent[] {
    if (message.text.trim() === '' || this.unplaced.has(message)) return [];
    if (this.unplaced.size < maxUnplacedMessages) this.unplaced.add(message);
    else this.untoldCount++;
    return this.mapper.turns.state.open || this.mapper.isInReplay ? [] : this.tellUnplacedMessages();
  }

  /** Nothing that an agent says is lost, also if nobody knows to whom it belongs. */
  private tellUnplacedMessages(): SessionEvent[] {
    const messages = [...this.unplaced].filter(({ text }) => text.trim() !== '');
    const { untoldCount } = this;
    this.unplaced.clear();
    this.untoldCount = 0;
    for (const message of messages) this.told.add(message);
    const title = 'The agent reports a message of a subagent that it has not announced.';
    const more = `The agent reports ${untoldCount} more messages of subagents that it has not announced.`;
    return [
      ...messages.flatMap(({ text }) => this.mapper.mapNotice({ severity: 'info', title, description: text })),
      ...(untoldCount > 0 ? this.mapper.mapNotice({ severity: 'info', title: more, description: undefined }) : []),
    ];
  }

  /** Shows what is not shown yet, because something else follows. */
  private showAll(subagent: Subagent): SessionEvent[] {
    return [...this.endThoughts(subagent), ...this.showText(subagent)];
  }

  private endThoughts({ thoughts }: Subagent): SessionEvent[] {
    return thoughts.end().flatMap((step) => this.mapper.mapNestedCall(step));
  }

  private showText(subagent: Subagent): SessionEvent[] {
    return subagent.unshownLength === 0 ? [] : this.showWords(subagent);
  }

  private showWords(subagent: Subagent): SessionEvent[] {
    const { callId: toolCallId, words } = subagent;
    subagent.unshownLength = 0;
    return this.mapper.mapNestedCall({ toolCallId, title: words.shownTitle, content: words.content });
  }

  private applyState(subagent: Subagent, { error, state, stopReason }: SubagentState): SessionEvent[] {
    const shown = this.showAll(subagent);
    const { words } = subagent;
    if (state !== 'idle') {
      const works = state === 'running' || state === 'requires_action';
      subagent.isWorking ||= works;
      words.hasEnded &&= !works;
      return works ? [...shown, ...this.setStatus(subagent, 'in_progress')] : shown;
    }
    subagent.isWorking = false;
    words.hasEnded = true;
    const ended = stopReason === 'cancelled' ? 'cancelled' : stopReason === 'error' ? 'failed' : 'completed';
    const reason = ended === 'failed' && error ? { rawOutput: error.message } : {};
    return [
      ...shown,
      ...this.showWords(subagent),
      ...this.setStatus(subagent, ended, reason),
      ...this.endTurnOfOthersIfIdle(),
    ];
  }

  private setStatus(
    { callId }: Subagent,
    status: CallStatus,
    more: Pick<ToolCallPatch, 'rawOutput'> = {},
  ): SessionEvent[] {
    return this.mapper.mapNestedCall({ toolCallId: callId, status, ...more });
  }

  /** Starts an unprompted turn if a subagent does something new while its session is idle. */
  private startTurnIfNew(events: SessionEvent[], isNew: boolean): SessionEvent[] {
    return isNew ? this.mapper.inUnpromptedTurn(events) : events;
  }

  private endTurnOfOthersIfIdle(): SessionEvent[] {
    const { isAgentWorking } = this.mapper.turns.state;
    const isBusy = isAgentWorking || [...this.subagentById.values()].some(({ isWorking }) => isWorking);
    return isBusy || this.mapper.isInReplay ? [] : this.mapper.endTurnOfOthers({ stopReason: 'end_turn' });
  }

  private inside(subagent: Subagent, call: ToolCallPatch): ToolCallPatch {
    const toInside = (item: ToolCallContent): ToolCallContent =>
      item.type === 'terminal' ? { ...item, terminalId: idInside(subagent, item.terminalId) } : item;
    return {
      ...call,
      toolCallId: idInside(subagent, call.toolCallId),
      parentCallId: subagent.callId,
      ...(call.content ? { content: call.content.map(toInside) } : {}),
    };
  }

  private add(id: string, parentId: string | undefined): Subagent {
    const callId = `subagent ${id}`;
    const says = { words: new SubagentWords(), thoughts: new SubagentThoughts(callId) };
    const subagent = { callId, parentId, ...says, unshownLength: 0, isWorking: true };
    this.subagentById.set(id, subagent);
    const [oldest] = this.subagentById.keys();
    if (this.subagentById.size > maxSubagents && oldest !== undefined) this.subagentById.delete(oldest);
    return subagent;
  }
}

function textOf({ content }: Extract<ShownSubagentUpdate, { readonly kind: 'message' | 'thought' }>): string {
  return content.map(textOfBlock).join('');
}

/** Ids of calls and terminals are unique only within their session. */
function idInside({ callId }: Subagent, id: string): string {
  return `${callId} ${id}`;
}
