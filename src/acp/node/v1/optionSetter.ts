import type { ConfigOption } from '../../../session/common/sessionEvents';
import { applyChoices, choicesOf, keepAsking, type OptionTarget } from '../../../session/common/optionChoices';
import { BackendError } from '../../../session/common/sessionBackend';
import type { ConfigOptions } from '../../common/v1/configOptions';
import type { V1Client } from './v1Client';

/** What a setter needs of the backend that its session belongs to. */
export interface OptionHost {
  /** A request that must not take for ever. @throws BackendError */
  ask<T>(what: string, signal: AbortSignal, request: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface OptionSetterPorts {
  readonly config: ConfigOptions;
  readonly agentTitle: string;
  readonly host: OptionHost;
  /** The agent's name for the session. */
  readonly sessionId: () => string;
  readonly onDidSet: () => void;
}

/** Tells the agent which value an option has from now on, in the way that it has offered it, and keeps its answer. */
export class OptionSetter {
  constructor(private readonly ports: OptionSetterPorts) {}

  /** @throws BackendError `unsupported` for what is not offered */
  check(optionId: string, value: string | boolean): void {
    const { agentTitle, config } = this.ports;
    if (config.routeOf(optionId, value) !== undefined) return;
    throw new BackendError('unsupported', `${agentTitle} has no such option or value.`);
  }

  /** @throws BackendError, or what the agent answers */
  async set(client: V1Client, optionId: string, value: string | boolean, signal: AbortSignal): Promise<void> {
    const { config, host, onDidSet, sessionId } = this.ports;
    this.check(optionId, value);
    const id = sessionId();
    switch (config.routeOf(optionId, value)) {
      case 'set_config_option': {
        const ask = (deadline: AbortSignal) => client.setConfigOption(id, optionId, value, deadline);
        const options = await host.ask('session/set_config_option', signal, ask);
        if (options) config.declare(options);
        else config.setValue(optionId, value);
        break;
      }
      case 'set_mode':
        await host.ask('session/set_mode', signal, (deadline) => client.setMode(id, String(value), deadline));
        config.setMode(String(value));
        break;
      default:
        await host.ask('session/set_model', signal, (deadline) => client.setModel(id, String(value), deadline));
        config.setModel(String(value));
    }
    onDidSet();
  }

  /** As `V1Session.restoreOptions`; returns what to tell the user. @throws BackendError `optionRefused` */
  async restore(
    client: V1Client,
    before: readonly ConfigOption[],
    isRemembered: boolean,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { agentTitle, config } = this.ports;
    const target: OptionTarget = {
      get config() {
        return config.all;
      },
      setConfig: (optionId, value) => this.set(client, optionId, value, signal),
    };
    if (isRemembered) return await keepAsking(target, before, agentTitle);
    await applyChoices(target, choicesOf(before), agentTitle);
    return undefined;
  }
}
