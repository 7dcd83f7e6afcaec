import assert from 'node:assert/strict';
import { systemNotificationCommand } from '../../../../src/chat/node/systemNotification';

describe('A notification of the operating system', () => {
  const hostile = '--help “<b>$(id)`id`</b>” & "; Remove-Item x; " display dialog';

  it('is shown by notify-send on Linux, which takes none of its text as an option or as markup', () => {
    const command = systemNotificationCommand(hostile, { platform: 'linux', env: {} });
    const shown = '--help “&lt;b&gt;$(id)`id`&lt;/b&gt;” &amp; "; Remove-Item x; " display dialog';
    assert.deepEqual(command, {
      file: 'notify-send',
      args: ['--app-name=Visual Studio Code', '--', 'Backline', shown],
    });
  });

  it('is shown by osascript on macOS, whose script does not depend on the text', () => {
    const { args = [], file } = systemNotificationCommand(hostile, { platform: 'darwin', env: {} }) ?? {};
    assert.equal(file, '/usr/bin/osascript');
    assert.deepEqual(args.slice(-2), ['Backline', hostile]);
    assert.ok(args.slice(0, -2).every((argument) => !argument.includes('id')));
  });

  it('is shown by PowerShell of Windows, whose script does not depend on the text', () => {
    const system = { platform: 'win32', env: { SystemRoot: 'D:\\Windows' } } as const;
    const { args, env, file } = systemNotificationCommand(hostile, system) ?? {};
    assert.equal(file, 'D:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe');
    assert.deepEqual(args, systemNotificationCommand('other', system)?.args);
    assert.deepEqual(env, { BACKLINE_TITLE: 'Backline', BACKLINE_TEXT: hostile });
  });

  it('shows hidden characters of a title, and takes a title that no program would take', () => {
    const { args = [] } = systemNotificationCommand('a\u0000b \u202ec', { platform: 'linux', env: {} }) ?? {};
    assert.equal(args.at(-1), 'a[U+0000]b [U+202E]c');
  });

  it('is not shown elsewhere', () => {
    assert.equal(systemNotificationCommand('text', { platform: 'aix', env: {} }), undefined);
  });
});
