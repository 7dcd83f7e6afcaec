import { endsWithIgnoringSpace } from '../../../base/common/text/ignoringSpace';
import type { EventData, SessionEvent } from '../../../session/common/sessionEvents';
import { reasonOfAgentError } from '../session/agentErrorText';
import { turnResultOf } from '../session/agentMessages';
import type { SubagentUpdates } from '../subagents/subagentUpdates';
import type { SessionEventMapper } from '../session/sessionEventMapper';
import { textOfBlock } from '../session/toolContent';
import { turnEndOf } from '../session/turnUsage';
import { parsingHandler, type UpdateHandler, type UpdateReader } from '../session/updateReader';
import type { ContentBlock } from '../session/wireSchema';
import { PromptReports, type ExpectedReport } from './promptReports';
import { isExtensionName, readableTextOf } from './unknownParts';
import { V2Messages } from './v2Messages';
import { sessionUpdates, type SessionUpdateKind, type StateUpdate } from './v2Schema';
import { V2Terminals } from './v2Terminals';

type PlanEntries = EventData<'plan:update'>['entries'];

const maxPlans = 50;
const maxSteered = 20;
const maxUnknownKinds = 20;
const maxNameLength = 100;

/** Reads the updates of ACP v2. The end of a turn that this window has prompted comes from its `PromptProgress`. */
export class V2Updates implements UpdateReader {
  private readonly messages: V2Messages;
  private readonly terminals: V2Terminals;
  private readonly plans = new Map<string, PlanEntries>();
  private isWaitingForUser = false;
  /** The prompt of another client, while its pieces arrive. Its turn begins with the next update of another kind. */
  private othersPrompt: { readonly messageId: string; text: string } | undefined;
  /** Unknown kinds of updates about which the user was notified. */
  private readonly unknownKinds = new Set<string>();
  /** The prompts that this window has added to a turn, and that the agent may report when that turn has ended. */
  private readonly steered: { readonly id: string; readonly text: string }[] = [];
  private readonly reports = new PromptReports();
  /** Ids of recent prompts that need not be shown again: this window sent them, or they are already in the transcript. */
  private readonly handledPromptIds = new Set<string>();

  constructor(
    private readonly mapper: SessionEventMapper,
    private readonly subagents: SubagentUpdates,
  ) {
    this.messages = new V2Messages(mapper);
    this.terminals = new V2Terminals(mapper);
  }

  /** Call before a prompt is added to a turn. The agent's report of it is no prompt of another client. */
  expectSteered(id: string, text: string): ExpectedReport {
    const expected = { id, text };
    const canBeReported = text.trim() !== '';
    if (canBeReported) {
      this.steered.push(expected);
      this.reports.expect(expected);
    }
    if (this.steered.length > maxSteered) this.steered.shift();
    return {
      isCertain: () => canBeReported && this.reports.areCertain,
      forget: () => {
        this.reports.forget(expected);
        const at = this.steered.indexOf(expected);
        if (at !== -1) this.steered.splice(at, 1);
      },
    };
  }

  /** Call at the end of each turn of this window. */
  handleOwnTurnEnd(isStopped: boolean): void {
    this.reports.handleEnd(isStopped);
  }

  /** Call when the agent's process has ended. */
  markIdle(): void {
    this.reports.clear();
    this.setWorking(false, false);
  }

  mapUpdate(update: { readonly sessionUpdate: string }): SessionEvent[] {
    const { mapper } = this;
    const { sessionUpdate: kind } = update;
    if (!isKnownUpdateKind(kind)) return [...mapper.countIgnored(kind), ...this.noticeOfUnknownUpdate(kind, update)];
    const isPrompt = kind === 'user_message' || kind === 'user_message_chunk';
    const before = isPrompt ? [] : [...mapper.flushReplayedPrompt(), ...this.flushOthersPrompt()];
    const events = this.updateHandlers[kind](update) ?? mapper.countIgnored(`${kind} (not understood)`);
    return [...before, ...events];
  }

  private readonly updateHandlers: Readonly<Record<SessionUpdateKind, UpdateHandler>> = {
    user_message: parsingHandler(sessionUpdates.user_message, ({ messageId, content }) =>
      content === undefined ? [] : this.mapPrompt(messageId, content ?? []),
    ),
    user_message_chunk: parsingHandler(sessionUpdates.user_message_chunk, ({ messageId, content }) =>
      this.mapPrompt(messageId, [content]),
    ),
    agent_message: parsingHandler(sessionUpdates.agent_message, ({ messageId, content }) =>
      this.mapper.inUnpromptedTurn(this.messages.replace(messageId, content)),
    ),
    agent_message_chunk: parsingHandler(sessionUpdates.agent_message_chunk, ({ messageId, content }) =>
      this.mapper.inUnpromptedTurn(this.messages.addChunk(messageId, content)),
    ),
    agent_thought: parsingHandler(sessionUpdates.agent_thought, ({ messageId, content }) =>
      this.mapper.inUnpromptedTurn(this.messages.replaceThought(messageId, content)),
    ),
    agent_thought_chunk: parsingHandler(sessionUpdates.agent_thought_chunk, ({ messageId, content }) =>
      this.mapper.inUnpromptedTurn(this.messages.addThoughtChunk(messageId, content)),
    ),
    state_update: parsingHandler(sessionUpdates.state_update, (update) => this.mapState(update)),
    tool_call_update: parsingHandler(sessionUpdates.tool_call_update, (update) => {
      // A call of an earlier turn can end at any time. A new call begins a turn.
      const isNew = !this.mapper.hasToolCall(update.toolCallId);
      const events = this.mapper.mapToolCall(update);
      return isNew ? this.mapper.inUnpromptedTurn(events) : events;
    }),
    tool_call_content_chunk: parsingHandler(sessionUpdates.tool_call_content_chunk, ({ toolCallId, content }) =>
      this.mapper.mapToolCallContent(toolCallId, content),
    ),
    terminal_update: parsingHandler(sessionUpdates.terminal_update, (update) => {
      this.terminals.update(update);
      return [];
    }),
    terminal_output_chunk: parsingHandler(sessionUpdates.terminal_output_chunk, ({ terminalId, data }) => {
      this.terminals.append(terminalId, data);
      return [];
    }),
    plan_update: parsingHandler(sessionUpdates.plan_update, ({ plan }) => {
      const isKnown = this.plans.has(plan.planId);
      if (!isKnown && this.plans.size >= maxPlans) return undefined;
      this.plans.set(plan.planId, plan.entries);
      return this.mapper.inUnpromptedTurn(this.mapper.mapPlan([...this.plans.values()].flat()));
    }),
    plan_removed: parsingHandler(sessionUpdates.plan_removed, ({ planId }) =>
      this.plans.delete(planId) ? this.mapper.mapPlan([...this.plans.values()].flat()) : [],
    ),
    available_commands_update: parsingHandler(sessionUpdates.available_commands_update, ({ availableCommands }) =>
      this.mapper.mapCommands(availableCommands),
    ),
    config_option_update: parsingHandler(sessionUpdates.config_option_update, ({ configOptions }) => {
      this.mapper.config.setDeclaredOptions(configOptions);
      return [this.mapper.configEvent()];
    }),
    session_info_update: parsingHandler(sessionUpdates.session_info_update, (info) => this.mapper.mapInfo(info)),
    usage_update: parsingHandler(sessionUpdates.usage_update, (usage) => this.mapper.mapUsage(usage)),
    subagent_update: parsingHandler(sessionUpdates.subagent_update, (update) => this.subagents.announce(update)),
    session_message: parsingHandler(sessionUpdates.session_message, (update) =>
      this.subagents.mapSessionMessage(update),
    ),
    session_message_chunk: parsingHandler(sessionUpdates.session_message_chunk, (update) =>
      this.subagents.mapSessionMessage(update),
    ),
    notice: parsingHandler(sessionUpdates.notice, (notice) => this.mapper.mapNotice(notice)),
    compaction_update: parsingHandler(sessionUpdates.compaction_update, (update) => this.mapper.mapCompaction(update)),
    // The summary is internal to the agent; the user only needs to know that the history was compacted.
    compaction_summary_chunk: parsingHandler(sessionUpdates.compaction_summary_chunk, () => []),
  };

  private mapState(update: StateUpdate): SessionEvent[] {
    const { mapper } = this;
    switch (update.state) {
      case 'running':
      case 'requires_action': {
        const wasWaiting = this.isWaitingForUser;
        this.setWorking(true, update.state === 'requires_action');
        if (mapper.isInReplay || wasWaiting === this.isWaitingForUser) return [];
        return this.isWaitingForUser
          ? mapper.mapStatus('requires_action', 'The agent is waiting for you.')
          : mapper.mapStatus('running', 'The agent is working.');
      }
      case 'idle':
        this.setWorking(false, false);
        return mapper.isInReplay || mapper.isInOwnTurn ? [] : this.endOthersTurn(update);
      default:
        mapper.countIgnored(`state ${update.state}`);
        if (mapper.isInReplay) return [];
        return mapper.mapStatus(
          update.state,
          update.state === 'unknown'
            ? 'The agent’s state is unknown.'
            : `The agent’s state is “${update.state.slice(0, maxNameLength)}”.`,
        );
    }
  }

  private setWorking(isWorking: boolean, isWaitingForUser: boolean): void {
    this.mapper.turns.apply({ type: 'working', isWorking });
    this.isWaitingForUser = isWaitingForUser;
  }

  /** Ends a turn that the agent or another client began. The reason is `error` if it has failed. */
  private endOthersTurn(update: StateUpdate): SessionEvent[] {
    const { mapper } = this;
    const { error, stopReason } = update;
    if (stopReason !== 'error') return mapper.endTurn(turnEndOf(turnResultOf(update)));
    const reason = error && reasonOfAgentError({ code: error.code, message: error.message, data: error['data'] });
    const details = error && `Error ${error.code}: ${error.message}`;
    return mapper.failTurn(reason ?? 'The agent failed without giving a reason.', 'backend', details ?? undefined);
  }

  /** Notifies the user once for each unknown kind of update, with the readable text of the update. */
  private noticeOfUnknownUpdate(kind: string, update: object): SessionEvent[] {
    const isSaid = this.unknownKinds.has(kind) || this.unknownKinds.size >= maxUnknownKinds;
    if (isSaid || isExtensionName(kind) || this.mapper.isInReplay) return [];
    this.unknownKinds.add(kind);
    const title = `Backline can’t show an update of the type “${kind.slice(0, maxNameLength)}” from the agent.`;
    return this.mapper.mapNotice({ severity: 'info', title, description: readableTextOf(update) });
  }

  /** Reads a user message: from a replayed history, from our own prompt (already shown), or from another client. */
  private mapPrompt(messageId: string, content: readonly ContentBlock[]): SessionEvent[] {
    const { mapper } = this;
    const text = content.map(textOfBlock).join('');
    if (mapper.isInReplay) return mapper.mapReplayedPrompt(text, messageId);
    if (mapper.isInOwnTurn) {
      this.reports.handlePrompt();
      this.handledPromptIds.add(messageId);
      const [oldest] = this.handledPromptIds;
      if (this.handledPromptIds.size > maxPlans && oldest !== undefined) this.handledPromptIds.delete(oldest);
      return this.takeSteered(text) ?? [];
    }
    if (this.handledPromptIds.has(messageId)) return [];
    if (this.othersPrompt?.messageId === messageId) {
      this.othersPrompt.text += text;
      return [];
    }
    const events = this.flushOthersPrompt();
    this.othersPrompt = { messageId, text };
    return events;
  }

  /**
   * Returns the event which says that the agent has read a prompt, if the text is that of one that this window has added to a turn. Its
   * attachments come before it.
   */
  private takeSteered(reported: string): SessionEvent[] | undefined {
    const found = this.steered.find(({ text }) => endsWithIgnoringSpace(reported, text));
    if (!found) return undefined;
    this.steered.splice(this.steered.indexOf(found), 1);
    this.reports.handleAdded(found);
    return this.mapper.mapReadPrompt(found.id);
  }

  private flushOthersPrompt(): SessionEvent[] {
    const { mapper, othersPrompt } = this;
    if (!othersPrompt) return [];
    this.othersPrompt = undefined;
    this.handledPromptIds.add(othersPrompt.messageId);
    const read = this.takeSteered(othersPrompt.text);
    if (read) return read;
    return mapper.isInOwnTurn ? [] : mapper.mapOthersPrompt(othersPrompt.text);
  }
}

function isKnownUpdateKind(kind: string): kind is SessionUpdateKind {
  return Object.hasOwn(sessionUpdates, kind);
}
