import assert from 'node:assert/strict';
import { terminalEnvironment, type TerminalEnvironmentOptions } from '../../../../src/amp/common/terminalEnvironment';

const options: TerminalEnvironmentOptions = { inheritedEnv: {}, pathDelimiter: ':', missingFolder: '/storage/none' };

describe('the environment of an Amp terminal', () => {
  it('takes loopback out of the proxy, in both spellings, and keeps what the user took out', () => {
    const inheritedEnv = { NO_PROXY: 'intra.example, localhost', no_proxy: '.corp' };
    const { NO_PROXY, no_proxy } = terminalEnvironment({ ...options, inheritedEnv });
    assert.equal(NO_PROXY, 'intra.example,localhost,.corp,127.0.0.1');
    assert.equal(no_proxy, NO_PROXY);
    assert.equal(terminalEnvironment(options)['NO_PROXY'], 'localhost,127.0.0.1');
  });

  it('hides the state files of editors, so that this window is the only candidate', () => {
    const env = terminalEnvironment(options);
    for (const editor of ['VSCODE', 'VSCODE_INSIDERS', 'CURSOR', 'WINDSURF']) {
      assert.equal(env[`${editor}_USER_DATA_DIR`], '/storage/none');
    }
  });

  it('leaves PATH alone when amp is on it', () => {
    assert.ok(!('PATH' in terminalEnvironment({ ...options, inheritedEnv: { PATH: '/bin' } })));
  });

  it('puts the folder of amp first on PATH, under the spelling the system uses', () => {
    const posix = terminalEnvironment({
      ...options,
      inheritedEnv: { PATH: '/bin' },
      extraPathFolder: '/home/u/.amp/bin',
    });
    assert.equal(posix['PATH'], '/home/u/.amp/bin:/bin');
    const windows = { inheritedEnv: { Path: 'C:\\w' }, pathDelimiter: ';', extraPathFolder: 'C:\\amp' };
    const env = terminalEnvironment({ ...options, ...windows });
    assert.equal(env['Path'], 'C:\\amp;C:\\w');
    assert.ok(!('PATH' in env));
  });
});
