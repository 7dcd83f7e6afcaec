import assert from 'node:assert/strict';
import { startable } from '../../../scripts/lib/windowsCommand.mjs';

describe('how a script starts a program', () => {
  it('is without a shell, so that no argument is read as a command', () => {
    const args = ['-e', 'console.log("a & b")\n', '%PATH%'];
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      assert.deepEqual(startable('C:\\Program Files\\node.exe', args, platform), {
        file: 'C:\\Program Files\\node.exe',
        args,
        options: {},
      });
    }
    assert.equal(startable('npm', ['ci'], 'linux').file, 'npm');
    assert.equal(startable('npm', ['ci'], 'darwin').file, 'npm');
  });

  it('is by cmd.exe for a batch file of Windows, each word in quotes', () => {
    for (const command of ['npm', 'C:\\Program Files\\code.cmd', 'tool.BAT']) {
      assert.deepEqual(startable(command, ['ci', 'a & b', ''], 'win32'), {
        file: 'cmd.exe',
        args: ['/d', '/s', '/c', `""${command}" "ci" "a & b" """`],
        options: { windowsVerbatimArguments: true },
      });
    }
  });

  it('is refused where quotes do not protect an argument from cmd.exe', () => {
    for (const argument of ['"&calc', '%PATH%', '!x!', 'two\nlines', 'C:\\folder\\']) {
      assert.throws(() => startable('npm', [argument], 'win32'), /would change this argument/, argument);
    }
  });
});
