import assert from 'node:assert/strict';
import {
  launchArguments,
  onlyVariables,
  readArguments,
  versionToTest,
  withDisplay,
} from '../../../scripts/lib/vscode/desktop.mjs';

describe('the VS Code of the desktop that runs the host tests', () => {
  it('is the one that is asked for, by default the stable one', () => {
    assert.equal(versionToTest(undefined, '^1.101.0'), 'stable');
    assert.equal(versionToTest('insiders', '^1.101.0'), 'insiders');
    assert.equal(versionToTest('1.105.1', '^1.101.0'), '1.105.1');
  });

  it('is the first version of the range of the manifest when the oldest is asked for', () => {
    assert.equal(versionToTest('oldest', '^1.101.0'), '1.101.0');
    assert.throws(() => versionToTest('oldest', '>=1.101.0 <2'), /engines\.vscode is ">=1\.101\.0 <2"/);
  });

  it('is refused when there is no such version', () => {
    for (const wanted of ['latest', '1.105', '../1.105.1', '']) {
      assert.throws(() => versionToTest(wanted, '^1.101.0'), /There is no VS Code/, wanted);
    }
  });

  it('is read from the arguments, which else are filters', () => {
    assert.deepEqual(readArguments(['amp', '--vscode', 'oldest', 'chat']), {
      vscode: 'oldest',
      filters: ['amp', 'chat'],
    });
    assert.deepEqual(readArguments(['--vscode=1.105.1']), { vscode: '1.105.1', filters: [] });
    assert.deepEqual(readArguments([]), { vscode: undefined, filters: [] });
    for (const args of [['--vscode'], ['--vscode='], ['--code', 'oldest']]) {
      assert.throws(() => readArguments(args), /--vscode/, args.join(' '));
    }
  });

  it('opens the workspace of the sandbox, with folders of its own and without other extensions', () => {
    const args = launchArguments({ workspace: '/s/workspace', dataDir: '/s/data', extensionsDir: '/s/extensions' });
    assert.equal(args[0], '/s/workspace');
    assert.ok(args.includes('--disable-extensions'));
    assert.equal(args[args.indexOf('--user-data-dir') + 1], '/s/data');
    assert.equal(args[args.indexOf('--extensions-dir') + 1], '/s/extensions');
  });

  it('has the environment of the sandbox and nothing else', () => {
    const own = { PATH: '/bin', AMP_API_KEY: 'secret', HOME: '/home/me' };
    const wanted = { PATH: '/bin', HOME: '/s/home' };
    const given = Object.assign({}, own, onlyVariables(own, wanted));
    assert.deepEqual(
      Object.entries(given).filter(([, value]) => value !== undefined),
      Object.entries(wanted),
    );
  });

  it('is started under Xvfb on a Linux without a display, and nowhere else', () => {
    const command = ['node', 'scripts/testHost.mjs'];
    const xvfbRun = '/usr/bin/xvfb-run';
    assert.deepEqual(withDisplay(command, { platform: 'linux', hasDisplay: false, xvfbRun }), [
      xvfbRun,
      '--auto-servernum',
      ...command,
    ]);
    assert.deepEqual(withDisplay(command, { platform: 'linux', hasDisplay: true, xvfbRun }), command);
    for (const platform of ['darwin', 'win32'] as const) {
      assert.deepEqual(withDisplay(command, { platform, hasDisplay: true, xvfbRun: undefined }), command);
    }
    assert.throws(
      () => withDisplay(command, { platform: 'linux', hasDisplay: false, xvfbRun: undefined }),
      /apt-get install -y xvfb/,
    );
  });
});
