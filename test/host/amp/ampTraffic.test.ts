import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commandIds } from '../../../src/manifest';
import { AmpClient, ownLockfile } from '../support/ampClient';
import { eventually } from '../../support/eventually';
import { closeAll, writeInWorkspace } from '../support/workspace';

function trafficText(): string {
  const document = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'backline-traffic');
  assert.ok(document, 'no traffic document');
  return document.getText();
}

describe('the traffic view', () => {
  let client: AmpClient;

  before(async () => {
    client = await AmpClient.connect(await ownLockfile());
  });
  after(async () => {
    client.close();
    await closeAll();
  });

  it('shows messages as they come, from when it was opened, without their contents', async () => {
    const file = await writeInWorkspace('amp/traffic.txt', 'nobody may see this\n');
    await client.ask('ping', { message: 'before' });
    await vscode.commands.executeCommand(commandIds.showTraffic);
    assert.match(trafficText(), /without their contents/);
    await client.ask('readFile', { path: file });
    await eventually('both messages', () => {
      const lines = trafficText()
        .split('\n')
        .filter((line) => line.includes('readFile'));
      assert.equal(lines.length, 2);
      assert.match(lines[0] ?? '', /\d\d:\d\d:\d\d\.\d{3} +← in +amp +client \d+ +readFile +\d+$/);
      assert.match(lines[1] ?? '', /\d\d:\d\d:\d\d\.\d{3} +→ out +amp +client \d+ +readFile +\d+ +\d+\.\d$/);
    });
    assert.doesNotMatch(trafficText(), /nobody may see|ping/);
  });

  it('cannot be edited, and is a log', () => {
    const { document } = vscode.window.activeTextEditor ?? {};
    assert.equal(document?.languageId, 'log');
    assert.equal(document.uri.scheme, 'backline-traffic');
  });

  it('ends the recording with its last tab', async () => {
    await closeAll();
    await vscode.commands.executeCommand(commandIds.showTraffic);
    await eventually('an empty view', () => assert.doesNotMatch(trafficText(), /readFile/));
  });
});
