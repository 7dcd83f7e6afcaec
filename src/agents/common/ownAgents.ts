import { userMessageOf } from '../../base/common/errors';
import { toVisibleText } from '../../base/common/text/visibleText';
import { withoutUndefined } from '../../base/common/withoutUndefined';
import type { AgentSecrets, TryAgent } from './agentPorts';
import type { OwnAgent, OwnAgentTestResult } from './page/agentsApi';
import {
  editableAgentNames,
  parseAgentsSetting,
  parseForm,
  toForm,
  withOwnAgent,
  withoutOwnAgent,
  type AgentsSetting,
} from './page/ownAgentSetting';

interface OwnAgentsDeps {
  /** The unchecked value of `backline.acp.agents` in the user settings. */
  readonly readSetting: () => unknown;
  /** @throws Error if the user settings cannot be written */
  readonly writeSetting: (value: AgentsSetting) => Promise<void>;
  readonly secrets: AgentSecrets;
  readonly tryAgent: TryAgent;
  /** Resolves when the processes of the agent have ended. Never rejects. */
  readonly stopAgent: (name: string) => Promise<void>;
  /** Returns the absolute path of a folder, which can be relative to the workspace. */
  readonly resolveFolder: (folder: string) => string;
}

/** Agents that the user adds with a name and a command: entries of `backline.acp.agents` in the user settings. */
export class OwnAgents {
  constructor(private readonly deps: OwnAgentsDeps) {}

  get names(): ReadonlySet<string> {
    return editableAgentNames(this.setting);
  }

  /** @throws Error if there is no such agent */
  async read(name: string): Promise<OwnAgent> {
    const form = toForm(this.setting, name, await this.deps.secrets.variablesOf(name));
    if (!form) throw new Error(`There is no agent “${name}” in your settings.`);
    return form;
  }

  /** Starts the agent of a form and ends it. A failure becomes a message in the result. Never rejects. */
  async test(form: OwnAgent, signal: AbortSignal): Promise<OwnAgentTestResult> {
    const { resolveFolder, secrets, tryAgent } = this.deps;
    try {
      const { args, command, cwd, env, newSecrets, secretNames } = parseForm(form);
      if (form.dialect === 'draft') {
        const message = 'The draft protocol has no test. Add the agent and start a conversation to try it.';
        return { isWorking: true, message };
      }
      const stored = form.previousName === undefined ? {} : await secrets.keysOf(form.previousName);
      const kept = Object.entries(stored).filter(([name]) => secretNames.includes(name));
      const program = {
        command,
        args,
        env,
        secretEnv: { ...Object.fromEntries(kept), ...newSecrets },
        ...withoutUndefined({ cwd: cwd === undefined ? undefined : resolveFolder(cwd) }),
      };
      const { name, title = name, version } = await tryAgent(program, signal);
      const who = title === undefined ? 'The agent' : toVisibleText(title);
      const which = version === undefined ? '' : ` ${toVisibleText(version)}`;
      return { isWorking: true, message: `It works: ${who}${which} responded.` };
    } catch (error) {
      return { isWorking: false, message: toVisibleText(userMessageOf(error)) };
    }
  }

  /** Writes an agent to the user settings and its secrets to the secret storage. @throws Error with what to correct */
  async save(form: OwnAgent, otherIds: ReadonlySet<string>): Promise<void> {
    const { secrets, writeSetting } = this.deps;
    const { previousName } = form;
    const name = form.name.trim();
    const taken = new Set([...otherIds].filter((id) => id !== previousName));
    const next = withOwnAgent(this.setting, form, taken);
    const { newSecrets, secretNames } = parseForm(form);
    const stored = previousName === undefined ? {} : await secrets.keysOf(previousName);
    const kept = Object.entries(stored).filter(([variable]) => secretNames.includes(variable));
    // The secrets are stored first: an agent that starts without one would ask the user to sign in.
    for (const [variable, value] of Object.entries({ ...Object.fromEntries(kept), ...newSecrets })) {
      if (name !== previousName || variable in newSecrets) await secrets.setSecret(name, variable, value);
    }
    // Its LLM providers, too: an agent that starts without them would send prompts elsewhere than the user has decided.
    if (previousName !== undefined && name !== previousName) await secrets.copyProviders(previousName, name);
    await writeSetting(next);
    if (previousName === undefined) return;
    if (name !== previousName) await secrets.deleteAll(previousName);
    else {
      for (const variable of Object.keys(stored)) {
        if (!secretNames.includes(variable)) await secrets.deleteSecret(name, variable);
      }
    }
  }

  /** @throws Error if the user settings cannot be written */
  async remove(name: string): Promise<void> {
    await this.deps.writeSetting(withoutOwnAgent(this.setting, name));
    await this.deps.stopAgent(name);
    await this.deps.secrets.deleteAll(name);
  }

  private get setting(): AgentsSetting {
    return parseAgentsSetting(this.deps.readSetting());
  }
}
