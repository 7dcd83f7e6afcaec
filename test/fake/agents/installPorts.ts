import { tmpdir } from 'node:os';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { tryAgent } from '../../../src/acp/node/catalogue/tryAgent';
import { diskCommandFileAccess, lookupCommand } from '../../../src/acp/node/process/commandLookup';
import { endProcessTree } from '../../../src/acp/node/process/processTree';
import type { InstallPorts } from '../../../src/agents/node/installPorts';

/** The real ports of an installer, with an environment of their own. */
export function realInstallPorts(env: Readonly<Record<string, string>>): InstallPorts {
  return {
    system: {
      platform: process.platform,
      arch: process.arch,
      execPath: process.execPath,
      nodeVersion: process.versions.node,
      home: env['HOME'] ?? tmpdir(),
    },
    environment: () => env,
    findProgram: (name, variables) =>
      lookupCommand(name, {
        ...{ platform: process.platform, env: variables, cwd: tmpdir(), files: diskCommandFileAccess },
      }).catch(() => undefined),
    endProcessTree: async (pid) => {
      await endProcessTree(pid, 500, systemClock);
    },
    tryAgent: (command, signal) =>
      tryAgent(
        command,
        {
          clientInfo: { name: 'test', title: 'Test', version: '1' },
          clock: systemClock,
          log: nullLogger,
          environment: env,
          defaultFolder: tmpdir(),
        },
        signal,
      ),
    isInUse: () => false,
    fetch: (url, init) => fetch(url, init),
    clock: systemClock,
    log: nullLogger,
  };
}
