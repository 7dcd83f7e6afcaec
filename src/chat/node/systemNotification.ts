import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import * as path from 'node:path';
import type { Logger } from '../../base/common/log';
import { messageOf } from '../../base/common/errors';
import { showHiddenCharacters } from '../../base/common/text/hiddenCharacters';

interface NotificationCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

interface System {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const title = 'Backline';
const timeoutMs = 10_000;

/** Shows a notification of the operating system, where that has a program for it. */
export function showSystemNotification(text: string, log: Logger): void {
  const command = systemNotificationCommand(text, process);
  if (!command) return;
  const { args, env, file } = command;
  // Not in the folder of a workspace, where a program of the same name may be.
  const options = { cwd: homedir(), env: { ...process.env, ...env }, timeout: timeoutMs, windowsHide: true };
  execFile(file, args, options, (error) => {
    if (error) log.debug(`Cannot show a notification of the system: ${messageOf(error)}`);
  });
}

/** Returns the program that shows the message. No part of it is taken as an option, as markup or as code. */
export function systemNotificationCommand(message: string, { env, platform }: System): NotificationCommand | undefined {
  // A title can come from an agent. Hidden characters could turn the text round, and no argument can contain a zero.
  const text = showHiddenCharacters(message);
  switch (platform) {
    case 'linux':
      return { file: 'notify-send', args: ['--app-name=Visual Studio Code', '--', title, withoutMarkup(text)] };
    case 'darwin':
      return { file: '/usr/bin/osascript', args: [...macScript.flatMap((line) => ['-e', line]), title, text] };
    case 'win32': {
      const { SystemRoot: root = 'C:\\Windows' } = env;
      const file = path.win32.join(root, 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe');
      const args = ['-NoProfile', '-NonInteractive', '-Command', windowsScript];
      return { file, args, env: { BACKLINE_TITLE: title, BACKLINE_TEXT: text } };
    }
    default:
      return undefined;
  }
}

/** Its arguments are what it shows. */
const macScript = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run'];

/** Windows only shows notifications of programs in its Start menu, such as PowerShell, whose id this is. */
const windowsScript = [
  '$manager = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]',
  '$xml = $manager::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)',
  '$lines = $xml.GetElementsByTagName("text")',
  '$null = $lines.Item(0).AppendChild($xml.CreateTextNode($env:BACKLINE_TITLE))',
  '$null = $lines.Item(1).AppendChild($xml.CreateTextNode($env:BACKLINE_TEXT))',
  '$id = "{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe"',
  '$manager::CreateToastNotifier($id).Show([Windows.UI.Notifications.ToastNotification]::new($xml))',
].join('; ');

/** The servers of Linux desktops read some HTML in a notification. */
function withoutMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
