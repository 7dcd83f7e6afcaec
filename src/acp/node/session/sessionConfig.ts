import type { ConfigOption, SlashCommand } from '../../../session/common/sessionEvents';
import {
  applyChoices,
  highestUnattendedAction,
  requestedFromCurrentValues,
  restoreIfFewerApprovals,
  unattendedActionOfOption,
  type ConfigurableSession,
} from '../../../session/common/optionChoices';
import { BackendError } from '../../../session/common/sessionBackend';
import { askingValues } from '../../common/approvals/readOnlyOptions';
import type { AttachedState } from '../../common/session/bindingState';
import type { ConfigOptions } from '../../common/session/configOptions';
import type { SessionSetupResult } from '../../common/session/agentMessages';
import type { AgentRequestRunner } from '../connection/agentRequestRunner';
import type { AgentClient } from '../connection/agentClient';

interface SessionConfigDeps {
  readonly config: ConfigOptions;
  readonly agent: Pick<AgentRequestRunner, 'request' | 'title'>;
  /** The session, for the requests. */
  readonly owner: object;
  readonly onDidChange: () => void;
  /** Called with the commands in the answer that opens the session, if it has any. */
  readonly onCommands?: (commands: readonly SlashCommand[]) => void;
  /** See `CreateSessionOptions`. */
  readonly isReadOnly?: boolean | undefined;
}

/** Applies the agent's configuration options to one session, and sends changes to the agent. */
export class SessionConfig {
  constructor(private readonly deps: SessionConfigDeps) {}

  get options(): readonly ConfigOption[] {
    return this.deps.config.options;
  }

  applySetup(setup: SessionSetupResult): void {
    this.deps.config.applySetup(setup);
    if (setup.commands) this.deps.onCommands?.(setup.commands);
    if (this.options.length > 0) this.deps.onDidChange();
  }

  get isReadOnly(): boolean {
    return this.deps.isReadOnly === true;
  }

  /**
   * Checks an option and its value. @throws BackendError `unsupported` for an unknown option or value, and for one with which the
   * agent acts without asking in a session that only reads
   */
  requireValidOption(optionId: string, value: string | boolean): void {
    if (this.deps.config.findSetMethod(optionId, value) === undefined) throw this.unknownOptionError();
    const option = this.options.find(({ id }) => id === optionId);
    if (!this.isReadOnly || !option || unattendedActionOfOption(option, value) === undefined) return;
    throw new BackendError(
      'unsupported',
      `A side question can only read, and with this value ${this.deps.agent.title} acts without asking.`,
    );
  }

  /** In a session that only reads, sets options so that the agent asks. @throws BackendError `unsupported` if it never does */
  async ensureAsksIfReadOnly(attached: AttachedState<AgentClient>, signal: AbortSignal): Promise<void> {
    const asking = this.isReadOnly ? askingValues(this.options) : { values: [] };
    if ('neverAsks' in asking) throw this.neverAsksError();
    for (const { optionId, value } of asking.values) await this.setOption(attached, optionId, value, signal);
    if (this.isReadOnly && highestUnattendedAction(this.options) !== undefined) throw this.neverAsksError();
  }

  /** Changes an option with the method that the agent supports. @throws BackendError, or the agent's error */
  async setOption(
    { client, agentSessionId: id }: AttachedState<AgentClient>,
    optionId: string,
    value: string | boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const { agent, config, onDidChange, owner } = this.deps;
    const route = config.findSetMethod(optionId, value);
    if (route === undefined) throw this.unknownOptionError();
    const ask = (deadline: AbortSignal) => client.setOption(id, { route, optionId, value }, deadline);
    const options = await agent.request(`session/${route}`, signal, ask, owner);
    if (options) config.setDeclaredOptions(options);
    else if (route === 'set_config_option') config.setValue(optionId, value);
    else if (route === 'set_mode') config.setMode(String(value));
    else config.setModel(String(value));
    onDidChange();
  }

  /**
   * Restores the options after a restart, unless the agent kept them and does not ask less often. Returns a notice, if
   * any.
   */
  async restoreOptions(
    attached: AttachedState<AgentClient>,
    before: readonly ConfigOption[],
    isRemembered: boolean,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { agent, config } = this.deps;
    const target: ConfigurableSession = {
      get config() {
        return config.options;
      },
      setConfig: (optionId, value) => this.setOption(attached, optionId, value, signal),
    };
    if (isRemembered) return await restoreIfFewerApprovals(target, before, agent.title);
    await applyChoices(target, requestedFromCurrentValues(before), agent.title);
    return undefined;
  }

  private neverAsksError(): BackendError {
    const { title } = this.deps.agent;
    const message = `${title} acts without asking in all modes that it offers, so a side question could not be kept from changing files. It was not sent.`;
    return new BackendError('unsupported', message);
  }

  private unknownOptionError(): BackendError {
    return new BackendError(
      'unsupported',
      `${this.deps.agent.title} doesn’t offer this option or value. Choose another one.`,
    );
  }
}
