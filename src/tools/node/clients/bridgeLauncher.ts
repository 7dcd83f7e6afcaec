import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { quoteForPosixShell } from '../../../base/common/text/visibleText';
import { replaceFileBy } from '../../../base/node/replaceFile';
import type { BridgeCommand } from '../../common/clients/clientConfigurations';

interface LauncherDeps {
  /** Absolute path of the folder for the launcher, which stays the same when the extension is updated. */
  readonly folder: string;
  /** Absolute path of `dist/mcp-bridge.js`. */
  readonly bridgeFile: string;
  /** Absolute path of the executable that runs scripts as Node.js with ELECTRON_RUN_AS_NODE. */
  readonly runtime: string;
  /** Absolute path of the folder with the files of windows. */
  readonly windowsFolder: string;
  readonly platform: NodeJS.Platform;
}

const asNode = { ELECTRON_RUN_AS_NODE: '1' };

/**
 * Installs the MCP bridge in a folder that outlives updates of VS Code and of the extension, and returns the command for MCP
 * clients. Except on Windows, the command is a script that is rewritten by each call. @throws Error of the file system
 */
export async function installBridge({
  bridgeFile,
  folder,
  platform,
  runtime,
  windowsFolder,
}: LauncherDeps): Promise<BridgeCommand> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Another window may read or write the files at the same time.
  const script = path.join(folder, 'mcp-bridge.js');
  await replaceFileBy(script, (file) => copyFile(bridgeFile, file));
  if (platform === 'win32') return { command: runtime, args: [script, '--windows', windowsFolder], env: asNode };
  const launcher = path.join(folder, 'backline-mcp');
  const quoted = [runtime, script, '--windows', windowsFolder].map(quoteForPosixShell);
  const text = `#!/bin/sh\nELECTRON_RUN_AS_NODE=1 exec ${quoted.join(' ')}\n`;
  await replaceFileBy(launcher, async (file) => {
    await writeFile(file, text);
    await chmod(file, 0o700);
  });
  return { command: launcher, args: [], env: {} };
}
