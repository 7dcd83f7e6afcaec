import assert from 'node:assert/strict';
import { editorEnvironment } from '../../../../../src/acp/node/process/editorEnvironment';

describe('the environment of agents', () => {
  it('is that of VS Code without what would make a program start as a part of it', () => {
    const ofEditor = {
      PATH: '/own/bin:/usr/bin',
      LANG: undefined,
      ELECTRON_RUN_AS_NODE: '1',
      VSCODE_IPC_HOOK: '/tmp/x',
      NOT_VSCODE_: 'kept',
    };
    assert.deepEqual(editorEnvironment(ofEditor), { PATH: '/own/bin:/usr/bin', NOT_VSCODE_: 'kept' });
  });
});
