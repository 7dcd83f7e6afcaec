import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';

const root = path.join(process.cwd(), 'src');

/**
 * Who asks which system this is, and what for. What is decided by it takes the system as a parameter and is tested as each
 * of them; those who tell it which one it is, and those who can do nothing with another one, are here.
 */
const readers: Readonly<Record<string, string>> = {
  'acp/demo/session/ownShell.ts': 'tells shellFor',
  'acp/node/catalogue/agentLauncher.ts': 'tells lookupCommand',
  'acp/node/process/agentProcess.ts': 'tells lookupCommand',
  'acp/node/process/agentReaper.ts': 'signals to process groups, which Windows has not',
  'acp/node/catalogue/agentConsent.ts': 'tells environmentEffect',
  'acp/node/process/commandLookup.ts': 'tells lookupCommand',
  'acp/node/process/linuxProcesses.ts': 'reads /proc',
  'acp/node/process/processTree.ts': 'signals to process groups; on Windows taskkill',
  'acp/node/process/terminalService.ts': 'tells lookupCommand',
  'acp/vscode/acpFeature.ts': 'tells the known agents',
  'agents/vscode/agentsController.ts': 'tells toPlatformKey',
  'amp/node/findAmp.ts': 'tells findAmp',
  'amp/plugin/backlineDiagnostics.ts': 'runs in the Amp CLI, alone: the folder of lockfiles',
  'amp/vscode/ampFeature.ts': 'tells ampLockfileFolders',
  'changes/node/git/findGit.ts': 'tells findGit',
  'changes/node/git/gitProgram.ts': 'signals to the process group of Git; on Windows taskkill',
  'changes/node/restore/withHeldFolder.ts': 'opens folders below open ones by /proc',
  'base/node/hostSystem.ts': 'tells the installer of agents',
  'changes/node/checkpointRepositoryProvider.ts': "what Git takes for granted of a system's files",
  'changes/node/git/privateRepository.ts': "what Git takes for granted of a system's files",
  'context/node/insideFolders.ts': 'tells isInsideFolders',
  'context/vscode/contextController.ts': 'tells FileAccessFilter',
  'editor/node/checkedWrite.ts': 'opens folders below open ones by /proc',
  'editor/node/diskEditor.ts': 'tells PathGuard',
  'editor/node/diskReader.ts': 'reads from /proc where an open file is',
  'editor/node/protection/gitNames.ts': 'tells hookNames',
  'editor/vscode/vscodeEditor.ts': 'tells PathGuard',
  'editor/vscode/documentsByPath.ts': "finds VS Code's documents in either case on Windows",
  'threads/node/files/folderWatcher.ts': 'asks Linux for the type of a file system',
  'tools/vscode/externalClients.ts': 'tells installBridge and clientConfigurations',
  'tools/vscode/ripgrepProgram.ts': 'tells ripgrepPlaces',
};

describe('which system this is', () => {
  it('is asked by those who are known, so that everything else can be tested as any system', () => {
    const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => file.split(path.sep).join('/'))
      .filter((file) =>
        /\bprocess\.platform\b|\bplatform\b[^;=]*\} = process\b/.test(readFileSync(path.join(root, file), 'utf8')),
      );
    assert.deepEqual(found.sort(), Object.keys(readers).sort());
  });
});
