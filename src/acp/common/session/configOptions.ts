import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { ConfigOption } from '../../../session/common/sessionEvents';
import { unattendedActionOfOption } from '../../../session/common/optionChoices';
import { unattendedActionsOfValue } from './unattended';
import type { AgentModels, AgentModes, AgentOption, SessionSetupResult } from './agentMessages';

export type SetOptionMethod = 'set_config_option' | 'set_mode' | 'set_model';

/** The options of a session. `configOptions` take precedence over the older `modes` and `models`. */
export class ConfigOptions {
  private declaredOptions: readonly ConfigOption[] | undefined;
  private modes: AgentModes | undefined;
  private models: AgentModels | undefined;
  /** Values of options that were set when the agent has asked for an approval: it does not run everything without asking. */
  private readonly askingValues = new Set<string>();

  /** `knownAgentId` returns the id of the agent in the list of known agents, or undefined. */
  constructor(private readonly knownAgentId: () => string | undefined = () => undefined) {}

  /** Applies the response that opened the session. Options that it does not contain stay unchanged. */
  applySetup(setup: SessionSetupResult): void {
    if (setup.configOptions) this.setDeclaredOptions(setup.configOptions);
    this.modes = setup.modes ?? this.modes;
    this.models = setup.models ?? this.models;
  }

  setDeclaredOptions(options: readonly AgentOption[]): void {
    this.declaredOptions = options.flatMap(toConfigOption);
  }

  setMode(modeId: string): void {
    if (this.modes) this.modes = { ...this.modes, currentModeId: modeId };
    this.declaredOptions = this.declaredOptions?.map((option) =>
      option.type === 'select' && isMode(option) ? { ...option, value: modeId } : option,
    );
  }

  /** Sets a value locally, for agents that do not return their options after a change. */
  setValue(optionId: string, value: string | boolean): void {
    this.declaredOptions = this.declaredOptions?.map((option) => {
      if (option.id !== optionId) return option;
      if (option.type === 'boolean') return typeof value === 'boolean' ? { ...option, value } : option;
      return typeof value === 'string' ? { ...option, value } : option;
    });
  }

  setModel(modelId: string): void {
    if (this.models) this.models = { ...this.models, currentModelId: modelId };
  }

  get options(): readonly ConfigOption[] {
    const agent = this.knownAgentId();
    return this.declaredOrLegacyOptions.map((option) =>
      mayDisableApprovals(option) ? withUnattended(option, agent, this.askingValues) : option,
    );
  }

  /** Call when the agent has asked for an approval. Returns whether that has changed the options. */
  recordAskedApproval(): boolean {
    const running = this.options.filter((option) => unattendedActionOfOption(option) === 'runs');
    for (const { id, value } of running) this.askingValues.add(valueKey(id, value));
    return running.length > 0;
  }

  private get declaredOrLegacyOptions(): readonly ConfigOption[] {
    // If the list is empty, the agent's modes are used instead.
    if (this.declaredOptions && this.declaredOptions.length > 0) return this.declaredOptions;
    return [...(this.modes ? [modeOption(this.modes)] : []), ...(this.models ? [modelOption(this.models)] : [])];
  }

  get modeName(): string | undefined {
    const mode = this.options.find(isMode);
    if (mode?.type !== 'select') return undefined;
    return mode.choices.find(({ value }) => value === mode.value)?.name ?? mode.value;
  }

  /** Returns how to set an option; undefined for an unknown option or value. */
  findSetMethod(optionId: string, value: string | boolean): SetOptionMethod | undefined {
    const option = this.options.find(({ id }) => id === optionId);
    if (!option) return undefined;
    const fits =
      option.type === 'boolean' ? typeof value === 'boolean' : option.choices.some((choice) => choice.value === value);
    if (!fits) return undefined;
    if (this.declaredOptions && this.declaredOptions.length > 0) return 'set_config_option';
    return optionId === 'mode' ? 'set_mode' : 'set_model';
  }
}

function isMode(option: ConfigOption): boolean {
  return option.category === 'mode' || (option.category === undefined && option.id === 'mode');
}

/** Whether an option can turn approvals off: modes, and switches such as Copilot's `allow_all`. */
function mayDisableApprovals(option: ConfigOption): boolean {
  return isMode(option) || option.category === 'permissions' || /^(?:allow|approve)[-_]?all|yolo/i.test(option.id);
}

function valueKey(optionId: string, value: string | boolean): string {
  return `${optionId} ${String(value)}`;
}

function withUnattended(
  option: ConfigOption,
  agent: string | undefined,
  askingValues: ReadonlySet<string>,
): ConfigOption {
  const hasAsked = (value: string | boolean): boolean => askingValues.has(valueKey(option.id, value));
  if (option.type === 'boolean') {
    const unattended = unattendedActionsOfValue(agent, {
      value: option.id,
      name: option.name,
      description: option.description,
    });
    return unattended && !(unattended === 'runs' && hasAsked(true)) ? { ...option, unattended } : option;
  }
  const choices = option.choices.map((choice) => {
    const isOn = /^(?:on|true|yes|enabled?)$/i.test(choice.value);
    const offered = isOn ? { value: option.id, name: option.name, description: choice.description } : choice;
    const unattended = unattendedActionsOfValue(agent, offered);
    return unattended && !(unattended === 'runs' && hasAsked(choice.value)) ? { ...choice, unattended } : choice;
  });
  return { ...option, choices };
}

function toConfigOption(option: AgentOption): ConfigOption[] {
  if (option.type === 'unknown') return [];
  const { id, name } = option;
  const shared = { id, name, ...withoutUndefined({ description: option.description, category: option.category }) };
  if (option.type === 'boolean') return [{ ...shared, type: 'boolean', value: option.currentValue }];
  const choices = option.options.flatMap((entry) =>
    'options' in entry
      ? entry.options.map((choice) => ({ ...toChoice(choice), group: entry.name }))
      : [toChoice(entry)],
  );
  return [{ ...shared, type: 'select', value: option.currentValue, choices }];
}

function toChoice({ value, name, description }: { value: string; name: string; description?: string | undefined }) {
  return { value, name, ...withoutUndefined({ description }) };
}

function modeOption({ currentModeId, availableModes }: AgentModes): ConfigOption {
  const choices = availableModes.map(({ id, name, description }) => toChoice({ value: id, name, description }));
  return { type: 'select', id: 'mode', name: 'Mode', category: 'mode', value: currentModeId, choices };
}

function modelOption({ currentModelId, availableModels }: AgentModels): ConfigOption {
  const choices = availableModels.map(({ modelId, name, description }) =>
    toChoice({ value: modelId, name, description }),
  );
  return { type: 'select', id: 'model', name: 'Model', category: 'model', value: currentModelId, choices };
}
