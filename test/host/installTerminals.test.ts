import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { InstallTerminals } from '../../src/chat/vscode/installTerminals';
import { eventually, until } from '../support/eventually';
import { closeTerminals } from './support/workspace';

describe('the terminal that an agent is installed in', () => {
  const isMeant = ({ name }: vscode.Terminal): boolean => name === 'Install Codex';
  let installs: InstallTerminals;
  let infos: string[];
  let runs: number;

  beforeEach(() => {
    [infos, runs] = [[], 0];
    installs = new InstallTerminals({ info: (message) => void infos.push(message) }, () => runs++);
    installs.start();
  });
  afterEach(async () => {
    await closeTerminals(isMeant);
    installs.dispose();
  });

  it('reports that Enter is needed, and that it has closed', async () => {
    installs.insertInstallCommand('Codex', 'echo installed');
    assert.deepEqual(infos, ['Press Enter in the terminal to install Codex.']);
    await eventually('the terminal', () => assert.equal(vscode.window.activeTerminal?.name, 'Install Codex'));
    const other = vscode.window.createTerminal('Another');
    await closeTerminals((terminal) => terminal === other);
    assert.equal(runs, 0);
    await closeTerminals(isMeant);
    await until('the call', () => runs === 1);
  });
});
