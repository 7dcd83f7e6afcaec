import { randomUUID } from 'node:crypto';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { AgentLauncher, type AgentLauncherDeps } from '../../../src/acp/node/catalogue/agentLauncher';
import { disabledTrafficTap } from '../../../src/wire/common/traffic';
import { answeringConsent } from '../../fake/answeringConsent';
import { standingOf } from '../../fake/fakePermissions';
import { OutgoingHttp } from '../../../src/wire/node/outgoingHttp';

interface LaunchPlace {
  readonly folder: string;
  readonly home: string;
  /** The whole environment of agents; default the PATH of the tests. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts agents in `folder` with `home` as their home folder. */
export function launcherIn(
  { folder, home, env = { PATH: process.env['PATH'] ?? '' } }: LaunchPlace,
  deps: Pick<AgentLauncherDeps, 'editor' | 'windowMcpServers'>,
): AgentLauncher {
  return new AgentLauncher({
    ...deps,
    clientInfo: { name: 'backline', title: 'Backline', version: '0.0.0' },
    clock: systemClock,
    http: new OutgoingHttp(),
    log: nullLogger,
    tap: disabledTrafficTap,
    standing: standingOf(),
    environment: { ...env, HOME: home },
    defaultFolder: () => folder,
    isTrusted: () => true,
    agentConsent: { consent: answeringConsent('denied'), places: () => ({ cwd: folder, folders: [folder] }) },
    createId: randomUUID,
    random: Math.random,
    elicit: () => Promise.resolve({ action: 'decline' }),
    runInTerminal: () => Promise.resolve(false),
    keysOf: () => Promise.resolve({}),
  });
}
