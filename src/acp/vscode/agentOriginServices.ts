import * as vscode from 'vscode';
import { toSafeNotificationText } from '../../base/common/text/noticeText';
import type { Logger } from '../../base/common/log';
import type { Memento } from '../../base/common/memento';
import type { StandingPermissions } from '../../permissions/common/standingPermissions';
import { parseAgentSettings } from '../common/catalogue/agentSettings';
import { knownOrigin, OriginStore, settingsOrigin } from '../common/catalogue/agentOrigins';
import { earlierIdentityOf, type InstalledProgram } from '../common/catalogue/installedAgents';
import { findKnownAgentByCommand } from '../common/catalogue/knownAgents';
import { OriginGuard, recordHolders, type OriginQuestion } from '../common/catalogue/originGuard';
import type { ProviderStore } from '../common/providers/providerStore';
import type { AgentKeyStore } from '../common/signIn/agentKeyStore';
import type { AgentSettingsLevel, CatalogueEntry } from '../node/catalogue/agentCatalogue';

interface AgentOriginServicesDeps {
  /** Memento for all windows. */
  readonly memento: Memento;
  readonly standing: StandingPermissions;
  readonly log: Logger;
  readonly keys: AgentKeyStore;
  readonly providers: ProviderStore;
  readonly forgetSignIn: (id: string) => Promise<void>;
}

/** Remembers which program holds the id of an agent, and asks the user when that is not certain. */
export class AgentOriginServices {
  readonly store: OriginStore;
  readonly guard: OriginGuard;
  private takingOver: Promise<void> | undefined;

  constructor(private readonly deps: AgentOriginServicesDeps) {
    const { forgetSignIn, keys, memento, providers, standing } = deps;
    this.store = new OriginStore(memento);
    this.guard = new OriginGuard({
      store: this.store,
      forgetSignIn,
      storedFor: async (id) => ({
        keys: await keys.variablesOf(id),
        hasProviders: providers.agentIds.includes(id),
        ruleCount: standing.rules.rules.filter(({ agent }) => agent === id).length,
        hasPolicy: standing.policy().userPolicies.has(id),
      }),
      deleteStored: async (id) => {
        await keys.deleteAll(id);
        await providers.deleteAll(id);
        for (const rule of standing.rules.rules) if (rule.agent === id) await standing.rules.remove(rule);
      },
      ask,
    });
  }

  /** Takes over what earlier versions of Backline have stored by id alone, at the first start of this version. */
  async takeOverOnce(programs: readonly InstalledProgram[], levels: readonly AgentSettingsLevel[]): Promise<void> {
    if (!this.store.isNew) return;
    this.takingOver ??= this.takeOver(programs, levels);
    await this.takingOver;
  }

  /** Call with each new catalogue. Never rejects. */
  async recordHolders(agents: readonly CatalogueEntry[]): Promise<void> {
    const { log, standing } = this.deps;
    const { userPolicies } = standing.policy();
    await recordHolders(agents, this.store, (id) => userPolicies.has(id)).catch((error: unknown) =>
      log.error('The origins of agents could not be stored', error),
    );
  }

  private async takeOver(programs: readonly InstalledProgram[], levels: readonly AgentSettingsLevel[]): Promise<void> {
    const { keys, providers, standing } = this.deps;
    const ofUser = levels.find(({ origin }) => origin === undefined);
    const own = [...parseAgentSettings(ofUser?.value).agents].map(([id, setting]) => {
      const known = setting.url === undefined ? findKnownAgentByCommand(setting.command, setting.args) : undefined;
      return { id, origin: known?.id === id ? knownOrigin(id) : settingsOrigin };
    });
    const ownIds = new Set(own.map(({ id }) => id));
    const installed = programs.map(earlierIdentityOf).filter(({ id }) => !ownIds.has(id));
    const ruled = standing.rules.rules.flatMap(({ agent }) => (agent === undefined ? [] : [agent]));
    await this.store.takeOver([...own, ...installed], [...keys.agentIds, ...providers.agentIds, ...ruled]);
  }
}

async function ask({ canDelete, detail, message }: OriginQuestion): Promise<'use' | 'delete' | undefined> {
  const options = { modal: true, detail };
  const labels = ['Use Them', ...(canDelete ? ['Delete Them'] : [])];
  const answer = await vscode.window.showWarningMessage(toSafeNotificationText(message), options, ...labels);
  return answer === undefined ? undefined : answer === 'Use Them' ? 'use' : 'delete';
}
