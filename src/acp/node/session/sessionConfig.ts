import type { ConfigOption } from '../../../session/common/sessionEvents';
import {
  applyChoices,
  choicesOfCurrentValues,
  restoreApprovalOptions,
  type OptionTarget,
} from '../../../session/common/optionChoices';
import { BackendError } from '../../../session/common/sessionBackend';
import type { AttachedState } from '../../common/session/bindingState';
import type { ConfigOptions } from '../../common/session/configOptions';
import type { SessionSetup } from '../../common/v1/v1Schema';
import type { AgentGateway } from '../connection/agentGateway';
import type { AgentClient } from '../connection/agentClient';

interface SessionConfigDeps {
  readonly config: ConfigOptions;
  readonly agent: Pick<AgentGateway, 'request' | 'title'>;
  readonly onDidChange: () => void;
}

/** Applies the agent's configuration options to one session, and sends changes to the agent. */
export class SessionConfig {
  constructor(private readonly deps: SessionConfigDeps) {}

  get options(): readonly ConfigOption[] {
    return this.deps.config.options;
  }

  applySetup(setup: SessionSetup): void {
    this.deps.config.applySetup(setup);
    if (this.options.length > 0) this.deps.onDidChange();
  }

  /** @throws BackendError `unsupported` for an unknown option or value */
  requireValidOption(optionId: string, value: string | boolean): void {
    const { agent, config } = this.deps;
    if (config.findRoute(optionId, value) !== undefined) return;
    throw new BackendError('unsupported', `${agent.title} has no such option or value.`);
  }

  /** Changes an option by the method that the agent supports. @throws BackendError, or the agent's error */
  async setOption(
    { client, agentSessionId: id }: AttachedState<AgentClient>,
    optionId: string,
    value: string | boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const { agent, config, onDidChange } = this.deps;
    this.requireValidOption(optionId, value);
    switch (config.findRoute(optionId, value)) {
      case 'set_config_option': {
        const ask = (deadline: AbortSignal) => client.setConfigOption(id, optionId, value, deadline);
        const options = await agent.request('session/set_config_option', signal, ask);
        if (options) config.setDeclaredOptions(options);
        else config.setValue(optionId, value);
        break;
      }
      case 'set_mode':
        await agent.request('session/set_mode', signal, (deadline) => client.setMode(id, String(value), deadline));
        config.setMode(String(value));
        break;
      default:
        await agent.request('session/set_model', signal, (deadline) => client.setModel(id, String(value), deadline));
        config.setModel(String(value));
    }
    onDidChange();
  }

  /** Restores the options after a restart, unless the agent remembers them and asks no less. Returns a notice. */
  async restoreOptions(
    attached: AttachedState<AgentClient>,
    before: readonly ConfigOption[],
    isRemembered: boolean,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { agent, config } = this.deps;
    const target: OptionTarget = {
      get config() {
        return config.options;
      },
      setConfig: (optionId, value) => this.setOption(attached, optionId, value, signal),
    };
    if (isRemembered) return await restoreApprovalOptions(target, before, agent.title);
    await applyChoices(target, choicesOfCurrentValues(before), agent.title);
    return undefined;
  }
}
