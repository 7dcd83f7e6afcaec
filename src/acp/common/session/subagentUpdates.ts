import type { SessionEvent } from '../../../session/common/sessionEvents';
import type {
  CallStatus,
  PermissionRequest,
  SubagentAnnouncement,
  ShownSubagentUpdate,
  ToolCallPatch,
} from './agentMessages';
import type { SessionEventMapper } from './sessionEventMapper';
import { textOfBlock } from './toolContent';
import type { ToolCallContent } from './wireSchema';

interface Subagent {
  /** Id of the call that shows the subagent. */
  readonly callId: string;
  /** The end of its text, up to `maxTextLength`. */
  readonly textByMessage: Map<string, string>;
  /** Length of the text that was received since the text was last shown. */
  unshownLength: number;
  isWorking: boolean;
}

const maxSubagents = 200;
/** Limits for the text that is shown for a subagent, in UTF-16 units, because every event contains the whole text. */
const maxTextLength = 32 * 1024;
const maxUnshownLength = 2 * 1024;
const maxMessages = 200;

/** Shows each subagent of a session as a tool call, with the subagent's own calls inside. */
export class SubagentUpdates {
  private readonly subagentById = new Map<string, Subagent>();

  constructor(private readonly mapper: SessionEventMapper) {
    // A subagent may not report its own end.
    mapper.onEndOfTurn(() => [...this.subagentById.values()].flatMap((subagent) => this.showText(subagent)));
  }

  /** Handles the start of a subagent, or a change of its description. Without `parentId`, it belongs to the session. */
  announce({ sessionId, title, description, state }: SubagentAnnouncement, parentId?: string): SessionEvent[] {
    const known = this.subagentById.get(sessionId);
    const subagent = known ?? this.add(sessionId);
    const parent = parentId === undefined ? undefined : this.subagentById.get(parentId);
    const call: ToolCallPatch = {
      toolCallId: subagent.callId,
      ...(known ? {} : { name: 'subagent', kind: 'other', status: 'in_progress', title: 'Subagent' }),
      ...(title === undefined ? {} : { title: title ?? 'Subagent' }),
      ...(description === undefined ? {} : { rawInput: description === null ? {} : { description } }),
      ...(parent ? { parentCallId: parent.callId } : {}),
    };
    const events = this.startTurnIfNew(this.mapper.mapNestedCall(call), !known);
    return state ? [...events, ...this.applyState(subagent, state)] : events;
  }

  /** Call when the agent's process has ended. */
  markAllIdle(): void {
    for (const subagent of this.subagentById.values()) subagent.isWorking = false;
  }

  /** Maps an update from a subagent. Announces the subagent first if that has not happened. */
  mapUpdate(id: string, shown: ShownSubagentUpdate): SessionEvent[] {
    const announced = this.subagentById.has(id) ? [] : this.announce({ sessionId: id });
    const subagent = this.subagentById.get(id) ?? this.add(id);
    if (shown.kind === 'message') return [...announced, ...this.addMessage(subagent, shown)];
    return [...announced, ...this.showText(subagent), ...this.mapNonMessage(id, subagent, shown)];
  }

  /** Converts a subagent's permission request, so that it refers to the call in this session. */
  toParentRequest(request: PermissionRequest): PermissionRequest {
    const subagent = this.subagentById.get(request.sessionId);
    const { subject } = request;
    if (!subagent) return request;
    switch (subject.kind) {
      case 'toolCall':
        return { ...request, subject: { ...subject, toolCall: this.inside(subagent, subject.toolCall) } };
      case 'command': {
        const { toolCallId: id } = subject;
        return id === undefined ? request : { ...request, subject: { ...subject, toolCallId: idInside(subagent, id) } };
      }
      case 'other':
        return request;
    }
  }

  private mapNonMessage(
    id: string,
    subagent: Subagent,
    update: Exclude<ShownSubagentUpdate, { readonly kind: 'message' }>,
  ): SessionEvent[] {
    const { mapper } = this;
    switch (update.kind) {
      case 'call': {
        const call = this.inside(subagent, update.call);
        return this.startTurnIfNew(mapper.mapNestedCallUpdate(call), !mapper.hasToolCall(call.toolCallId));
      }
      case 'callContent': {
        const toolCallId = idInside(subagent, update.toolCallId);
        const known = mapper.describeCall(toolCallId);
        const content = [...(known?.content ?? []), ...update.items];
        return this.startTurnIfNew(
          mapper.mapNestedCall(this.inside(subagent, { toolCallId: update.toolCallId, content })),
          !known,
        );
      }
      case 'state':
        return this.applyState(subagent, update.state);
      case 'announcement':
        return this.announce(update.announcement, id);
      case 'notice':
        return mapper.mapNotice(update.notice);
    }
  }

  private addMessage(
    subagent: Subagent,
    { content, messageId, isWhole }: ShownSubagentUpdate & { readonly kind: 'message' },
  ): SessionEvent[] {
    const { textByMessage } = subagent;
    const added = content.map(textOfBlock).join('');
    const text = isWhole ? added : `${textByMessage.get(messageId) ?? ''}${added}`;
    textByMessage.set(messageId, text.slice(-maxTextLength));
    dropOldText(textByMessage);
    subagent.unshownLength += added.length;
    // Without a turn, nothing may follow that shows the rest.
    const isDue = isWhole || subagent.unshownLength >= maxUnshownLength || this.mapper.turns.state.open === undefined;
    return isDue ? this.showText(subagent) : [];
  }

  private showText(subagent: Subagent): SessionEvent[] {
    if (subagent.unshownLength === 0) return [];
    subagent.unshownLength = 0;
    const texts = [...subagent.textByMessage.values()].filter((text) => text.trim() !== '');
    const content: ToolCallContent[] = [];
    let left = maxTextLength;
    for (const text of texts.reverse()) {
      if (left <= 0) break;
      content.unshift({ type: 'content', content: { type: 'text', text: text.slice(-left) } });
      left -= text.length;
    }
    return this.mapper.mapNestedCall({ toolCallId: subagent.callId, content });
  }

  private applyState(
    subagent: Subagent,
    { state, stopReason }: NonNullable<SubagentAnnouncement['state']>,
  ): SessionEvent[] {
    const shown = this.showText(subagent);
    if (state !== 'idle') {
      const works = state === 'running' || state === 'requires_action';
      subagent.isWorking ||= works;
      return works ? [...shown, ...this.setStatus(subagent, 'in_progress')] : shown;
    }
    subagent.isWorking = false;
    const ended = stopReason === 'cancelled' ? 'cancelled' : stopReason === 'error' ? 'failed' : 'completed';
    return [...shown, ...this.setStatus(subagent, ended), ...this.endTurnOfOthersIfIdle()];
  }

  private setStatus({ callId }: Subagent, status: CallStatus): SessionEvent[] {
    return this.mapper.mapNestedCall({ toolCallId: callId, status });
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

  private add(id: string): Subagent {
    const subagent = { callId: `subagent ${id}`, textByMessage: new Map(), unshownLength: 0, isWorking: true };
    this.subagentById.set(id, subagent);
    const [oldest] = this.subagentById.keys();
    if (this.subagentById.size > maxSubagents && oldest !== undefined) this.subagentById.delete(oldest);
    return subagent;
  }
}

/** Drops the oldest messages that are not shown any more. */
function dropOldText(textByMessage: Map<string, string>): void {
  let length = 0;
  let count = 0;
  for (const [id, text] of [...textByMessage].reverse()) {
    if (length >= maxTextLength || count >= maxMessages) textByMessage.delete(id);
    length += text.length;
    count++;
  }
}

/** Ids of calls and terminals are unique only within their session. */
function idInside({ callId }: Subagent, id: string): string {
  return `${callId} ${id}`;
}
