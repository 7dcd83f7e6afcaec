import assert from 'node:assert/strict';
import { ampStatus } from '../../../../src/amp/common/ampStatus';

const inFolder = { hasFolder: true, isTrusted: true, isPluginOutdated: false };

describe('the status of Amp', () => {
  it('shows the port and, when there are any, the clients', () => {
    const alone = ampStatus({ kind: 'serving', port: 8000, clientCount: 0 }, inFolder);
    assert.deepEqual([alone.state, alone.summary], ['ready', 'Serving on 127.0.0.1:8000. No client is connected.']);
    const two = ampStatus({ kind: 'serving', port: 8000, clientCount: 2 }, inFolder);
    assert.equal(two.summary, 'Serving on 127.0.0.1:8000 to 2 clients.');
    assert.match(ampStatus({ kind: 'serving', port: 8000, clientCount: 1 }, inFolder).summary, /to 1 client\./);
  });

  it('is off without a folder, and reports that one is needed', () => {
    const { state, summary, actions } = ampStatus(
      { kind: 'serving', port: 8000, clientCount: 0 },
      { ...inFolder, hasFolder: false },
    );
    assert.equal(state, 'off');
    assert.match(summary, /Open a folder/);
    assert.doesNotMatch(summary, /Serving/);
    assert.equal(actions?.[0]?.command, 'workbench.action.files.openFolder');
  });

  it('reports that edits are refused in Restricted Mode, and leads to the trust', () => {
    const { state, summary, actions } = ampStatus(
      { kind: 'serving', port: 8000, clientCount: 0 },
      { ...inFolder, isTrusted: false },
    );
    assert.equal(state, 'ready');
    assert.match(summary, /Edits are refused until you trust the workspace\./);
    assert.equal(actions?.[0]?.command, 'workbench.trust.manage');
    // A terminal runs what the folder says.
    assert.ok(actions.every(({ command }) => command !== 'backline.amp.openTerminal'));
  });

  it('offers to update a plugin of another version', () => {
    const labels = (isPluginOutdated: boolean): string[] =>
      (ampStatus({ kind: 'serving', port: 1, clientCount: 0 }, { ...inFolder, isPluginOutdated }).actions ?? []).map(
        ({ label }) => label,
      );
    assert.ok(labels(true).includes('Update Diagnostics Plugin'));
    assert.ok(!labels(false).includes('Update Diagnostics Plugin'));
  });

  it('reports what failed, and offers to try again', () => {
    const { state, summary, actions } = ampStatus({ kind: 'failed', message: 'Make /x a folder.' }, inFolder);
    assert.deepEqual([state, summary], ['failed', 'Make /x a folder.']);
    assert.equal(actions?.[0]?.command, 'backline.amp.restart');
  });

  it('wants attention while requests fail, and offers to restart', () => {
    const failureCounts = { failedCount: 12, totalCount: 20 };
    const { state, summary, actions } = ampStatus(
      { kind: 'serving', port: 1, clientCount: 1, failureCounts },
      inFolder,
    );
    assert.equal(state, 'attention');
    assert.match(summary, /12 of 20 requests in the last minute failed\. Restart/);
    assert.equal(actions?.[0]?.command, 'backline.amp.restart');
  });

  it('names the setting that switched it off', () => {
    const { state, summary } = ampStatus({ kind: 'off' }, inFolder);
    assert.equal(state, 'off');
    assert.match(summary, /backline\.amp\.enabled/);
  });
});
