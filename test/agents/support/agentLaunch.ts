import { randomUUID } from 'node:crypto';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { AgentLauncher, type AgentLauncherDeps } from '../../../src/acp/node/catalogue/agentLauncher';
import { disabledTrafficTap } from '../../../src/wire/common/traffic';
import { answeringConsent } from '../../fake/answeringConsent';
import { standingOf } from '../../fake/fakePermissions';

/** Starts agents in `folder` with `home` as their home folder. */
export function launcherIn(
  { folder, home }: { readonly folder: string; readonly home: string },
  deps: Pick<AgentLauncherDeps, 'editor' | 'windowMcpServers'>,
): AgentLauncher {
  return new AgentLauncher({
    ...deps,
    clientInfo: { name: 'backline', title: 'Backline', version: '0.0.0' },
    clock: systemClock,
    log: nullLogger,
    tap: disabledTrafficTap,
    standing: standingOf(),
    environment: () => Promise.resolve({ PATH: process.env['PATH'] ?? '', HOME: home }),
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
