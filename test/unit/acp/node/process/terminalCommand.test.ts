import assert from 'node:assert/strict';
import type { CommandFileAccess } from '../../../../../src/acp/node/process/commandLookup';
import { resolveTerminalCommand } from '../../../../../src/acp/node/process/terminalCommand';

/** A disk with only these programs. */
const programs = (...files: string[]): CommandFileAccess => ({
  kindOf: (file) => Promise.resolve(files.includes(file) ? 'executable' : 'missing'),
  readHead: () => Promise.resolve(''),
});

describe('what a request for a terminal runs', () => {
  const posix = (command: string, args: string[] = [], shell = '/usr/bin/zsh') =>
    resolveTerminalCommand(command, args, {
      platform: 'linux',
      env: { PATH: '/bin:/usr/bin', SHELL: '/ws/evil.sh' },
      userEnv: { PATH: '/bin:/usr/bin', SHELL: shell },
      cwd: '/ws',
      files: programs(
        '/bin/sh',
        '/bin/bash',
        '/usr/bin/zsh',
        '/usr/bin/fish',
        '/usr/bin/git',
        '/ws/my tool',
        '/usr/bin/git status',
      ),
    });
  const windows = (command: string, args: string[] = [], comSpec = 'C:\\Windows\\System32\\cmd.exe') =>
    resolveTerminalCommand(command, args, {
      platform: 'win32',
      env: { Path: 'C:\\bin', PATHEXT: '.COM;.EXE;.BAT;.CMD' },
      userEnv: { ComSpec: comSpec, SystemRoot: 'C:\\Windows' },
      cwd: 'C:\\ws',
      files: programs(
        'C:\\Windows\\System32\\cmd.exe',
        'C:\\pwsh\\pwsh.exe',
        'C:\\bin\\git.exe',
        'C:\\my tools\\a b.exe',
      ),
    });

  it('a whole line is run by the shell of the user, not by one that the agent names', async () => {
    const line = 'git log && echo x | head';
    assert.deepEqual(await posix(line), { file: '/usr/bin/zsh', args: ['-c', line], shell: 'zsh' });
  });

  it('a shell that does not understand such lines is replaced by the system’s', async () => {
    for (const shell of ['/usr/bin/fish', '/opt/gone/zsh', 'zsh', ''])
      assert.deepEqual(await posix('echo $HOME', [], shell), {
        file: '/bin/bash',
        args: ['-c', 'echo $HOME'],
        shell: 'bash',
      });
  });

  it('a program is started without a shell, also one with a space in its path or name', async () => {
    assert.deepEqual(await posix('git'), { file: '/usr/bin/git', args: [] });
    assert.deepEqual(await posix('/ws/my tool'), { file: '/ws/my tool', args: [] });
    assert.deepEqual(await posix('./my tool'), { file: '/ws/my tool', args: [] });
    assert.deepEqual(await posix('git status'), { file: '/usr/bin/git status', args: [] });
    assert.deepEqual(await posix('git', ['a && b']), { file: '/usr/bin/git', args: ['a && b'] });
  });

  it('what cannot start is refused: one unknown word, nothing at all, and an unknown program with arguments', async () => {
    for (const command of ['nothing', '/ws/nothing', '', '  ', 'a\0 b'])
      await assert.rejects(posix(command), { name: 'CommandError', reason: 'notFound' }, command);
    await assert.rejects(posix('git status x', ['--short']), { reason: 'notFound' });
  });

  it('on Windows, cmd gets the line unquoted, and its own commands', async () => {
    const file = 'C:\\Windows\\System32\\cmd.exe';
    const of = (line: string) => ({
      file,
      args: ['/d', '/s', '/c', `"${line}"`],
      hasVerbatimArguments: true,
      shell: 'cmd',
    });
    assert.deepEqual(await windows('git status && echo "a b"'), of('git status && echo "a b"'));
    assert.deepEqual(await windows('dir'), of('dir'));
    assert.deepEqual(await windows('dir /b', [], 'C:\\gone\\cmd.exe'), of('dir /b'));
  });

  it('on Windows, PowerShell is used if it is the user’s, and programs need no shell', async () => {
    const args = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', 'git status; ls'];
    const file = 'C:\\pwsh\\pwsh.exe';
    assert.deepEqual(await windows('git status; ls', [], file), { file, args, shell: 'pwsh' });
    assert.deepEqual(await windows('git'), { file: 'C:\\bin\\git.exe', args: [] });
    assert.deepEqual(await windows('C:\\my tools\\a b.exe'), { file: 'C:\\my tools\\a b.exe', args: [] });
    await assert.rejects(windows('nothing'), { reason: 'notFound' });
  });
});
