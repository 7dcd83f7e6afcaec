import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';

const root = path.join(process.cwd(), 'src');

/** A function of `node:fs`, VS Code's own file system, or an edit. */
const writes =
  /import \{[^}]*\b(?:writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|copyFile|cp|rename|renameSync|symlink|link)\b[^}]*\} from 'node:fs|\/base\/node\/replaceFile'|\bhandle\.writeFile\(|\bfs\.(?:writeFile|copy|delete|rename)\(|\bworkspace\.applyEdit\(|\beditor\.edit\(/;

/**
 * Who writes files, and where. Files of the workspace are written by the editor's adapters alone, which check protected files;
 * each other place that can reach one asks the user about protected files itself.
 */
const writers: Readonly<Record<string, string>> = {
  'editor/node/checkedWrite.ts': 'the editor port: new files, and all files without VS Code',
  'editor/vscode/documentEdits.ts': 'the editor port',
  'chat/vscode/unsaved/textVersions.ts': "puts the user's unsaved text back into its editor",
  'chat/vscode/answerTextActions.ts': "inserts text where the user's cursor is; asks `protectionOf`",
  'chat/node/writes/agentWritesFolder.ts': 'own storage: what agents have written, for other windows',
  'chat/vscode/review/deleteFile.ts': 'takes a reverted file away; asks `protectionOf`',
  'chat/vscode/review/conversationActions.ts': 'an export, to where the user says in a dialog',
  'threads/vscode/threadActions.ts': 'an export, to where the user says in a dialog',
  'platform/vscode/htmlViews.ts': 'a view of an answer: a temporary file, or where the user says in a dialog',
  'amp/node/pluginFile.ts': "Backline's own plugin, by a command of the user",
  'amp/node/serverLockfile.ts': 'own storage',
  'changes/node/scan/folderScan.ts': 'own storage: the list of names for Git',
  'changes/node/git/ignoreRules.ts': 'own storage',
  'changes/node/git/indexFile.ts': 'own storage',
  'changes/node/checkpointRepositoryProvider.ts': 'own storage',
  'changes/node/git/privateRepository.ts': 'own storage',
  'changes/node/restore/restoreRunner.ts': 'own storage: the journal of a restore',
  'changes/node/restore/restoreStep.ts': 'files of a checkpoint, by the plan that the user has seen',
  'changes/node/storePruner.ts': 'own storage',
  'changes/node/storage/importStore.ts': 'own storage: checkpoints of the same folder from another store',
  'context/node/remoteModuleStore.ts': 'own storage',
  'tools/node/clients/bridgeLauncher.ts': 'own storage: the program that MCP clients start',
  'tools/node/clients/windowFiles.ts': 'own storage: how MCP clients find the window',
  'texts/node/files/indexLock.ts': 'own storage',
  'texts/node/files/atomicWrite.ts': 'own storage',
  'base/node/privateTemporaryFolder.ts': 'own storage',
  'base/node/filePort.ts': 'own storage',
  'base/node/replaceFile.ts': 'own storage',
  'acp/demo/diskFiles.ts': 'an agent that has no client to write for it',
  'acp/demo/session/sessions.ts': 'own storage',
  'agents/node/binary/binaryInstaller.ts': 'own storage: an agent that is installed',
  'agents/node/npm/npmPackage.ts': 'own storage',
  'agents/node/npm/npxInstaller.ts': 'own storage: an agent that is installed',
  'agents/node/storage/agentStorage.ts': 'own storage',
  'agents/node/registryStore.ts': 'own storage',
};

describe('writers of files', () => {
  it('are those that are known, so that no other goes past the protected files', () => {
    const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => file.split(path.sep).join('/'))
      .filter((file) => writes.test(readFileSync(path.join(root, file), 'utf8')));
    assert.deepEqual(found.sort(), Object.keys(writers).sort());
  });
});
