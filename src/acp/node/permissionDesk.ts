import type { RequestPermissionOutcome } from '@agentclientprotocol/sdk';
import type { ApprovalOptionKind } from '../../amplifier/common/events';
import { DisposableStore, toDisposable, type Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import type { Approvals } from '../common/approvals';
import {
  decide,
  describeRule,
  narrowRule,
  whatItMatches,
  type PermissionRule,
  type ToolFacts,
} from '../common/permissionRules';
import type { SessionGrants } from '../common/sessionGrants';
import type { CallDescription } from '../common/toolCalls';
import { permissionContext, permissionPrompt, shownCommand, visibleName } from '../common/toolFacts';
import { visible } from '../common/visibleText';
import type { PermissionRequest } from '../common/v1Schema';
import type { TerminalRequest } from './terminalService';

/** The user's standing rules. */
export interface RuleStore {
  readonly rules: readonly PermissionRule[];
  /** Keeps a rule of scope `always` beyond the session. */
  add(rule: PermissionRule): Promise<void>;
  /** Where what sessions remember is listed. */
  readonly sessionGrants?: SessionGrants;
}

export interface PermissionDeskOptions {
  readonly agentId: string;
  readonly agentTitle: string;
  /** The session's folder; absolute. */
  readonly cwd: string;
  readonly approvals: Approvals;
  readonly rules: RuleStore;
  readonly log: Logger;
  /** The mode the agent says it works in. */
  readonly mode: () => string | undefined;
  /** Fires, or has fired, when nobody waits for answers any more: the turn was cancelled, or the session closed. */
  readonly stopped?: () => AbortSignal | undefined;
}

/** What a question belongs to. */
interface About {
  readonly callId?: string;
  /** Of the request that asks. */
  readonly signal?: AbortSignal;
}

interface Choice {
  readonly name: string;
  readonly kind: ApprovalOptionKind;
  readonly matches?: string;
  readonly rule?: PermissionRule;
}

/** Decides for one session what an agent may do: by the user's rules where they speak, else by asking. */
export class PermissionDesk implements Disposable {
  private sessionRules: readonly PermissionRule[] = [];
  private readonly grants = new DisposableStore();
  /** What only the agent remembers, as it is listed. */
  private readonly remembered = new Set<string>();

  constructor(private readonly options: PermissionDeskOptions) {}

  /** Answers `session/request_permission`. A rule allows this once only: `always` would be for the agent to remember. */
  async decideTool(
    request: PermissionRequest,
    call: CallDescription,
    facts: ToolFacts,
    signal: AbortSignal,
  ): Promise<RequestPermissionOutcome> {
    const { agentTitle, approvals } = this.options;
    const live = this.live(signal);
    if (live?.aborted) return { outcome: 'cancelled' };
    const reject = pick(request, 'reject_once', 'reject_always');
    switch (decide(this.allRules, facts)) {
      case 'deny':
        return reject;
      case 'allow': {
        const allow = pick(request, 'allow_once', 'allow_always');
        if (allow.outcome === 'selected') return allow;
        break;
      }
      case undefined:
    }
    const choices = toolChoices(request, facts, agentTitle);
    const answer = await approvals.ask({
      prompt: this.promptOf(facts, call.title),
      options: choices,
      context: permissionContext(call, facts, { agent: agentTitle, mode: this.options.mode() }),
      callId: request.toolCall.toolCallId,
      ...(live ? { signal: live } : {}),
    });
    if (!answer) return { outcome: 'cancelled' };
    if (!('chosen' in answer)) return reject;
    await this.keep(answer.chosen.rule);
    this.noteMemory(answer.chosen);
    return answer.chosen.outcome;
  }

  /** The end of the session: what it remembers is not listed any more. */
  dispose(): void {
    this.sessionRules = [];
    this.grants.dispose();
  }

  /** Whether a rule forbids to touch the file, whose path is absolute and resolved. */
  denies(kind: ToolFacts['kind'], path: string): boolean {
    return decide(this.allRules, { agent: this.options.agentId, kind, paths: [path] }) === 'deny';
  }

  /** Whether a command may be run in a terminal of ours. */
  async mayRun({ argv, cwd, env }: TerminalRequest, signal?: AbortSignal): Promise<boolean> {
    const { agentId, agentTitle } = this.options;
    if (this.live(signal)?.aborted) return false;
    const facts: ToolFacts = { agent: agentId, kind: 'execute', paths: [], command: { argv, cwd } };
    const changesEnvironment = Object.keys(env).length > 0;
    const decision = decide(this.allRules, facts);
    if (decision === 'deny') return false;
    // A rule speaks of a command, not of the environment that can make another one of it.
    if (decision === 'allow' && !changesEnvironment) return true;
    const rules = changesEnvironment ? [] : standing(facts);
    const context = {
      agent: agentTitle,
      kind: 'execute',
      command: shownCommand(argv),
      cwd,
      ...(changesEnvironment ? { env } : {}),
    };
    return this.ask(this.promptOf(facts), ['Run once', 'Do not run'], rules, context, {
      ...(signal ? { signal } : {}),
    });
  }

  /** Whether Backline may make a change that the agent has proposed, and cannot make itself. */
  async mayApply(
    call: CallDescription,
    facts: ToolFacts,
    about: { callId: string; signal: AbortSignal },
  ): Promise<boolean> {
    if (this.live(about.signal)?.aborted) return false;
    const decision = decide(this.allRules, facts);
    if (decision !== undefined) return decision === 'allow';
    const { agentTitle } = this.options;
    const context = permissionContext(call, facts, { agent: agentTitle, mode: undefined });
    return this.ask(this.promptOf(facts, call.title), ['Apply', 'Reject'], [], context, about);
  }

  /** Whether the agent may replace text that the user has not saved. */
  async mayOverwrite(path: string, signal: AbortSignal): Promise<boolean> {
    const { agentTitle, cwd } = this.options;
    const prompt = `${agentTitle} wants to overwrite unsaved changes in ${visibleName(path, cwd)}`;
    const context = { agent: agentTitle, kind: 'edit', paths: [path] };
    return this.ask(prompt, ['Overwrite my changes', 'Keep my changes'], [], context, { signal });
  }

  private promptOf(facts: ToolFacts, title?: string): string {
    const { agentTitle, cwd } = this.options;
    return permissionPrompt(agentTitle, facts, { title, cwd });
  }

  private async ask(
    prompt: string,
    [yes, no]: readonly [string, string],
    standingChoices: readonly Choice[],
    context: Record<string, unknown>,
    { callId, signal }: About,
  ): Promise<boolean> {
    const live = this.live(signal);
    const options: Choice[] = [
      { name: yes, kind: 'allow_once' },
      ...standingChoices,
      { name: no, kind: 'reject_once' },
    ];
    const answer = await this.options.approvals.ask({
      prompt,
      options,
      context,
      ...(callId === undefined ? {} : { callId }),
      ...(live ? { signal: live } : {}),
    });
    if (!answer || !('chosen' in answer)) return false;
    const { rule, kind } = answer.chosen;
    await this.keep(rule);
    return kind.startsWith('allow');
  }

  private async keep(rule: PermissionRule | undefined): Promise<void> {
    const { log, rules } = this.options;
    if (rule?.scope === 'session') this.keepForSession(rule);
    if (rule?.scope === 'always')
      await rules.add(rule).catch((error: unknown) => log.error('Could not keep a rule', error));
  }

  private keepForSession(rule: PermissionRule): void {
    this.sessionRules = [...this.sessionRules, rule];
    const revoke = (): void => {
      this.sessionRules = this.sessionRules.filter((other) => other !== rule);
      listed.dispose();
    };
    const { agentTitle, rules } = this.options;
    const listed =
      rules.sessionGrants?.add({ text: describeRule(rule), agentTitle, revoke }) ?? toDisposable(() => undefined);
    this.grants.add(listed);
  }

  /** An answer for always that is no rule of ours: the agent does not ask again, and Backline does not hear of it. */
  private noteMemory({ kind, name, rule }: Choice): void {
    const { agentTitle, rules } = this.options;
    if (rule || !kind.endsWith('_always') || this.remembered.has(name) || !rules.sessionGrants) return;
    this.remembered.add(name);
    this.grants.add(rules.sessionGrants.add({ text: name, agentTitle }));
  }

  /** The request's signal and the turn's in one. */
  private live(signal: AbortSignal | undefined): AbortSignal | undefined {
    const stopped = this.options.stopped?.();
    return signal && stopped ? AbortSignal.any([signal, stopped]) : (signal ?? stopped);
  }

  private get allRules(): readonly PermissionRule[] {
    return [...this.options.rules.rules, ...this.sessionRules];
  }
}

/** The rules the user may make by the answer. */
function standing(facts: ToolFacts): Choice[] {
  return (['session', 'always'] as const).flatMap((scope) => {
    const rule = narrowRule(facts, 'allow', scope);
    const name = scope === 'session' ? 'Run always in this session' : 'Run always';
    return rule ? [{ name, kind: 'allow_always' as const, matches: whatItMatches(rule), rule }] : [];
  });
}

interface ToolChoice extends Choice {
  readonly outcome: RequestPermissionOutcome;
}

/** The agent's own options; where none of them is for always, standing rules of the user's own besides. */
function toolChoices(request: PermissionRequest, facts: ToolFacts, agentTitle: string): ToolChoice[] {
  const own = request.options.map(({ optionId, name, kind }): ToolChoice => {
    const choice = { name: visible(name), kind, outcome: { outcome: 'selected' as const, optionId } };
    return kind.endsWith('_always') ? { ...choice, matches: whatTheAgentMatches(agentTitle) } : choice;
  });
  if (own.some(({ kind }) => kind.endsWith('_always'))) return own;
  const always = (['allow', 'deny'] as const).flatMap((effect): ToolChoice[] => {
    const rule = narrowRule(facts, effect, 'always');
    const outcome = pick(request, effect === 'allow' ? 'allow_once' : 'reject_once');
    if (!rule || (effect === 'allow' && outcome.outcome === 'cancelled')) return [];
    const [name, kind] =
      effect === 'allow' ? (['Always allow', 'allow_always'] as const) : (['Always deny', 'reject_always'] as const);
    return [{ name, kind, matches: whatItMatches(rule), rule, outcome }];
  });
  return [...own, ...always];
}

/** The agent remembers the answer, and only it knows what it will take it for: the user must expect the most. */
function whatTheAgentMatches(agentTitle: string): string {
  return `whatever ${agentTitle} takes for the same, which may be everything it asks in this conversation`;
}

/** The first option of the wanted kinds; `cancelled` when the agent offers none. */
function pick({ options }: PermissionRequest, ...kinds: readonly ApprovalOptionKind[]): RequestPermissionOutcome {
  for (const kind of kinds) {
    const option = options.find((candidate) => candidate.kind === kind);
    if (option) return { outcome: 'selected', optionId: option.optionId };
  }
  return { outcome: 'cancelled' };
}
