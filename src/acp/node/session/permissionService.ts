import type { RequestPermissionOutcome } from '@agentclientprotocol/sdk';
import type { ApprovalContext } from '../../../session/common/approvalContext';
import type { ToolContent } from '../../../session/common/sessionEvents';
import type { ToolChange, ToolCommand } from '../../../session/common/toolCaller';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { decideRequest, onlyReads, type Decision } from '../../../permissions/common/decide';
import type { PermissionRule } from '../../../permissions/common/rules/permissionRules';
import { limitPolicy, type AgentPolicy } from '../../../permissions/common/policy/policy';
import type { PolicyKind } from '../../../permissions/common/policy/policyKinds';
import type { SessionLimits } from '../../../session/common/sessionBackend';
import type { StandingPermissions } from '../../../permissions/common/standingPermissions';
import {
  createFileRequest,
  type RequestWithProtections,
  type ToolRequest,
} from '../../../permissions/common/requests/toolRequest';
import { toVisibleText } from '../../../base/common/text/visibleText';
import { tooManyApprovalsMessage, type Approvals } from '../../../session/common/engine/approvals';
import { ApprovedCommands } from '../../common/approvals/approvedCommands';
import {
  sortedByKind,
  offersOnlyLastingAllow,
  lastingAllowChoices,
  outcomeOfFirstOption,
  toolCallChoices,
  type PermissionChoice,
} from '../../common/approvals/permissionChoices';
import { shownFileChanges } from '../../common/approvals/shownFileChanges';
import type { CallDescription } from '../../common/session/toolCalls';
import { doubtsAbout, type RequestedCall } from '../../common/approvals/requestedCall';
import {
  createApprovalContext,
  describePermissionRequest,
  toTerminalToolRequest,
  relativeDisplayPath,
} from '../../common/approvals/toolRequests';
import type { PermissionRequest } from '../../common/session/agentMessages';

interface PermissionServiceDeps {
  readonly agentId: string;
  readonly agentTitle: string;
  /** Absolute path of the session's folder. */
  readonly cwd: string;
  readonly approvals: Approvals;
  readonly standing: StandingPermissions;
  /** See `CreateSessionOptions`. */
  readonly limits?: SessionLimits | undefined;
  readonly log: Logger;
  readonly modeName: () => string | undefined;
  /** Aborted when the turn is cancelled or the session is closed. */
  readonly stopSignal?: () => AbortSignal | undefined;
  /** See `CreateSessionOptions`. */
  readonly isReadOnly?: boolean | undefined;
}

/** The answer to a request. `protectedFiles` is set if the user was warned that the file is protected. */
export type PermissionOutcome =
  | { readonly isGranted: true; readonly protectedFiles?: 'allow' }
  /** The reason and what to do next, as a message for the agent. */
  | { readonly isGranted: false; readonly reason: string };

export interface RequestedFileChange {
  /** Absolute path of the file, with symbolic links resolved. */
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
  readonly isUnsaved: boolean;
  /** Whether the file has changed since the agent has read it. */
  readonly isUnread: boolean;
  /** Why the file is protected, as a sentence fragment. */
  readonly protection?: string | undefined;
}

interface AskContext {
  readonly callId?: string;
  readonly signal: AbortSignal | undefined;
}

type Answers = readonly [string, readonly PermissionChoice[], string];

const oneTimeAnswers: Answers = ['Allow once', [], 'Deny'];
const stoppedReason = 'The user has stopped this.';
const readOnlyReason = 'This is a side question: you can read, but not change or run anything. Answer without it.';
const readOnlyDenial = { answer: 'deny', isReadOnly: true } as const;
const grantedPermit: PermissionOutcome = { isGranted: true };
const policyKindNames: Readonly<Record<PolicyKind, string>> = {
  read: 'reading',
  edit: 'edits',
  run: 'commands',
  fetch: 'fetching from the web',
};
const defaultFilePolicy: AgentPolicy = { read: 'allow', edit: 'allow' };

/** Decides what an agent may do in one session: by stored rules and the policy, or else by asking the user. */
export class PermissionService implements Disposable {
  private sessionRules: readonly PermissionRule[] = [];
  private readonly sessionGrants = new DisposableStore();
  /** Lasting answers that only the agent stores, by option name. The user sees them in the list of permissions. */
  private readonly agentGrantsByOption = new Map<string, Disposable>();
  readonly approvedCommands = new ApprovedCommands();

  constructor(private readonly deps: PermissionServiceDeps) {}

  /** Answers `session/request_permission`. Automatic answers apply once, so that the agent stores nothing. */
  async decideToolCall(
    agentRequest: PermissionRequest,
    call: RequestedCall,
    request: RequestWithProtections,
    { hasChanged, signal }: { readonly signal: AbortSignal; readonly hasChanged: boolean },
  ): Promise<RequestPermissionOutcome> {
    const { agentTitle, approvals, cwd, modeName } = this.deps;
    const turn = this.deps.stopSignal?.();
    const stopSignal = this.withStopSignal(signal);
    if (stopSignal?.aborted) return { outcome: 'cancelled' };
    const reject = outcomeOfFirstOption(agentRequest, 'reject_once');
    const doubts = doubtsAbout(agentRequest, call);
    // What the request shows may not be what it is about, so neither a rule nor the policy allows it.
    const decided = doubts.length > 0 ? { ...request, isUnresolved: true } : request;
    const { answer } = this.decideByRulesAndPolicy(decided);
    if (answer === 'deny') return reject;
    const once = outcomeOfFirstOption(agentRequest, 'allow_once');
    if (answer === 'allow' && once.outcome === 'selected') return once;
    const isProtected = request.protections.size > 0;
    const forGood = `${agentTitle} offers only to allow this permanently, which is not possible for a protected file.`;
    const warnings = [
      ...(hasChanged ? [`${agentTitle} has changed this request while it waited for your answer.`] : []),
      ...doubts,
      ...this.warningsFor(request),
      ...(isProtected && offersOnlyLastingAllow(agentRequest) ? [forGood] : []),
    ];
    const chosen = await approvals.ask({
      prompt: this.promptFor(request, call.title),
      options: toolCallChoices(agentRequest, decided, { agentTitle, folder: cwd, isProtected }),
      context: createApprovalContext(request, {
        ...{ agent: agentTitle, subagent: agentRequest.subagent, folder: cwd, mode: modeName(), call, warnings },
      }),
      ...(call.id === undefined ? {} : { callId: call.id }),
      signal: stopSignal,
    });
    if (!chosen) return { outcome: 'cancelled' };
    if (!('chosen' in chosen)) return reject;
    await this.saveRule(chosen.chosen.rule);
    this.recordAgentGrant(chosen.chosen);
    if (chosen.chosen.kind.startsWith('allow') && doubts.length === 0 && !signal.aborted)
      this.approvedCommands.add(turn, call.id, request);
    return chosen.chosen.outcome;
  }

  dispose(): void {
    this.sessionRules = [];
    this.sessionGrants.dispose();
    this.clearAgentGrants();
  }

  /** Call when the agent's process is replaced, because the new process has no stored answers. */
  clearAgentGrants(): void {
    for (const listed of this.agentGrantsByOption.values()) listed.dispose();
    this.agentGrantsByOption.clear();
    this.approvedCommands.clear();
  }

  /** Like `mayRun`, for a command that the agent starts. The user is not asked again if it is that of a tool call just allowed. */
  async mayStart(request: ToolCommand, signal?: AbortSignal): Promise<PermissionOutcome> {
    const asked = toTerminalToolRequest(this.deps.agentId, request);
    const isApproved = this.approvedCommands.take(this.deps.stopSignal?.(), asked);
    return isApproved ? (this.decideWithoutAsking(asked, signal) ?? grantedPermit) : this.mayRun(request, signal);
  }

  /** Whether a command may run in one of Backline's terminals. */
  mayRun(request: ToolCommand, signal?: AbortSignal): Promise<PermissionOutcome> {
    const warnings = request.warning === undefined ? [] : [request.warning];
    return this.decideOrAsk(toTerminalToolRequest(this.deps.agentId, request), signal, {}, warnings);
  }

  mayRead(path: string, signal: AbortSignal): Promise<PermissionOutcome> {
    return this.decideOrAsk(createFileRequest(this.deps.agentId, 'read', path), signal, defaultFilePolicy);
  }

  /** Whether Backline may write a file for the agent. Returns undefined if the user must see the change first. */
  mayWriteWithoutAsking(path: string, signal: AbortSignal): PermissionOutcome | undefined {
    return this.decideWithoutAsking(createFileRequest(this.deps.agentId, 'edit', path), signal, defaultFilePolicy);
  }

  async askToWrite(
    { path, before, after, isUnread, isUnsaved, protection }: RequestedFileChange,
    signal: AbortSignal,
  ): Promise<PermissionOutcome> {
    const { agentId, agentTitle, cwd } = this.deps;
    const settled = this.decideWithoutAsking(createFileRequest(agentId, 'edit', path), signal);
    if (settled?.isGranted === false) return settled;
    const protections = new Map(protection === undefined ? [] : [[path, protection]]);
    const request = { ...createFileRequest(agentId, 'edit', path), protections };
    const name = relativeDisplayPath(path, cwd);
    const content: ToolContent[] = [{ type: 'diff', path, old_text: before, new_text: after }];
    const unsaved = isUnsaved ? [`${name} has unsaved changes that will be overwritten.`] : [];
    const unread = isUnread
      ? [`${name} has changed since ${agentTitle} read it. These changes will be overwritten.`]
      : [];
    const warnings = [...this.warningsFor(request), ...unsaved, ...unread];
    const context = createApprovalContext(request, { agent: agentTitle, folder: cwd, content, warnings });
    const isOverwriteOnly = isUnsaved && protection === undefined;
    const prompt = isOverwriteOnly
      ? `${agentTitle} wants to overwrite unsaved changes in ${name}`
      : this.promptFor(request);
    const answers = isUnsaved || isUnread || protection !== undefined ? oneTimeAnswers : this.answersFor(request);
    const permit = await this.askUser(prompt, answers, context, { signal });
    return permit.isGranted && protection !== undefined ? { ...permit, protectedFiles: 'allow' } : permit;
  }

  /** Whether a tool of the window may change these files. Shows all of them in one approval. Never rejects. */
  async mayChangeFiles({ files, purpose, warning }: ToolChange, signal: AbortSignal): Promise<PermissionOutcome> {
    const { agentId, agentTitle, cwd } = this.deps;
    const paths = files.map(({ path }) => path);
    const protections = files.flatMap(({ path, protection }): [string, string][] =>
      protection === undefined ? [] : [[path, protection]],
    );
    const request = { ...createFileRequest(agentId, 'edit', ...paths), protections: new Map(protections) };
    const settled = this.decideWithoutAsking(request, signal, defaultFilePolicy);
    if (settled) return settled;
    const shown = shownFileChanges(files);
    const rest = `Only the changes of ${shown.length} of the ${files.length} files are shown.`;
    const warnings = [
      ...(warning === undefined ? [] : [toVisibleText(warning)]),
      ...this.warningsFor(request),
      ...(shown.length < files.length ? [rest] : []),
    ];
    const context = createApprovalContext(request, { agent: agentTitle, folder: cwd, content: shown, warnings });
    const prompt =
      files.length === 1
        ? this.promptFor(request)
        : `${agentTitle} wants to ${toVisibleText(purpose)} in ${files.length} files`;
    const answers = protections.length > 0 ? oneTimeAnswers : this.answersFor(request);
    return await this.askUser(prompt, answers, context, { signal });
  }

  async mayApplyChange(
    call: CallDescription,
    request: RequestWithProtections,
    about: { callId: string; signal: AbortSignal },
  ): Promise<PermissionOutcome> {
    const { agentTitle, cwd } = this.deps;
    const settled = this.decideWithoutAsking(request, about.signal);
    if (settled) return settled;
    const warnings = this.warningsFor(request);
    const context = createApprovalContext(request, { agent: agentTitle, folder: cwd, call, warnings });
    const permit = await this.askUser(this.promptFor(request, call.title), ['Apply', [], 'Reject'], context, about);
    return permit.isGranted && request.protections.size > 0 ? { ...permit, protectedFiles: 'allow' } : permit;
  }

  private async decideOrAsk(
    request: ToolRequest,
    signal: AbortSignal | undefined,
    defaultPolicy?: AgentPolicy,
    warnings: readonly string[] = [],
  ): Promise<PermissionOutcome> {
    const { agentTitle, cwd } = this.deps;
    const settled = this.decideWithoutAsking(request, signal, defaultPolicy);
    if (settled) return settled;
    const context = createApprovalContext(request, { agent: agentTitle, folder: cwd, warnings });
    const answers = request.isUnresolved ? oneTimeAnswers : this.answersFor(request);
    return this.askUser(this.promptFor(request), answers, context, { signal });
  }

  /** Decides without asking the user. Returns undefined if the user must be asked. */
  private decideWithoutAsking(
    request: ToolRequest | RequestWithProtections,
    signal: AbortSignal | undefined,
    defaultPolicy: AgentPolicy = {},
  ): PermissionOutcome | undefined {
    if (this.withStopSignal(signal)?.aborted) return refusedPermit(stoppedReason);
    const decision = this.decideByRulesAndPolicy(request, defaultPolicy);
    if (decision.answer === 'ask') return undefined;
    if (decision.answer === 'allow') return grantedPermit;
    if ('isReadOnly' in decision) return refusedPermit(readOnlyReason);
    return refusedPermit(
      'rule' in decision
        ? "One of the user's rules does not allow it. Continue without it, or ask the user to change the rule."
        : `The user's settings (backline.permissions) do not allow ${policyKindNames[decision.policy]}. Continue without it, or ask the user.`,
    );
  }

  /** Each grant of this service needs its answer, so what it denies is denied for all. */
  private decideByRulesAndPolicy(
    request: ToolRequest | RequestWithProtections,
    defaultPolicy: AgentPolicy = {},
  ): Decision | typeof readOnlyDenial {
    const { agentId, isReadOnly = false, standing } = this.deps;
    if (isReadOnly && !onlyReads(request)) return readOnlyDenial;
    const decision = decideRequest(request, {
      rules: [...standing.rules.rules, ...this.sessionRules],
      policy: limitPolicy({ ...defaultPolicy, ...standing.policy().forAgent(agentId) }, this.deps.limits ?? {}),
      globs: standing.globs,
      isProtected: (path) => 'protections' in request && request.protections.has(path),
    });
    if ('rule' in decision && decision.rule.scope === 'always') standing.rules.recordUse(decision.rule);
    return decision;
  }

  private warningsFor(request: RequestWithProtections): string[] {
    const { cwd } = this.deps;
    const unresolved = 'A path could not be checked because it is outside the workspace, excluded or unknown.';
    const guarded = [...request.protections].map(
      ([path, reason]) => `${relativeDisplayPath(path, cwd)} is protected: ${toVisibleText(reason)}.`,
    );
    return [...guarded, ...(request.isUnresolved ? [unresolved] : [])];
  }

  private answersFor(request: ToolRequest): Answers {
    const { agentTitle, cwd } = this.deps;
    return ['Allow once', lastingAllowChoices(request, { agentTitle, folder: cwd }), 'Deny'];
  }

  private promptFor(request: ToolRequest, title?: string): string {
    return describePermissionRequest(this.deps.agentTitle, request, { title, cwd: this.deps.cwd });
  }

  private async askUser(
    prompt: string,
    [yes, lasting, no]: Answers,
    context: ApprovalContext,
    { callId, signal }: AskContext,
  ): Promise<PermissionOutcome> {
    const options: PermissionChoice[] = [
      { name: yes, kind: 'allow_once' },
      ...lasting,
      { name: no, kind: 'reject_once' },
    ];
    const answer = await this.deps.approvals.ask({
      prompt,
      options: sortedByKind(options),
      context,
      callId,
      signal: this.withStopSignal(signal),
    });
    if (!answer) return refusedPermit(stoppedReason);
    if ('refused' in answer) return refusedPermit(tooManyApprovalsMessage);
    if ('timedOut' in answer) return refusedPermit('The user did not answer in time. Ask the user how to continue.');
    const { rule, kind } = answer.chosen;
    await this.saveRule(rule);
    return kind.startsWith('allow')
      ? grantedPermit
      : refusedPermit('The user did not allow this. Ask the user how to continue.');
  }

  private async saveRule(rule: PermissionRule | undefined): Promise<void> {
    const { approvals, log, standing } = this.deps;
    if (rule?.scope === 'session') this.addSessionRule(rule);
    if (rule?.scope !== 'always') return;
    try {
      await standing.rules.add(rule);
    } catch (error) {
      log.error('Could not keep a rule', error);
      approvals.warn(`The answer applies only this time because it could not be saved as a rule. ${messageOf(error)}`);
    }
  }

  private addSessionRule(rule: PermissionRule): void {
    this.sessionRules = [...this.sessionRules, rule];
    const revoke = (): void => {
      this.sessionRules = this.sessionRules.filter((other) => other !== rule);
      listed.dispose();
    };
    const { agentId, agentTitle, standing } = this.deps;
    const listed = standing.grants.add({ kind: 'rule', agentId, agentTitle, rule, revoke });
    this.sessionGrants.add(listed);
  }

  /** Lists a lasting answer that only the agent stores among the permissions, because the agent will not ask again. */
  private recordAgentGrant({ kind, name, rule }: PermissionChoice): void {
    const { agentId, agentTitle, standing } = this.deps;
    if (rule || !kind.endsWith('_always') || this.agentGrantsByOption.has(name)) return;
    const effect = kind.startsWith('allow') ? 'allow' : 'deny';
    const grant = { kind: 'remembered', agentId, agentTitle, effect, optionLabel: name } as const;
    this.agentGrantsByOption.set(name, standing.grants.add(grant));
  }

  private withStopSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
    const stopped = this.deps.stopSignal?.();
    return signal && stopped ? AbortSignal.any([signal, stopped]) : (signal ?? stopped);
  }
}

/** Decides about a workspace file by rules and policy. Undefined if the user must be asked. */
export function decideFileAccess(standing: StandingPermissions, request: ToolRequest): 'allow' | 'deny' | undefined {
  const policy = { ...defaultFilePolicy, ...standing.policy().forAgent(request.agent) };
  const { answer } = decideRequest(request, {
    rules: standing.rules.rules,
    policy,
    globs: standing.globs,
    isProtected: () => false,
  });
  return answer === 'ask' ? undefined : answer;
}

function refusedPermit(reason: string): PermissionOutcome {
  return { isGranted: false, reason };
}
