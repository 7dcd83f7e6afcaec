import assert from 'node:assert/strict';
import { ripgrepPaths } from '../../../src/tools/node/ripgrepPaths';

describe('where the ripgrep of VS Code is looked for', () => {
  it('is in the folders of VS Code, as the system writes paths and programs', () => {
    assert.deepEqual(ripgrepPaths('C:\\VS Code\\resources\\app', 'win32', 'arm64'), [
      'C:\\VS Code\\resources\\app\\node_modules\\@vscode\\ripgrep-universal\\bin\\win32-arm64\\rg.exe',
      'C:\\VS Code\\resources\\app\\node_modules\\@vscode\\ripgrep\\bin\\rg.exe',
      'C:\\VS Code\\resources\\app\\node_modules.asar.unpacked\\@vscode\\ripgrep-universal\\bin\\win32-arm64\\rg.exe',
      'C:\\VS Code\\resources\\app\\node_modules.asar.unpacked\\@vscode\\ripgrep\\bin\\rg.exe',
    ]);
    const [first] = ripgrepPaths('/Applications/VS Code.app/Contents/Resources/app', 'darwin', 'arm64');
    assert.equal(
      first,
      '/Applications/VS Code.app/Contents/Resources/app/node_modules/@vscode/ripgrep-universal/bin/darwin-arm64/rg',
    );
  });
});
